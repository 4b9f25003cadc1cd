import { PostgresAdapter } from 'kysely'
import type { Db } from './tables.ts'

/** It runs transactions side by side, where SQLite lets them take turns. */
export const isPostgres = (db: Db) => db.getExecutor().adapter instanceof PostgresAdapter
