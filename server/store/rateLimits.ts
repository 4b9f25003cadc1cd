import { CompiledQuery, sql } from 'kysely'
import { deleteSome } from './batches.ts'
import { isPostgres } from './dialect.ts'
import type { Db } from './tables.ts'

interface Statement {
  text: string
  values: unknown[]
}

/** The part of a driver's client that the library of limits asks for. */
export interface LimitsClient {
  query: (statement: Statement) => Promise<{ rows: unknown[]; rowCount: number }>
}

/** Where several nodes count together. null: there is one node, which counts in its memory. */
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
