import { type AliasedExpression, sql } from 'kysely'
import { isPostgres } from './dialect.ts'
import type { Db } from './tables.ts'

/* Any number of values as one parameter: one statement of one text, however many there are. */

/**
 * Whether the column is among the strings of a JSON array. PostgreSQL joins a subselect, also where it takes the table for
 * small; an array it would then look through for each row.
 */
export const isAmong = (db: Db, column: string, json: string) =>
  isPostgres(db)
    ? sql<boolean>`${sql.ref(column)} in (select json_array_elements_text(${json}::json))`
    : sql<boolean>`${sql.ref(column)} in (select value from json_each(${json}))`

/** The objects of a JSON array, as the rows of `given`. */
export const rowsOf = <R extends object>(
  db: Db,
  json: string,
  columns: Record<keyof R & string, 'text' | 'bigint'>,
) => {
  const names = Object.keys(columns) as (keyof R & string)[]
  const rows = isPostgres(db)
    ? sql`json_to_recordset(${json}::json)`.as(
        sql`given (${sql.join(names.map(name => sql`${sql.ref(name)} ${sql.raw(columns[name])}`))})`,
      )
    : sql`(select ${sql.join(names.map(name => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`))} from json_each(${json}))`.as(
        sql`given`,
      )
  return rows as AliasedExpression<R, 'given'>
}
