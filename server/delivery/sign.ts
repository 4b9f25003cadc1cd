import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** The form Standard Webhooks libraries take; for the body's own signature the whole string is the key. */
export const newSecret = () => PREFIX + randomBytes(32).toString('base64')

const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text).digest(encoding)

/** interface.md §2: `body` goes in byte for byte as it was recorded, and that text is what is signed. */
export const callbackPayload = (body: string, secret: string) =>
  `{"body":${body},"signature":"${hmac(secret, body, 'hex')}"}`

/** Standard Webhooks headers; the signature once for each secret in force, newest first. */
export const callbackHeaders = (id: string, payload: string, secrets: string[], nowMs: number) => {
  const timestamp = String(Math.floor(nowMs / 1000))
  const signed = `${id}.${timestamp}.${payload}`
  const keys = secrets.map(secret => Buffer.from(secret.slice(PREFIX.length), 'base64'))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map(key => `v1,${hmac(key, signed, 'base64')}`).join(' '),
  }
}
