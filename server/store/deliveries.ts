import { type ExpressionBuilder, sql } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import type { Attempt, AttemptOutcome, DeliveryState, EventName, FailureReason } from '../../contract/webhooks.ts'
import { isoTime, newId, oldestId } from '../ids.ts'
import { planIsActive } from '../rules.ts'
import { deleteSome, inBatches } from './batches.ts'
import { onCommit } from './db.ts'
import { isPostgres } from './dialect.ts'
import { rowsOf } from './json.ts'
import { page } from './page.ts'
import { prepared } from './prepared.ts'
import type { Db, Row, Tables, Trx } from './tables.ts'

export const MOST_ATTEMPTS = 3

const insertDelivery = prepared<Row<'deliveries'>, never>(
  (db, param) =>
    db.insertInto('deliveries').values({
      id: param('id'),
      spaceId: param('spaceId'),
      webhookId: param('webhookId'),
      eventName: param('eventName'),
      body: param('body'),
      isManual: param('isManual'),
      state: param('state'),
      attemptsMade: param('attemptsMade'),
      attemptTimes: param('attemptTimes'),
      attempts: param('attempts'),
      nextAttemptAt: param('nextAttemptAt'),
      createdAt: param('createdAt'),
    }) as never,
)

export interface NewDelivery {
  spaceId: string
  webhookId: string
  eventName: string
  body: string
  isManual: boolean
}

/** In the transaction that changes the state it tells of; `wake` is told once that is on disk. */
export const queueDelivery = async (
  trx: Trx,
  { isManual, ...delivery }: NewDelivery,
  now: number,
  wake: (webhookId: string) => void,
): Promise<string> => {
  const id = newId()
  await insertDelivery(trx, {
    ...delivery,
    id,
    isManual,
    state: 'pending',
    attemptsMade: 0,
    attemptTimes: '',
    attempts: '[]',
    nextAttemptAt: now,
    lostAt: null,
    createdAt: now,
  })
  onCommit(trx, () => wake(delivery.webhookId))
  return id
}

const insertDeliveries = prepared<
  Pick<Row<'deliveries'>, 'spaceId' | 'webhookId' | 'createdAt'> & { events: string },
  never
>((db, param) => {
  type Given = Pick<Row<'deliveries'>, 'id' | 'eventName' | 'body'>
  const events = rowsOf<Given>(db, param('events'), { id: 'text', eventName: 'text', body: 'text' })
  const time = sql<number>`cast(${param('createdAt')} as bigint)`
  return db
    .insertInto('deliveries')
    .columns([
      'id',
      'eventName',
      'body',
      'spaceId',
      'webhookId',
      'isManual',
      'state',
      'attemptsMade',
      'attemptTimes',
      'attempts',
      'nextAttemptAt',
      'createdAt',
    ])
    .expression(
      db
        .selectFrom(events)
        .select(['given.id', 'given.eventName', 'given.body'])
        .select([
          sql<string>`cast(${param('spaceId')} as text)`.as('spaceId'),
          sql<string>`cast(${param('webhookId')} as text)`.as('webhookId'),
          sql<boolean>`0`.as('isManual'),
          sql<'pending'>`'pending'`.as('state'),
          sql<number>`0`.as('attemptsMade'),
          sql<string>`''`.as('attemptTimes'),
          sql<string>`'[]'`.as('attempts'),
          time.as('nextAttemptAt'),
          time.as('createdAt'),
        ]),
    ) as never
})

const selectListener = prepared<
  { spaceId: string },
  Pick<Row<'webhooks'>, 'id' | 'events'> & Pick<Row<'spaces'>, 'plan' | 'planActiveUntil'>
>((db, param) =>
  db
    .selectFrom('webhooks')
    .innerJoin('spaces', 'spaces.id', 'webhooks.spaceId')
    .select(['webhooks.id', 'webhooks.events', 'spaces.plan', 'spaces.planActiveUntil'])
    .where('webhooks.spaceId', '=', param('spaceId'))
    .where('webhooks.isActive', '=', true),
)

/** The webhook that events of the space go to at this moment, and which of them. */
const findListener = async (trx: Trx, spaceId: string, now: number) => {
  const {
    rows: [webhook],
  } = await selectListener(trx, { spaceId })
  return webhook && planIsActive(webhook, now)
    ? { id: webhook.id, events: JSON.parse(webhook.events) as string[] }
    : null
}

/**
 * interface.md §6: an event of a space goes out if its webhook is active, its plan too, and the owner wants it. What
 * happens while it is not is not kept for later.
 */
export const recordEvent = async (
  trx: Trx,
  event: { eventName: EventName; roomId: string; spaceId: string } & Record<string, string | null>,
  now: number,
  wake: (webhookId: string) => void,
) => {
  const { spaceId, eventName } = event
  const webhook = await findListener(trx, spaceId, now)
  if (!webhook?.events.includes(eventName)) return
  await queueDelivery(
    trx,
    { spaceId, webhookId: webhook.id, eventName, body: JSON.stringify(event), isManual: false },
    now,
    wake,
  )
}

/** Any number of events of one space, as `recordEvent` does it with each. */
export const recordEvents = async (
  trx: Trx,
  spaceId: string,
  events: Parameters<typeof recordEvent>[1][],
  now: number,
  wake: (webhookId: string) => void,
) => {
  const [event] = events
  if (!event) return
  if (events.length === 1) return recordEvent(trx, event, now, wake)
  const webhook = await findListener(trx, spaceId, now)
  const wanted = events.filter(({ eventName }) => webhook?.events.includes(eventName))
  if (!webhook || wanted.length === 0) return
  for (const batch of inBatches(wanted)) {
    const rows = batch.map(each => ({ id: newId(), eventName: each.eventName, body: JSON.stringify(each) }))
    await insertDeliveries(trx, {
      spaceId,
      webhookId: webhook.id,
      createdAt: now,
      events: JSON.stringify(rows),
    })
  }
  onCommit(trx, () => wake(webhook.id))
}

/** Due, and not being sent: nobody is at it, or whoever was is given up for lost. */
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

/** When the webhook's next attempt is due; null: nothing waits. */
export const nextDue = async (db: Db, webhookId: string): Promise<number | null> => {
  const row = await db
    .selectFrom('deliveries')
    .select('nextAttemptAt')
    .where('webhookId', '=', webhookId)
    .where('nextAttemptAt', 'is not', null)
    .where('lostAt', 'is', null)
    .orderBy('nextAttemptAt')
    .limit(1)
    .executeTakeFirst()
  return row?.nextAttemptAt ?? null
}

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
    .where('attemptsMade', '<', MOST_ATTEMPTS)
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

/** Those with no attempt left whose last was never heard of again. */
export const findExhausted = async (trx: Trx, webhookId: string, limit: number, now: number) => {
  const rows = await trx
    .selectFrom('deliveries')
    .select(claimed)
    .where('webhookId', '=', webhookId)
    .where('nextAttemptAt', '<=', now)
    .where('lostAt', '<=', now)
    .where('attemptsMade', '>=', MOST_ATTEMPTS)
    .limit(limit)
    .execute()
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
