import { PostgresAdapter } from 'kysely'
import type { Db } from './tables.ts'

/** PostgreSQL runs transactions in parallel; on SQLite they take turns. */
export const isPostgres = (db: Db) => db.getExecutor().adapter instanceof PostgresAdapter

export interface SqliteExtras {
  changedElsewhere?: () => boolean
}

/** Whether another process has changed the file since this was asked last. Not known of PostgreSQL. */
export const changedElsewhere = (db: Db) => (db.getExecutor().adapter as SqliteExtras).changedElsewhere?.() ?? false
