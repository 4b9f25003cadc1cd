import { PostgresAdapter } from 'kysely'
import type { Db, Trx } from './tables.ts'

/** PostgreSQL runs transactions in parallel; on SQLite they take turns. */
export const isPostgres = (db: Db) => db.getExecutor().adapter instanceof PostgresAdapter

export interface SqliteExtras {
  changedElsewhere?: () => boolean
}

/** Whether another process has changed the file since this was asked last. Not known of PostgreSQL. */
export const changedElsewhere = (db: Db) => (db.getExecutor().adapter as SqliteExtras).changedElsewhere?.() ?? false

export interface PostgresExtras {
  sharing?: Db
  isShared?: boolean
}

/** The same database, where what a transaction adds may share its commit with what others add. On SQLite all do. */
export const sharing = (db: Db): Db => (db.getExecutor().adapter as PostgresExtras).sharing ?? db

/** Whether the transaction is a member of one on PostgreSQL, where it waits for no rows: `sharedWrites.ts`. */
export const isShared = (trx: Trx): boolean => (trx.getExecutor().adapter as PostgresExtras).isShared ?? false
