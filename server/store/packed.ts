import { type RawBuilder, sql } from 'kysely'
import { isBooleanColumn } from './booleans.ts'
import { isPostgres } from './dialect.ts'
import type { Db } from './tables.ts'

export interface Packed<R extends object> {
  /** The JSON. Of the row of an outer join that found none it has nothing but null. */
  of: (db: Db) => RawBuilder<string>
  read: (json: string) => R
}

/**
 * A row as one value, a JSON array of its columns. What PostgreSQL and its driver do for each column of a result, at
 * each execution, takes longer than to find the row.
 */
export const packed = <R extends object>(columns: Record<keyof R & string, string>): Packed<R> => {
  const names = Object.keys(columns)
  const refs = sql.join(Object.values<string>(columns).map(column => sql.ref(column)))
  const fields = names.map(name => ({ name, isBoolean: isBooleanColumn(name) }))
  return {
    of: db => (isPostgres(db) ? sql`json_build_array(${refs})` : sql`json_array(${refs})`),
    read(json) {
      const values = JSON.parse(json) as unknown[]
      const row: Record<string, unknown> = {}
      for (let index = 0; index < fields.length; index++) {
        const { name, isBoolean } = fields[index] as (typeof fields)[number]
        row[name] = isBoolean ? values[index] === 1 : values[index]
      }
      return row as R
    },
  }
}
