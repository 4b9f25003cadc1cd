import { type ExpressionBuilder, sql } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import type { Attempt, AttemptOutcome, DeliveryState, FailureReason } from '../../contract/webhooks.ts'
import { oldestId } from '../ids.ts'
import { isoTime } from '../times.ts'
import { deleteSome } from './batches.ts'
import { isPostgres } from './dialect.ts'
import { rowsOf } from './json.ts'
import { page } from './page.ts'
import { prepared } from './prepared.ts'
import type { Db, Row, Tables, Trx } from './tables.ts'

export const MAX_ATTEMPTS = 3

/** Due, and not being sent: never claimed, or its attempt is given up for lost. */
const isFree = (now: number) => (of: ExpressionBuilder<Tables, 'deliveries'>) =>
  of.or([of('lostAt', 'is', null), of('lostAt', '<=', now)])

/** Webhooks with something due by then. */
export const webhooksDue = async (db: Db, by: number): Promise<string[]> => {
  const rows = await db
    .selectFrom('deliveries')
    .select('webhookId')
    .distinct()
    .where('nextAttemptAt', '<=', by)
    .where(isFree(by))
    .execute()
  return rows.map(({ webhookId }) => webhookId)
}

const selectNextDue = prepared<{ webhookId: string }, Pick<Row<'deliveries'>, 'nextAttemptAt'>>((db, param) =>
  db
    .selectFrom('deliveries')
    .select('nextAttemptAt')
    .where('webhookId', '=', param('webhookId'))
    .where('nextAttemptAt', 'is not', null)
    .where('lostAt', 'is', null)
    .orderBy('nextAttemptAt')
    .limit(sql.lit(1)),
)

/** When the webhook's next attempt is due; null: nothing waits. */
export const nextDue = async (db: Db, webhookId: string): Promise<number | null> =>
  (await selectNextDue(db, { webhookId })).rows[0]?.nextAttemptAt ?? null

export type LockedWebhook = Row<'webhooks'> & Pick<Row<'spaces'>, 'plan' | 'planActiveUntil'>

const selectWebhook = prepared<{ id: string }, LockedWebhook>((db, param) => {
  const webhook = db
    .selectFrom('webhooks')
    .innerJoin('spaces', 'spaces.id', 'webhooks.spaceId')
    .selectAll('webhooks')
    .select(['spaces.plan', 'spaces.planActiveUntil'])
    .where('webhooks.id', '=', param('id'))
  return isPostgres(db) ? webhook.forUpdate('webhooks') : webhook
})

/** The webhook, which nobody else changes until the transaction ends: what is sent then is what it said. */
export const lockWebhook = async (trx: Trx, id: string): Promise<LockedWebhook | undefined> =>
  (await selectWebhook(trx, { id })).rows[0]

/** One event on its way to one webhook, from claimed to delivered or given up. */
export interface Delivery {
  id: string
  body: string
  isManual: boolean
  state: DeliveryState
  /** All that were ever claimed; only the last may still be under way. */
  attempts: Attempt[]
  /** When the next attempt is, or was, due. null: there will be none. */
  nextAttemptAt: number | null
}

/** Why an attempt failed, as far as its outcome and status say it. */
export const reasonOf = (outcome: AttemptOutcome, status: number | null): FailureReason | null => {
  switch (outcome) {
    case 'sending':
    case 'success':
      return null
    case 'status':
      return status === 410 ? 'gone' : status !== null && status >= 300 && status < 400 ? 'redirect' : 'status'
    case 'connection':
      return 'connection_failed'
    case 'blocked_address':
      return 'address_not_allowed'
    default:
      return outcome
  }
}

/** Attempts recorded by earlier versions have no reason. */
const withReason = (attempt: Attempt): Attempt => ({
  ...attempt,
  reason: attempt.reason ?? reasonOf(attempt.outcome, attempt.status),
})

/** Of a delivery that was claimed, and so has one. */
export const lastAttempt = ({ attempts }: Delivery) => attempts[attempts.length - 1] as Attempt

/** All attempts ever claimed; of one without a result only the time is known. */
export const attemptsOf = (
  { attemptTimes, attempts }: Pick<Row<'deliveries'>, 'attemptTimes' | 'attempts'>,
  lastWithoutResult: 'sending' | 'interrupted',
): Attempt[] => {
  const known = JSON.parse(attempts) as Attempt[]
  const times = attemptTimes.split(',').slice(1)
  return times.map((time, index) => {
    const outcome = index === times.length - 1 ? lastWithoutResult : 'interrupted'
    const number = index + 1
    return withReason(
      known.find(attempt => attempt.number === number) ?? {
        number,
        at: isoTime(Number(time)),
        status: null,
        durationMs: null,
        outcome,
        reason: null,
        detail: null,
      },
    )
  })
}

const claimed = ['id', 'body', 'isManual', 'state', 'attemptTimes', 'attempts', 'nextAttemptAt'] as const
type ClaimedRow = Pick<Row<'deliveries'>, (typeof claimed)[number]>

const fromClaimed = (row: ClaimedRow, last: 'sending' | 'interrupted'): Delivery => ({
  id: row.id,
  body: row.body,
  isManual: row.isManual,
  state: row.state,
  attempts: attemptsOf(row, last),
  nextAttemptAt: row.nextAttemptAt,
})

interface ClaimParams {
  webhookId: string
  now: number
  limit: number
  time: string
  lostFirst: number
  lostSecond: number
  lostThird: number
}

const claim = prepared<ClaimParams, ClaimedRow>((db, param) => {
  const due = db
    .selectFrom('deliveries')
    .select('id')
    .where('webhookId', '=', param('webhookId'))
    .where('nextAttemptAt', '<=', param('now'))
    .where(isFree(param('now')))
    .where('attemptsMade', '<', MAX_ATTEMPTS)
    .orderBy('nextAttemptAt')
    .limit(param('limit'))
  return db
    .updateTable('deliveries')
    .set(set => ({
      attemptsMade: set('attemptsMade', '+', 1),
      attemptTimes: sql<string>`${set.ref('attemptTimes')} || cast(${param('time')} as text)`,
      lostAt: sql<number>`case ${set.ref('attemptsMade')} when 0 then cast(${param('lostFirst')} as bigint) when 1 then cast(${param('lostSecond')} as bigint) else cast(${param('lostThird')} as bigint) end`,
    }))
    .where('id', 'in', isPostgres(db) ? due.forUpdate().skipLocked() : due)
    .where('nextAttemptAt', '<=', param('now'))
    .where(isFree(param('now')))
    .returning(claimed)
})

/**
 * Claims due attempts. Each is recorded before it is sent, so a crash can cost an attempt but never adds a fourth.
 * `lostAt` is when an attempt of that number counts as lost.
 */
export const claimDue = async (
  trx: Trx,
  webhookId: string,
  limit: number,
  lostAt: (number: number) => number,
  now: number,
) => {
  const [lostFirst, lostSecond, lostThird] = [lostAt(1), lostAt(2), lostAt(3)]
  const { rows } = await claim(trx, { webhookId, now, limit, time: `,${now}`, lostFirst, lostSecond, lostThird })
  return rows.map(row => fromClaimed(row, 'sending'))
}

/** Gives claimed deliveries back that have not been sent, as if they had never been claimed. */
export const handBack = async (trx: Trx, deliveries: Delivery[]) => {
  for (const { id, attempts } of deliveries)
    await trx
      .updateTable('deliveries')
      .set({
        attemptsMade: attempts.length - 1,
        attemptTimes: attempts
          .slice(0, -1)
          .map(({ at }) => `,${Date.parse(at)}`)
          .join(''),
        lostAt: null,
      })
      .where('id', '=', id)
      .where('attemptsMade', '=', attempts.length)
      .where('state', '=', 'pending')
      .execute()
}

const selectExhausted = prepared<{ webhookId: string; limit: number; now: number }, ClaimedRow>((db, param) =>
  db
    .selectFrom('deliveries')
    .select(claimed)
    .where('webhookId', '=', param('webhookId'))
    .where('nextAttemptAt', '<=', param('now'))
    .where('lostAt', '<=', param('now'))
    .where('attemptsMade', '>=', MAX_ATTEMPTS)
    .limit(param('limit')),
)

/** Those with no attempt left whose last was never heard of again. */
export const findExhausted = async (trx: Trx, webhookId: string, limit: number, now: number) => {
  const { rows } = await selectExhausted(trx, { webhookId, limit, now })
  return rows.map(row => fromClaimed(row, 'interrupted'))
}

interface Result {
  id: string
  number: number
  state: DeliveryState
  attempts: string
  next: number | null
}

/** One statement of one text, however many there are. */
const recordResults = prepared<{ results: string }, { id: string; state: DeliveryState }>((db, param) => {
  const results = rowsOf<Result>(db, param('results'), {
    id: 'text',
    number: 'bigint',
    state: 'text',
    attempts: 'text',
    next: 'bigint',
  })
  return (
    db
      .updateTable('deliveries')
      .from(results)
      .set(set => ({
        attempts: set.ref('given.attempts'),
        state: sql`case deliveries.state when 'pending' then given.state else deliveries.state end`,
        nextAttemptAt: sql`case deliveries.state when 'pending' then given.next else null end`,
        lostAt: null,
      }))
      .whereRef('deliveries.id', '=', 'given.id')
      .whereRef('deliveries.attemptsMade', '=', 'given.number')
      // A result is recorded once, also when it is not known whether the first recording was committed.
      .where(of => of.or([of('deliveries.lostAt', 'is not', null), of('deliveries.state', '=', 'cancelled')]))
      .returning(['deliveries.id', 'deliveries.state'])
  )
})

/** Writes deliveries down whose last attempt has ended. Gives the ids of those that were not cancelled meanwhile. */
export const recordAttempts = async (trx: Trx, deliveries: Delivery[]): Promise<Set<string>> => {
  if (deliveries.length === 0) return new Set()
  const results = deliveries.map(
    ({ id, state, attempts, nextAttemptAt }): Result => ({
      id,
      number: attempts.length,
      state,
      attempts: JSON.stringify(attempts),
      next: nextAttemptAt,
    }),
  )
  const { rows } = await recordResults(trx, { results: JSON.stringify(results) })
  return new Set(rows.filter(({ state }) => state !== 'cancelled').map(({ id }) => id))
}

export const cancelPending = async (trx: Trx, webhookId: string) => {
  await trx
    .updateTable('deliveries')
    .set({ state: 'cancelled', nextAttemptAt: null, lostAt: null })
    .where('webhookId', '=', webhookId)
    .where('nextAttemptAt', 'is not', null)
    .execute()
}

const logged = ['id', 'eventName', 'createdAt', 'state', 'attemptTimes', 'attempts', 'nextAttemptAt', 'lostAt'] as const

export const listDeliveries = (
  db: Db,
  spaceId: string,
  { eventName, state, ...query }: PageQuery & { eventName?: string; state?: DeliveryState },
) => {
  let deliveries = db.selectFrom('deliveries').select(logged).where('spaceId', '=', spaceId)
  if (eventName) deliveries = deliveries.where('eventName', '=', eventName)
  // As a literal, which alone lets the database see that a partial index fits.
  if (state) deliveries = deliveries.where('state', '=', sql.lit(state))
  return page(deliveries, 'deliveries.id', 'desc', query, delivery => delivery.id)
}

/**
 * Of the webhook's events that are being retried, some: what failed is due later than what has not been tried yet, so
 * the last ones due tell of it, however long the queue.
 */
export const listRetrying = async (db: Db, webhookId: string) => {
  const due = await db
    .selectFrom('deliveries')
    .select(logged)
    .select('isManual')
    .where('webhookId', '=', webhookId)
    .where('nextAttemptAt', 'is not', null)
    .orderBy('nextAttemptAt', 'desc')
    .limit(50)
    .execute()
  return due.filter(({ isManual, attempts }) => !isManual && attempts !== '[]')
}

export const findDelivery = (db: Db, spaceId: string, id: string) =>
  db.selectFrom('deliveries').selectAll().where('id', '=', id).where('spaceId', '=', spaceId).executeTakeFirst()

export const forgetOldDeliveries = (db: Db, before: number, batch?: number) =>
  // Ids grow with time: the oldest are found by their own index.
  deleteSome(db, 'deliveries', 'id', sql`"id" < ${oldestId(before)} and "state" <> 'pending'`, batch)

export const queueState = async (db: Db) => {
  const { depth, oldest } = await db
    .selectFrom('deliveries')
    .select(of => [of.fn.countAll<number>().as('depth'), of.fn.min('nextAttemptAt').as('oldest')])
    .where('nextAttemptAt', 'is not', null)
    .executeTakeFirstOrThrow()
  return { depth: Number(depth), oldest }
}
