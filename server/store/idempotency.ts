import { sql } from 'kysely'
import type { Keys } from '../identity/keys.ts'
import { deleteSome } from './batches.ts'
import type { Db, Row, Trx } from './tables.ts'

interface KeptAnswer {
  /** Whose key it is, what it is for and the key itself, as one fingerprint. */
  key: string
  /** Fingerprint of the request the key was first used with. */
  request: string
  expiresAt: number
}

/**
 * The answer kept under the key; `null` when there is none. In the transaction that will keep one: on PostgreSQL the
 * insert waits for a twin that is still running elsewhere.
 */
export const recallAnswer = async (
  trx: Trx,
  keys: Keys,
  kept: KeptAnswer,
  now: number,
): Promise<{ answer: unknown } | 'mismatch' | null> => {
  await trx.deleteFrom('idempotency').where('key', '=', kept.key).where('expiresAt', '<=', now).execute()
  const fresh = await trx
    .insertInto('idempotency')
    .values({ ...kept, answer: '' })
    .onConflict(conflict => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  if (fresh) return null
  const row = await trx.selectFrom('idempotency').selectAll().where('key', '=', kept.key).executeTakeFirstOrThrow()
  return judge(row, kept.request, keys)
}

/** Reads the kept answer outside a transaction. */
export const peekAnswer = async (db: Db, keys: Keys, { key, request }: KeptAnswer, now: number) => {
  const row = await db
    .selectFrom('idempotency')
    .selectAll()
    .where('key', '=', key)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return row ? judge(row, request, keys) : null
}

const judge = (row: Row<'idempotency'>, request: string, keys: Keys): { answer: unknown } | 'mismatch' =>
  row.request === request ? { answer: JSON.parse(keys.unseal(row.answer, row.key)) } : 'mismatch'

export const keepAnswer = async (trx: Trx, keys: Keys, key: string, answer: unknown) => {
  const sealed = keys.seal(JSON.stringify(answer), key)
  await trx.updateTable('idempotency').set({ answer: sealed }).where('key', '=', key).execute()
}

export const forgetExpiredAnswers = (db: Db, now: number, batch?: number) =>
  deleteSome(db, 'idempotency', 'key', sql`"expiresAt" <= ${now}`, batch)
