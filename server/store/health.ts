import { sql } from 'kysely'
import { isPostgres } from './dialect.ts'
import type { Db } from './tables.ts'

/** Throws when the database does not answer. */
export const ping = async (db: Db) => {
  await sql`select 1`.execute(db)
}

/** PostgreSQL's clock, in milliseconds since 1970 and parts of them. */
export const CLOCK_SQL = 'extract(epoch from clock_timestamp()) * 1000'

/** Milliseconds since 1970 by the clock that all nodes share: PostgreSQL's, or that of the one machine. */
export const readClock = async (db: Db): Promise<number> => {
  if (!isPostgres(db)) return Date.now()
  const { rows } = await sql<{ time: string }>`select ${sql.raw(CLOCK_SQL)} as time`.execute(db)
  return Math.floor(Number(rows[0]?.time))
}
