import { Buffer } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookEvent } from './types.ts'

export type { WebhookEvent }

/**
 * Returns the body of a genuine request, or null: then reject it. `rawBody` is the request body exactly as received,
 * `secret` is what createWebhook or refreshSecret returned.
 */
export const verifyWebhook = (rawBody: string | Uint8Array, secret: string): WebhookEvent | null => {
  try {
    const text = typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString()
    const { body, signature } = JSON.parse(text) as { body: WebhookEvent; signature: string }
    if (typeof body !== 'object' || body === null || typeof signature !== 'string') return null
    // As text: a decoder would ignore what follows the last digit.
    const expected = Buffer.from(createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex'))
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected) ? body : null
  } catch {
    return null
  }
}
