import { createHmac, timingSafeEqual } from 'node:crypto'

/** The body of a callback. Further fields depend on the event. */
export interface CallbackBody {
  eventName: string
  roomId: string
  spaceId: string
  [field: string]: unknown
}

/**
 * The body of a genuine callback, else null: then reject it. `rawBody` is the request's body exactly as it arrived,
 * `secret` what createWebhook or refreshSecret answered.
 */
export const verifyWebhook = (rawBody: string | Uint8Array, secret: string): CallbackBody | null => {
  try {
    const text = typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString()
    const { body, signature } = JSON.parse(text) as { body: CallbackBody; signature: string }
    if (typeof body !== 'object' || body === null || typeof signature !== 'string') return null
    // As text: a decoder would pass over what follows the last digit.
    const expected = Buffer.from(createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex'))
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected) ? body : null
  } catch {
    return null
  }
}
