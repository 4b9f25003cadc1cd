import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** Throws when the database does not answer. */
export const ping = async (db: Db) => {
  await sql`select 1`.execute(db)
}
