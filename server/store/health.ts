import { sql } from 'kysely'
import { isPostgres } from './dialect.ts'
import type { Db } from './tables.ts'

/** Throws when the database does not answer. */
export const ping = async (db: Db) => {
  await sql`select 1`.execute(db)
}

/** Milliseconds since 1970 by the clock that all nodes share: PostgreSQL's, or that of the one machine. */
export const readClock = async (db: Db): Promise<number> => {
  if (!isPostgres(db)) return Date.now()
  const { rows } = await sql<{
    time: number
  }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as time`.execute(db)
  return Number(rows[0]?.time)
}
