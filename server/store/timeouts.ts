import { sql } from 'kysely'
import { isPostgres } from './dialect.ts'
import type { Trx } from './tables.ts'

/** Turns off the timeouts of a PostgreSQL connection for the rest of the transaction; SQLite has none. */
export const liftTimeouts = async (trx: Trx) => {
  if (!isPostgres(trx)) return
  for (const timeout of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
    await sql`select set_config(${timeout}, '0', true)`.execute(trx)
}
