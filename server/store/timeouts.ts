import { PostgresAdapter, sql } from 'kysely'
import type { Trx } from './tables.ts'

/** For the rest of the transaction none of the timeouts of a PostgreSQL connection counts; SQLite has none. */
export const liftTimeouts = async (trx: Trx) => {
  if (!(trx.getExecutor().adapter instanceof PostgresAdapter)) return
  for (const timeout of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
    await sql`select set_config(${timeout}, '0', true)`.execute(trx)
}
