import { type RawBuilder, sql } from 'kysely'
import type { EventBody, EventName } from '../../contract/events.ts'
import { newId } from '../ids.ts'
import { isPlanActive } from '../rules.ts'
import { inBatches } from './batches.ts'
import { onCommit } from './db.ts'
import { rowsOf } from './json.ts'
import { prepared, preparedForNext } from './prepared.ts'
import type { Row, Trx } from './tables.ts'

const insertDelivery = preparedForNext<Omit<Row<'deliveries'>, 'lostAt'>>((db, param) =>
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
  }),
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

/**
 * Which events the webhook of a space is to be told of, as it is stored. Read along with what a request reads anyway, so
 * that an event that is not wanted costs no query.
 */
export const wantedIn = (spaceId: RawBuilder<string>) =>
  sql<string | null>`(
    select events from webhooks where webhooks."spaceId" = ${spaceId} and webhooks."isActive" = 1)`.as('wantedEvents')

/** A space, and what its webhook wants; null: it has none, or it is off. */
export interface Listening {
  space: { id: string }
  wantedEvents: string | null
}

export const wants = (at: Pick<Listening, 'wantedEvents'>, eventName: EventName) =>
  at.wantedEvents?.includes(`"${eventName}"`) ?? false

/** The webhook that events of the space go to at this moment, and which of them. */
const findListener = async (trx: Trx, spaceId: string, now: number) => {
  const {
    rows: [webhook],
  } = await selectListener(trx, { spaceId })
  return webhook && isPlanActive(webhook, now)
    ? { id: webhook.id, events: JSON.parse(webhook.events) as string[] }
    : null
}

/**
 * interface.md §6: an event of a space goes out if its webhook is active, its plan too, and the owner wants it. What
 * happens while it is not is not kept for later.
 */
export const recordEvent = async (trx: Trx, event: EventBody, now: number, wake: (webhookId: string) => void) => {
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

/** Any number of events of one space, each as `recordEvent` does it. */
export const recordEvents = async (
  trx: Trx,
  spaceId: string,
  events: EventBody[],
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
    const rows = batch.map(each => ({ id: newId(now), eventName: each.eventName, body: JSON.stringify(each) }))
    await insertDeliveries(trx, {
      spaceId,
      webhookId: webhook.id,
      createdAt: now,
      events: JSON.stringify(rows),
    })
  }
  onCommit(trx, () => wake(webhook.id))
}
