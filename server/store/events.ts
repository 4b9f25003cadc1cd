import type { EventName } from '../../contract/webhooks.ts'
import { newId } from '../ids.ts'
import { isPlanActive } from '../rules.ts'
import { onCommit } from './db.ts'
import { prepared } from './prepared.ts'
import type { Row, Trx } from './tables.ts'

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

interface NewDelivery {
  spaceId: string
  webhookId: string
  eventName: string
  body: string
  isManual: boolean
}

/** In the transaction of the change that the event reports; `wake` is called once that is on disk. */
export const queueDelivery = async (
  trx: Trx,
  { isManual, ...delivery }: NewDelivery,
  now: number,
  wake: (webhookId: string) => void,
): Promise<string> => {
  const id = newId(now)
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

/**
 * interface.md §6: an event of a space goes out if its webhook is active, its plan too, and the owner wants it. What
 * happens at other times is not kept for later.
 */
export const recordEvent = async (
  trx: Trx,
  event: { eventName: EventName; roomId: string; spaceId: string } & Record<string, string | null>,
  now: number,
  wake: (webhookId: string) => void,
) => {
  const {
    rows: [webhook],
  } = await selectListener(trx, { spaceId: event.spaceId })
  if (!webhook || !isPlanActive(webhook, now) || !(JSON.parse(webhook.events) as string[]).includes(event.eventName))
    return
  const { spaceId, eventName } = event
  await queueDelivery(
    trx,
    { spaceId, webhookId: webhook.id, eventName, body: JSON.stringify(event), isManual: false },
    now,
    wake,
  )
}
