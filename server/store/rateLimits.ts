import { CompiledQuery, sql } from 'kysely'
import { deleteSome } from './batches.ts'
import { isPostgres } from './dialect.ts'
import type { Db } from './tables.ts'

interface Statement {
  text: string
  values: unknown[]
}

/** The part of a driver's client that rate-limiter-flexible uses. */
export interface LimitsClient {
  query: (statement: Statement) => Promise<{ rows: unknown[]; rowCount: number }>
}

/** The database in which several nodes count together. null: there is one node, which counts in memory. */
export const sharedLimits = (db: Db): LimitsClient | null =>
  isPostgres(db)
    ? {
        async query({ text, values }) {
          const { rows, numAffectedRows } = await db.executeQuery(CompiledQuery.raw(text, values))
          return { rows, rowCount: Number(numAffectedRows ?? rows.length) }
        },
      }
    : null

export const forgetExpiredLimits = (db: Db, now: number, batch?: number) =>
  deleteSome(db, 'rateLimits', 'key', sql`"expire" <= ${now}`, batch)
