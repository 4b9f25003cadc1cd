import Type from 'typebox'
import type { createComponents } from './components.ts'
import { events, testEvent } from './events.ts'

export const EVENTS_TAG = 'Webhook events'

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description,
})

/** Standard Webhooks. */
const parameters = [
  header('webhook-id', 'ID of the delivery, the same on all attempts'),
  header('webhook-timestamp', 'When the attempt was sent, in seconds since 1970'),
  header('webhook-signature', 'Signatures as Standard Webhooks has them: `v1,` and base64, separated by spaces'),
]

const Signature = Type.String({
  description: 'Hex-encoded HMAC-SHA256 of the JSON text of `body`, keyed with the secret of the webhook',
})

/** The requests that a webhook receives, one for each event. */
export const describeEvents = (components: ReturnType<typeof createComponents>) =>
  Object.fromEntries(
    [...Object.values(events), testEvent].map(body => {
      const request = Type.Object({ body, signature: Signature }, { title: `${body.title}Callback` })
      const described = {
        operationId: `on${body.title}`,
        tags: [EVENTS_TAG],
        summary: body.properties.eventName.const,
        description: `${body.description}.`,
        parameters,
        requestBody: { required: true, content: { 'application/json': { schema: components.answer(request, '') } } },
        responses: {
          '2XX': {
            description: 'Received. Any other answer, or none within 10 seconds, is followed by another attempt',
          },
          410: { description: 'Turns the webhook off' },
        },
        security: [],
      }
      return [body.properties.eventName.const, { post: described }]
    }),
  )
