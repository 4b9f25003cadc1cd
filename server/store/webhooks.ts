import { defaultEvents, type EventName } from '../../contract/events.ts'
import type { BlockedReason } from '../../contract/webhooks.ts'
import type { Keys } from '../identity/keys.ts'
import { newId } from '../ids.ts'
import { DAY_MS } from '../times.ts'
import { cancelPending } from './deliveries.ts'
import { held } from './lock.ts'
import { prepared } from './prepared.ts'
import type { Db, Row, Trx } from './tables.ts'

const OLD_SECRET_MS = DAY_MS

const healthy = { blockedReason: null, blockedAt: null, consecutiveFailures: 0, failingSince: null }

/** False: the space has one already. */
export const createWebhook = async (
  trx: Trx,
  keys: Keys,
  spaceId: string,
  url: string,
  secret: string,
  now: number,
): Promise<boolean> => {
  const id = newId(now)
  const row = await trx
    .insertInto('webhooks')
    .values({
      id,
      spaceId,
      url,
      secret: keys.seal(secret, id),
      oldSecret: null,
      oldSecretUntil: null,
      isActive: true,
      events: JSON.stringify(defaultEvents),
      ...healthy,
      lastSuccessAt: null,
      createdAt: now,
    })
    .onConflict(conflict => conflict.column('spaceId').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

const webhookOf = (db: Db, spaceId: string) => db.selectFrom('webhooks').selectAll().where('spaceId', '=', spaceId)
const selectWebhook = prepared<{ spaceId: string }, Row<'webhooks'>>((db, param) => webhookOf(db, param('spaceId')))
const holdWebhook = prepared<{ spaceId: string }, Row<'webhooks'>>((db, param) =>
  held(db, webhookOf(db, param('spaceId'))),
)

/** In a transaction nobody else changes it until the end; always before its deliveries, as the worker does. */
export const findWebhook = async (db: Db, spaceId: string): Promise<Row<'webhooks'> | undefined> =>
  (await (db.isTransaction ? holdWebhook : selectWebhook)(db, { spaceId })).rows[0]

/** Switched off, what is pending is cancelled; switched on, it starts fresh. */
export const updateWebhook = async (
  trx: Trx,
  webhook: Row<'webhooks'>,
  url: string,
  isActive: boolean,
  now: number,
) => {
  await trx
    .updateTable('webhooks')
    .set({
      url,
      isActive,
      ...((url !== webhook.url || isActive !== webhook.isActive) && { updatedAt: now }),
      ...(isActive && !webhook.isActive && healthy),
    })
    .where('id', '=', webhook.id)
    .execute()
  if (!isActive) await cancelPending(trx, webhook.id)
}

export const deleteWebhook = async (trx: Trx, id: string) => {
  await cancelPending(trx, id)
  await trx.deleteFrom('webhooks').where('id', '=', id).execute()
}

export const refreshSecret = async (trx: Trx, keys: Keys, webhook: Row<'webhooks'>, secret: string, now: number) => {
  await trx
    .updateTable('webhooks')
    .set({
      secret: keys.seal(secret, webhook.id),
      oldSecret: webhook.secret,
      oldSecretUntil: now + OLD_SECRET_MS,
      updatedAt: now,
    })
    .where('id', '=', webhook.id)
    .execute()
}

export const webhookEvents = (webhook: Row<'webhooks'>) => JSON.parse(webhook.events) as EventName[]

export const setEvents = async (trx: Trx, webhook: Row<'webhooks'>, wanted: EventName[], now: number) => {
  const events = JSON.stringify(wanted)
  if (events === webhook.events) return
  await trx.updateTable('webhooks').set({ events, updatedAt: now }).where('id', '=', webhook.id).execute()
}

/** The secrets that sign, newest first. */
export const secretsInForce = (keys: Keys, { id, secret, oldSecret, oldSecretUntil }: Row<'webhooks'>, now: number) => [
  keys.unseal(secret, id),
  ...(oldSecret !== null && oldSecretUntil !== null && oldSecretUntil > now ? [keys.unseal(oldSecret, id)] : []),
]

/** The last callback that counts has reached the receiver. */
export const hasArrived = ({ lastSuccessAt, failingSince }: Row<'webhooks'>) =>
  lastSuccessAt !== null && failingSince === null

export const isFreshSuccess = ({ lastSuccessAt, consecutiveFailures, failingSince }: Row<'webhooks'>, now: number) =>
  consecutiveFailures === 0 && failingSince === null && lastSuccessAt !== null && now - lastSuccessAt < 1000

export const noteSuccess = async (trx: Trx, id: string, now: number) => {
  await trx
    .updateTable('webhooks')
    .set({ lastSuccessAt: now, consecutiveFailures: 0, failingSince: null })
    .where('id', '=', id)
    .execute()
}

/** As earlier versions put it. */
const earlierReasons: Record<string, BlockedReason> = {
  'The receiver answered 410 Gone.': 'gone',
  '100 events in a row could not be delivered.': 'too_many_failures',
  'Nothing could be delivered for 5 days.': 'failing_too_long',
}
export const blockedReasonOf = ({ blockedReason }: Row<'webhooks'>): BlockedReason | null =>
  blockedReason === null ? null : (earlierReasons[blockedReason] ?? (blockedReason as BlockedReason))

const BLOCK_AFTER_EVENTS = 100
const BLOCK_AFTER_MS = 5 * 24 * 60 * 60 * 1000

/** Events that could not be delivered; past a measure the service switches the webhook off. True: it just has. */
export const noteFailures = async (
  trx: Trx,
  id: string,
  events: number,
  now: number,
  isGone = false,
): Promise<boolean> => {
  const webhook = await trx
    .updateTable('webhooks')
    .set(set => ({
      consecutiveFailures: set('consecutiveFailures', '+', events),
      failingSince: set.fn.coalesce('failingSince', set.val(now)),
    }))
    .where('id', '=', id)
    .where('isActive', '=', true)
    .returning(['consecutiveFailures', 'failingSince'])
    .executeTakeFirst()
  if (!webhook) return false
  const reason: BlockedReason | null = isGone
    ? 'gone'
    : webhook.consecutiveFailures >= BLOCK_AFTER_EVENTS
      ? 'too_many_failures'
      : now - (webhook.failingSince ?? now) >= BLOCK_AFTER_MS
        ? 'failing_too_long'
        : null
  if (!reason) return false
  await trx
    .updateTable('webhooks')
    .set({ isActive: false, blockedReason: reason, blockedAt: now, updatedAt: now })
    .where('id', '=', id)
    .execute()
  await cancelPending(trx, id)
  return true
}
