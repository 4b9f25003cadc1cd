import { type AliasedExpression, sql } from 'kysely'
import { isBooleanColumn } from './booleans.ts'
import { isPostgres } from './dialect.ts'
import type { Db } from './tables.ts'

/**
 * A row that comes as part of the row of a join. On SQLite its columns are `<name>_…`. On PostgreSQL they are one value,
 * a JSON array: what the server and its driver do for each column of a result, at each execution, takes longer than to
 * find the row.
 */
export const part = <R extends object>(name: string, columns: Record<keyof R & string, string>) => {
  const fields = Object.entries<string>(columns).map(([field, column]) => ({
    field,
    column: sql.ref(column),
    alias: `${name}_${field}`,
    isBoolean: isBooleanColumn(field),
  }))
  // A copy that has all fields from the beginning is the object that engines are fastest with.
  const empty = JSON.parse(JSON.stringify(Object.fromEntries(fields.map(({ field }) => [field, null]))))

  return {
    select: (db: Db): AliasedExpression<unknown, string>[] =>
      isPostgres(db)
        ? [sql`json_build_array(${sql.join(fields.map(({ column }) => column))})`.as(name)]
        : fields.map(({ column, alias }) => column.as(alias)),
    /** Not for an outer join that has found none. */
    read(joined: object): R {
      const from = joined as Record<string, unknown>
      const row = { ...empty }
      const json = from[name] as string | undefined
      if (json === undefined) for (const { field, alias } of fields) row[field] = from[alias]
      else {
        const values = JSON.parse(json)
        for (let index = 0; index < fields.length; index++) {
          const { field, isBoolean } = fields[index] as (typeof fields)[number]
          row[field] = isBoolean ? values[index] === 1 : values[index]
        }
      }
      return row
    },
  }
}
