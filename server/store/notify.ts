import { sql } from 'kysely'
import { isPostgres } from './dialect.ts'
import type { Trx } from './tables.ts'

/** Once the transaction is committed, whoever listens on PostgreSQL's channel is told. On SQLite nobody can. */
export const notify = async (trx: Trx, channel: string, payload: string) => {
  if (isPostgres(trx)) await sql`select pg_notify(${channel}, ${payload})`.execute(trx)
}
