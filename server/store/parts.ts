import { type AliasedExpression, sql } from 'kysely'
import { isBooleanColumn } from './booleans.ts'
import { isPostgres } from './dialect.ts'
import type { Db } from './tables.ts'

/**
 * A row that comes as part of the row of a join. On SQLite its columns are `<name>.…`. On PostgreSQL they are one value,
 * a JSON array: what the server and its driver do for each column of a result, at each execution, takes longer than to
 * find the row.
 */
export const part = <R extends object>(name: string, columns: Record<keyof R & string, string>) => {
  const fields = Object.entries<string>(columns).map(([field, column]) => ({
    field,
    column: sql.ref(column),
    alias: `${name}.${field}`,
  }))
  const fromColumns = reader<R>(fields.map(({ field, alias }) => [field, alias]))
  const fromValues = reader<R>(fields.map(({ field }, index) => [field, index]))

  return {
    select: (db: Db): AliasedExpression<unknown, string>[] =>
      isPostgres(db)
        ? [sql`json_build_array(${sql.join(fields.map(({ column }) => column))})`.as(name)]
        : fields.map(({ column, alias }) => column.as(alias)),
    /** Not for an outer join that has found none. */
    read(joined: object): R {
      const json = (joined as Record<string, string | undefined>)[name]
      return json === undefined ? fromColumns(joined) : fromValues(JSON.parse(json))
    },
  }
}

/**
 * Makes a row of what is at these places. Written out and compiled, as the validators and serializers are: every request
 * reads three of them, and in a loop over their fields that takes more than twice as long.
 */
const reader = <R>(places: [field: string, at: string | number][]) => {
  const values = places.map(([field, at]) => {
    const value = `from[${JSON.stringify(at)}]`
    return `${field}: ${isBooleanColumn(field) ? `${value} === 1` : value}`
  })
  return new Function('from', `return { ${values.join(', ')} }`) as (from: object) => R
}
