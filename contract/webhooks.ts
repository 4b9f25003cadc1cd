import Type, { type Static } from 'typebox'
import { closed, Empty, HttpUrl, Id, Nullable, OneOf, OpenEnum, Page, Paging, Time } from './common.ts'
import { defaultEvents, type EventName, events } from './events.ts'
import { operation } from './operation.ts'

const Url = HttpUrl('Endpoint that receives the events', 'https://school.example/lectern')
const Secret = Type.String({
  description: 'Key of the signatures. Returned only when the webhook is created or the secret is refreshed',
})
const IsActive = Type.Boolean({ description: 'false: no events are sent' })

const Webhook = Type.Object({ url: Type.String(), isActive: IsActive }, { title: 'Webhook' })
const WebhookWithSecret = Type.Object(
  { url: Type.String(), secret: Secret, isActive: IsActive },
  { title: 'WebhookWithSecret' },
)

const eventNames = Object.keys(events) as EventName[]
const description = Object.entries(events)
  .map(([name, { description }]) => `${name}: ${description}`)
  .join('. ')

const Events = Type.Object({ events: Type.Array(OpenEnum(eventNames, { description })) }, { title: 'WebhookEvents' })

const deliveryStates = ['pending', 'delivered', 'failed', 'cancelled'] as const
export type DeliveryState = (typeof deliveryStates)[number]

export const AttemptOutcome = OpenEnum(
  ['sending', 'success', 'status', 'timeout', 'connection', 'blocked_address', 'interrupted', 'cancelled'],
  {
    description:
      'success: 2xx. status: another status. timeout: no complete response within 10 s. connection: refused, reset or not ' +
      'found. blocked_address: not a public address. interrupted: the service stopped, the result is unknown. ' +
      'cancelled: the webhook was turned off or deleted',
  },
)
export type AttemptOutcome = Static<typeof AttemptOutcome>

const failureReasons = {
  status: 'the response was not 2xx',
  redirect: 'the response was a redirect, which is not followed',
  gone: 'the response was 410',
  timeout: 'no complete response within 10 s',
  address_not_allowed: 'the address is not public',
  name_not_found: 'the host name could not be resolved',
  connection_refused: 'the connection was refused',
  connection_closed: 'the connection was closed before a response',
  unreachable: 'the host could not be reached',
  tls: 'the secure connection failed, for example because of the certificate',
  connection_failed: 'the connection failed for another reason',
  url_unusable: 'the URL is not valid',
  not_signed: 'the request could not be signed',
  not_sent: 'the request could not be sent',
  interrupted: 'the service stopped, the result is unknown',
  cancelled: 'the webhook was turned off or deleted',
} as const
export type FailureReason = keyof typeof failureReasons

export const FailureReason = OpenEnum(Object.keys(failureReasons) as FailureReason[], {
  description: Object.entries(failureReasons)
    .map(([reason, text]) => `${reason}: ${text}`)
    .join('. '),
})

export const Attempt = Type.Object(
  {
    number: Type.Integer(),
    at: Time('When it was sent'),
    status: Nullable(Type.Integer({ description: 'HTTP status of the response' })),
    durationMs: Nullable(Type.Integer()),
    outcome: AttemptOutcome,
    reason: Nullable(FailureReason),
    detail: Nullable(Type.String({ description: 'Why it failed, or the start of the response' })),
  },
  { title: 'Attempt' },
)
export type Attempt = Static<typeof Attempt>

export const BlockedReason = OpenEnum(['gone', 'too_many_failures', 'failing_too_long'], {
  description:
    'Why the service turned it off. gone: the response was 410. too_many_failures: 100 events in a row could not be ' +
    'delivered. failing_too_long: nothing could be delivered for 5 days',
})
export type BlockedReason = Static<typeof BlockedReason>

const Delivery = Type.Object(
  {
    id: Id('Delivery. Also sent as the `webhook-id` header'),
    eventName: Type.String(),
    createdAt: Time('When the event occurred'),
    state: OpenEnum(deliveryStates, { description: 'What has become of it' }),
    attempts: Type.Array(Attempt),
    nextAttemptAt: Nullable(
      Time('When the next attempt is due; null while one is in progress and when there are none left'),
    ),
  },
  { title: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

const DeliveryWithBody = Type.Object(
  {
    ...Delivery.properties,
    body: Type.String({ description: 'JSON text of `body`, exactly as signed and sent' }),
  },
  { title: 'DeliveryWithBody' },
)

const base = '/v1/spaces/:spaceId/webhook'
const common = { tag: 'Webhook', tokens: ['user'], errors: ['plan_required'] } as const

export const webhooks = {
  createWebhook: operation({
    ...common,
    method: 'POST',
    path: base,
    scope: 'webhook:write',
    summary: 'Create the webhook',
    description: 'One per space. Requires the space owner and an active Team or Business plan.',
    idempotent: true,
    body: Type.Object({ url: Url }, closed),
    answer: WebhookWithSecret,
    errors: ['plan_required', 'address_not_allowed', 'webhook_exists'],
    audit: ['webhook.created'],
  }),
  updateWebhook: operation({
    ...common,
    method: 'PUT',
    path: base,
    scope: 'webhook:write',
    summary: 'Update the webhook',
    description:
      'Applies immediately, including to pending attempts. Turning the webhook off cancels all pending deliveries; ' +
      'turning it on lifts a block by the service.',
    body: Type.Object({ url: Url, isActive: Type.Boolean({ examples: [true] }) }, closed),
    answer: Webhook,
    errors: ['plan_required', 'address_not_allowed'],
    audit: ['webhook.updated'],
  }),
  getWebhook: operation({
    ...common,
    scope: 'webhook:read',
    method: 'GET',
    path: base,
    summary: 'Retrieve the webhook',
    answer: Webhook,
  }),
  deleteWebhook: operation({
    ...common,
    method: 'DELETE',
    path: base,
    scope: 'webhook:write',
    summary: 'Delete the webhook',
    description: 'Pending deliveries are cancelled.',
    answer: Empty,
    audit: ['webhook.deleted'],
  }),
  refreshSecret: operation({
    ...common,
    method: 'PUT',
    path: `${base}/refresh-secret`,
    scope: 'webhook:write',
    summary: 'Refresh the secret',
    description:
      '`signature` uses the new secret immediately. For 24 hours, the `webhook-signature` header is signed with the old one too.',
    body: Empty,
    answer: WebhookWithSecret,
    audit: ['webhook.secret_refreshed'],
  }),
  getWebhookEvents: operation({
    ...common,
    method: 'GET',
    path: `${base}/events`,
    scope: 'webhook:read',
    summary: 'Retrieve the subscribed events',
    answer: Events,
  }),
  setWebhookEvents: operation({
    ...common,
    method: 'PUT',
    path: `${base}/events`,
    scope: 'webhook:write',
    summary: 'Set the subscribed events',
    body: Type.Object(
      {
        events: Type.Array(OneOf(eventNames, { description }), {
          maxItems: 50,
          uniqueItems: true,
          examples: [defaultEvents],
        }),
      },
      closed,
    ),
    answer: Events,
    audit: ['webhook.updated'],
  }),
  getWebhookHealth: operation({
    ...common,
    method: 'GET',
    path: `${base}/health`,
    scope: 'webhook:read',
    summary: 'Retrieve webhook health',
    answer: Type.Object(
      {
        isActive: IsActive,
        updatedAt: Time(
          'When the webhook was created or last changed: its URL, events or secret, or by being turned on or off',
        ),
        blockedReason: Nullable(BlockedReason),
        blockedAt: Nullable(Time('When the service turned it off')),
        lastSuccessAt: Nullable(Time('Last successful delivery')),
        consecutiveFailures: Type.Integer({ description: 'Events in a row that could not be delivered' }),
        failingSince: Nullable(Time('Since when deliveries have been failing; null if the last one succeeded')),
        retrying: Nullable(
          Delivery,
          'A delivery that failed and is being retried, the one with the most attempts; null if there is none',
        ),
      },
      { title: 'WebhookHealth' },
    ),
  }),
  testWebhook: operation({
    ...common,
    method: 'POST',
    path: `${base}/test`,
    scope: 'webhook:write',
    summary: 'Send a test event',
    description: 'Sends a `webhook_test` event. Failures don’t count towards blocking.',
    idempotent: true,
    body: Empty,
    answer: Type.Object({ id: Id('The delivery') }),
    errors: ['plan_required', 'webhook_inactive'],
  }),
  listDeliveries: operation({
    ...common,
    method: 'GET',
    path: `${base}/deliveries`,
    scope: 'webhook:read',
    summary: 'List deliveries',
    description: 'Newest first.',
    query: Type.Object(
      {
        ...Paging,
        eventName: Type.Optional(
          Type.String({
            maxLength: 64,
            pattern: '^[a-z_]+$',
            'x-allowed': 'a to z and _',
            description: 'Return only this event',
          }),
        ),
        state: Type.Optional(OneOf(deliveryStates, { description: 'Return only those in this state' })),
      },
      closed,
    ),
    answer: Page(Delivery),
  }),
  getDelivery: operation({
    ...common,
    method: 'GET',
    path: `${base}/deliveries/:deliveryId`,
    scope: 'webhook:read',
    summary: 'Retrieve a delivery',
    answer: DeliveryWithBody,
  }),
  redeliver: operation({
    ...common,
    method: 'POST',
    path: `${base}/deliveries/:deliveryId/redeliver`,
    scope: 'webhook:write',
    summary: 'Resend a delivery',
    description: 'Creates a new delivery with the same body. Fails while the webhook is not active.',
    idempotent: true,
    body: Empty,
    answer: Type.Object({ id: Id('The new delivery') }),
    errors: ['plan_required', 'webhook_inactive'],
  }),
}
