import type { FastifyBaseLogger } from 'fastify'
import type { Keys } from '../identity/keys.ts'
import type { Delivery } from '../store/deliveries.ts'
import type { Row } from '../store/tables.ts'
import { secretsInForce } from '../store/webhooks.ts'
import type { Poster, PostResult } from './post.ts'
import { callbackHeaders, callbackPayload } from './sign.ts'

export interface CallbackOptions {
  keys: Keys
  poster: Poster
  log: FastifyBaseLogger
  now: () => number
}

/** Signs and posts deliveries, to the address and with the secrets that the webhook has now. */
export const callbacksTo = (
  webhook: Row<'webhooks'>,
  { keys, poster, log, now }: CallbackOptions,
  cancelled: AbortSignal,
): ((delivery: Delivery) => Promise<PostResult>) => {
  const post = poster.to(webhook.url)
  const secrets = readSecrets(webhook, keys, log, now())
  return async ({ id, body }) => {
    const [secret] = secrets
    if (!secret)
      return {
        outcome: 'connection',
        status: null,
        reason: 'not_signed',
        durationMs: 0,
        detail: 'The request could not be signed.',
      }
    const payload = callbackPayload(body, secret)
    return post(callbackHeaders(id, payload, secrets, now()), payload, cancelled)
  }
}

/** None if they can't be decrypted, for example with another installation's key: that fails this webhook alone. */
const readSecrets = (webhook: Row<'webhooks'>, keys: Keys, log: FastifyBaseLogger, now: number): string[] => {
  try {
    return secretsInForce(keys, webhook, now)
  } catch (error) {
    log.error({ err: error, webhookId: webhook.id }, 'the secret of a webhook could not be decrypted')
    return []
  }
}
