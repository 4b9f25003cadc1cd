import Type, { type Static } from 'typebox'
import { closed, Empty, HttpUrl, Id, Nullable, Page, Paging, Time } from './common.ts'
import { operation } from './operation.ts'

const Url = HttpUrl('Receives the callbacks', 'https://school.example/lectern')
const Secret = Type.String({ description: 'Key of the signatures. Shown on create and on refresh only' })
const IsActive = Type.Boolean({ description: 'false: no callbacks are sent' })

const Webhook = Type.Object({ url: Type.String(), isActive: IsActive }, { title: 'Webhook' })
const WebhookWithSecret = Type.Object({ url: Type.String(), secret: Secret, isActive: IsActive })

/** What an owner can subscribe to. */
export const EventName = Type.Unsafe<'call_started' | 'call_finished' | 'participant_joined' | 'participant_left'>(
  Type.String({ enum: ['call_started', 'call_finished', 'participant_joined', 'participant_left'] }),
)
export type EventName = Static<typeof EventName>

/** What is sent unless the owner chooses otherwise. */
export const defaultEvents: EventName[] = ['call_started', 'call_finished']

const Events = Type.Object({ events: Type.Array(EventName, { maxItems: 20, uniqueItems: true }) }, closed)

export const DeliveryState = Type.Unsafe<'pending' | 'delivered' | 'failed' | 'cancelled'>(
  Type.String({ enum: ['pending', 'delivered', 'failed', 'cancelled'] }),
)
export type DeliveryState = Static<typeof DeliveryState>

export const AttemptOutcome = Type.Unsafe<
  'sending' | 'success' | 'status' | 'timeout' | 'connection' | 'blocked_address' | 'interrupted' | 'cancelled'
>(
  Type.String({
    enum: ['sending', 'success', 'status', 'timeout', 'connection', 'blocked_address', 'interrupted', 'cancelled'],
    description:
      'success: 2xx. status: another status. timeout: no full answer in 10 s. connection: refused, reset or not found. ' +
      'blocked_address: not a public address. interrupted: the service was stopped, the result is not known. ' +
      'cancelled: the webhook was switched off meanwhile',
  }),
)
export type AttemptOutcome = Static<typeof AttemptOutcome>

export const Attempt = Type.Object({
  number: Type.Integer(),
  at: Time('When it was sent'),
  status: Nullable(Type.Integer({ description: 'HTTP status of the answer' })),
  durationMs: Nullable(Type.Integer()),
  outcome: AttemptOutcome,
  detail: Nullable(Type.String({ description: 'Why it failed, or the start of the answer' })),
})
export type Attempt = Static<typeof Attempt>

const Delivery = Type.Object(
  {
    id: Id('Delivery; also the `webhook-id` header of its callbacks'),
    eventName: Type.String(),
    createdAt: Time('When the event happened'),
    state: DeliveryState,
    attempts: Type.Array(Attempt),
    nextAttemptAt: Nullable(Time('When the next attempt is due; null while one is under way, and once there is none')),
  },
  { title: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

const DeliveryWithBody = Type.Object({
  ...Delivery.properties,
  body: Type.String({ description: 'The JSON text of `body`, exactly as it is signed and sent' }),
})

const base = '/v1/spaces/:spaceId/webhook'
const common = { tag: 'Webhook', tokens: ['user'] } as const

export const webhooks = {
  createWebhook: operation({
    ...common,
    method: 'POST',
    path: base,
    summary: 'Create the webhook',
    description: 'One for each space. By the space owner; the space needs an active Team or Business plan.',
    idempotent: true,
    body: Type.Object({ url: Url }, closed),
    answer: WebhookWithSecret,
  }),
  updateWebhook: operation({
    ...common,
    method: 'PUT',
    path: base,
    summary: 'Change the webhook',
    description:
      'Takes effect at once, also for attempts still to come. Switched off, all pending deliveries are cancelled; ' +
      'switched on, a block by the service ends.',
    body: Type.Object({ url: Url, isActive: Type.Boolean({ examples: [true] }) }, closed),
    answer: Webhook,
  }),
  getWebhook: operation({ ...common, method: 'GET', path: base, summary: 'Read the webhook', answer: Webhook }),
  deleteWebhook: operation({
    ...common,
    method: 'DELETE',
    path: base,
    summary: 'Delete the webhook',
    description: 'Pending deliveries are cancelled.',
    answer: Empty,
  }),
  refreshSecret: operation({
    ...common,
    method: 'PUT',
    path: `${base}/refresh-secret`,
    summary: 'Make a new secret',
    description:
      '`signature` uses it from now on. The `webhook-signature` header carries the old one as well for 24 hours.',
    body: Empty,
    answer: WebhookWithSecret,
  }),
  getWebhookEvents: operation({
    ...common,
    method: 'GET',
    path: `${base}/events`,
    summary: 'Read which events are sent',
    answer: Events,
  }),
  setWebhookEvents: operation({
    ...common,
    method: 'PUT',
    path: `${base}/events`,
    summary: 'Choose which events are sent',
    body: Type.Object(
      { ...Events.properties, events: { ...Events.properties.events, examples: [defaultEvents] } },
      closed,
    ) as typeof Events,
    answer: Events,
  }),
  getWebhookHealth: operation({
    ...common,
    method: 'GET',
    path: `${base}/health`,
    summary: 'Read how the webhook is doing',
    answer: Type.Object({
      isActive: IsActive,
      blockedReason: Nullable(Type.String({ description: 'Why the service switched it off' })),
      blockedAt: Nullable(Time('Since when')),
      lastSuccessAt: Nullable(Time('Last successful callback')),
      consecutiveFailures: Type.Integer({ description: 'Events in a row that could not be delivered' }),
    }),
  }),
  testWebhook: operation({
    ...common,
    method: 'POST',
    path: `${base}/test`,
    summary: 'Send a test event',
    description: 'A `webhook_test` event, sent like any other. It never counts towards blocking.',
    idempotent: true,
    body: Empty,
    answer: Type.Object({ id: Id('The delivery') }),
  }),
  listDeliveries: operation({
    ...common,
    method: 'GET',
    path: `${base}/deliveries`,
    summary: 'List deliveries',
    description: 'Newest first; kept for 30 days.',
    query: Type.Object(
      {
        ...Paging,
        eventName: Type.Optional(Type.String({ maxLength: 64, pattern: '^[a-z_]+$', description: 'Only this event' })),
        state: Type.Optional(DeliveryState),
      },
      closed,
    ),
    answer: Page(Delivery),
  }),
  getDelivery: operation({
    ...common,
    method: 'GET',
    path: `${base}/deliveries/:deliveryId`,
    summary: 'Read a delivery',
    answer: DeliveryWithBody,
  }),
  redeliver: operation({
    ...common,
    method: 'POST',
    path: `${base}/deliveries/:deliveryId/redeliver`,
    summary: 'Send a delivery again',
    description: 'As a new delivery with the same body. Refused while the webhook is not active.',
    idempotent: true,
    body: Empty,
    answer: Type.Object({ id: Id('The new delivery') }),
  }),
}
