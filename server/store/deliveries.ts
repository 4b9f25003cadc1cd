import type { UpdateResult } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import type { Attempt, DeliveryState, EventName } from '../../contract/webhooks.ts'
import { isoTime, newId } from '../ids.ts'
import { planIsActive } from '../rules.ts'
import { isPostgres, onCommit, prepared } from './db.ts'
import { page } from './page.ts'
import { bit, type Db, type Row, type Trx } from './tables.ts'

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
    isManual: bit(isManual),
    state: 'pending',
    attemptsMade: 0,
    attempts: '[]',
    nextAttemptAt: now,
    createdAt: now,
  })
  onCommit(trx, () => wake(delivery.webhookId))
  return id
}

/**
 * interface.md §6: an event of a space goes out if its webhook is active, its plan too, and the owner wants it. What
 * happens while it is not is not kept for later.
 */
export const recordEvent = async (
  trx: Trx,
  event: { eventName: EventName; roomId: string; spaceId: string } & Record<string, string>,
  now: number,
  wake: (webhookId: string) => void,
) => {
  const webhook = await trx
    .selectFrom('webhooks')
    .innerJoin('spaces', 'spaces.id', 'webhooks.spaceId')
    .select(['webhooks.id', 'webhooks.events', 'spaces.plan', 'spaces.planActiveUntil'])
    .where('webhooks.spaceId', '=', event.spaceId)
    .where('webhooks.isActive', '=', 1)
    .executeTakeFirst()
  if (!webhook || !planIsActive(webhook, now) || !(JSON.parse(webhook.events) as string[]).includes(event.eventName))
    return
  const { spaceId, eventName } = event
  await queueDelivery(
    trx,
    { spaceId, webhookId: webhook.id, eventName, body: JSON.stringify(event), isManual: false },
    now,
    wake,
  )
}

/** Webhooks with something due by then. */
export const webhooksDue = async (db: Db, by: number): Promise<string[]> => {
  const rows = await db
    .selectFrom('deliveries')
    .select('webhookId')
    .distinct()
    .where('nextAttemptAt', '<=', by)
    .execute()
  return rows.map(({ webhookId }) => webhookId)
}

/** When the webhook's next attempt is due; null: nothing is pending. */
export const nextDue = async (db: Db, webhookId: string): Promise<number | null> => {
  const row = await db
    .selectFrom('deliveries')
    .select('nextAttemptAt')
    .where('webhookId', '=', webhookId)
    .where('nextAttemptAt', 'is not', null)
    .orderBy('nextAttemptAt')
    .limit(1)
    .executeTakeFirst()
  return row?.nextAttemptAt ?? null
}

export type TakenWebhook = Row<'webhooks'> & Pick<Row<'spaces'>, 'plan' | 'planActiveUntil'>

const selectWebhook = prepared<{ id: string }, TakenWebhook>((db, param) => {
  const webhook = db
    .selectFrom('webhooks')
    .innerJoin('spaces', 'spaces.id', 'webhooks.spaceId')
    .selectAll('webhooks')
    .select(['spaces.plan', 'spaces.planActiveUntil'])
    .where('webhooks.id', '=', param('id'))
  return isPostgres(db) ? webhook.forUpdate('webhooks') : webhook
})

/** The webhook, which nobody else changes until the transaction ends: what is sent then is what it said. */
export const takeWebhook = async (trx: Trx, id: string): Promise<TakenWebhook | undefined> =>
  (await selectWebhook(trx, { id })).rows[0]

export interface Claimed {
  id: string
  body: string
  isManual: boolean
  attempts: Attempt[]
  number: number
}

type Due = Pick<Row<'deliveries'>, 'id' | 'body' | 'isManual' | 'attemptsMade' | 'attempts'>

const selectDue = prepared<{ webhookId: string; now: number; limit: number }, Due>((db, param) => {
  const due = db
    .selectFrom('deliveries')
    .select(['id', 'body', 'isManual', 'attemptsMade', 'attempts'])
    .where('webhookId', '=', param('webhookId'))
    .where('nextAttemptAt', '<=', param('now'))
    .orderBy('nextAttemptAt')
    .limit(param('limit'))
  return isPostgres(db) ? due.forUpdate().skipLocked() : due
})

const reserve = prepared<
  { id: string; now: number; number: number; attempts: string; nextAttemptAt: number },
  UpdateResult
>((db, param) =>
  db
    .updateTable('deliveries')
    .set({ attemptsMade: param('number'), attempts: param('attempts'), nextAttemptAt: param('nextAttemptAt') })
    .where('id', '=', param('id'))
    .where('nextAttemptAt', '<=', param('now')),
)

/** An attempt that was being made when the process died: its result is not known, and it counts. */
const closeInterrupted = (attempts: Attempt[]): Attempt[] =>
  attempts.map(attempt => (attempt.outcome === 'sending' ? { ...attempt, outcome: 'interrupted' } : attempt))

/**
 * Reserves attempts that are due: each is recorded before it is sent, so that a crash can cost an attempt but never
 * makes a fourth. `lostAt` says when an attempt of that number is given up for lost. Also gives those that have no
 * attempt left, after a crash during the last.
 */
export const claimDue = async (
  trx: Trx,
  webhookId: string,
  limit: number,
  lostAt: (number: number) => number,
  now: number,
) => {
  const claimed: Claimed[] = []
  const exhausted: Claimed[] = []
  for (const row of (await selectDue(trx, { webhookId, now, limit })).rows) {
    const earlier = closeInterrupted(JSON.parse(row.attempts))
    const delivery = { id: row.id, body: row.body, isManual: row.isManual === 1 }
    if (row.attemptsMade >= MOST_ATTEMPTS) {
      exhausted.push({ ...delivery, attempts: earlier, number: row.attemptsMade })
      continue
    }
    const number = row.attemptsMade + 1
    const sending: Attempt = {
      number,
      at: isoTime(now),
      status: null,
      durationMs: null,
      outcome: 'sending',
      detail: null,
    }
    const attempts = [...earlier, sending]
    const { numAffectedRows } = await reserve(trx, {
      id: row.id,
      now,
      number,
      attempts: JSON.stringify(attempts),
      nextAttemptAt: lostAt(number),
    })
    if (numAffectedRows === 1n) claimed.push({ ...delivery, attempts, number })
  }
  return { claimed, exhausted }
}

const updateSettled = prepared<
  { id: string; number: number; state: DeliveryState; attempts: string; nextAttemptAt: number | null },
  UpdateResult
>((db, param) =>
  db
    .updateTable('deliveries')
    .set({ state: param('state'), attempts: param('attempts'), nextAttemptAt: param('nextAttemptAt') })
    .where('id', '=', param('id'))
    .where('state', '=', 'pending')
    .where('attemptsMade', '=', param('number')),
)

/** False: it was cancelled meanwhile; then only the attempt's result is noted. */
export const settle = async (
  trx: Trx,
  { id, number, attempts }: Claimed,
  state: 'pending' | 'delivered' | 'failed',
  nextAttemptAt: number | null,
): Promise<boolean> => {
  const text = JSON.stringify(attempts)
  const { numAffectedRows } = await updateSettled(trx, { id, number, state, attempts: text, nextAttemptAt })
  const settled = numAffectedRows === 1n
  if (!settled)
    await trx
      .updateTable('deliveries')
      .set({ attempts: text })
      .where('id', '=', id)
      .where('attemptsMade', '=', number)
      .execute()
  return settled
}

export const cancelPending = async (trx: Trx, webhookId: string) => {
  await trx
    .updateTable('deliveries')
    .set({ state: 'cancelled', nextAttemptAt: null })
    .where('webhookId', '=', webhookId)
    .where('nextAttemptAt', 'is not', null)
    .execute()
}

export const listDeliveries = (
  db: Db,
  spaceId: string,
  { eventName, state, ...query }: PageQuery & { eventName?: string; state?: DeliveryState },
) => {
  let deliveries = db
    .selectFrom('deliveries')
    .select(['id', 'eventName', 'createdAt', 'state', 'attempts'])
    .where('spaceId', '=', spaceId)
  if (eventName) deliveries = deliveries.where('eventName', '=', eventName)
  if (state) deliveries = deliveries.where('state', '=', state)
  return page(deliveries, 'deliveries.id', 'desc', query, delivery => delivery.id)
}

export const findDelivery = (db: Db, spaceId: string, id: string) =>
  db.selectFrom('deliveries').selectAll().where('id', '=', id).where('spaceId', '=', spaceId).executeTakeFirst()

export const deliveryRecord = ({
  id,
  eventName,
  createdAt,
  state,
  attempts,
}: Pick<Row<'deliveries'>, 'id' | 'eventName' | 'createdAt' | 'state' | 'attempts'>) => ({
  id,
  eventName,
  createdAt: isoTime(createdAt),
  state,
  attempts: JSON.parse(attempts) as Attempt[],
})

const KEEP_MS = 30 * 24 * 60 * 60 * 1000

/** In small batches, so that nobody waits long for the database. Says whether there may be more. */
export const forgetOldDeliveries = async (db: Db, now: number, batch = 500): Promise<boolean> => {
  // Ids grow with time: the oldest are found by their own index.
  const old = db
    .selectFrom('deliveries')
    .select('id')
    .where('id', '<', oldestId(now - KEEP_MS))
    .where('state', '!=', 'pending')
    .orderBy('id')
    .limit(batch)
  const gone = await db.deleteFrom('deliveries').where('id', 'in', old).returning('id').execute()
  return gone.length === batch
}

/** No id made at that time or later is smaller. */
const oldestId = (time: number) => {
  const hex = time.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

export const queueState = async (db: Db) => {
  const { depth, oldest } = await db
    .selectFrom('deliveries')
    .select(of => [of.fn.countAll<number>().as('depth'), of.fn.min('nextAttemptAt').as('oldest')])
    .where('nextAttemptAt', 'is not', null)
    .executeTakeFirstOrThrow()
  return { depth: Number(depth), oldest }
}
