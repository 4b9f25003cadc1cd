import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { verifyWebhook } from '../../../client/webhooks.ts'
import { callbackHeaders, callbackPayload, newSecret } from '../../../server/delivery/sign.ts'
import { DAY, HOUR, newToken } from '../../support/cast.ts'
import { type Lectern, startLectern } from '../../support/lectern.ts'
import { type Callback, type Receiver, startReceiver } from '../../support/receiver.ts'

const event = (fields: object = {}) =>
  JSON.stringify({ eventName: 'call_started', roomId: 'r', spaceId: 's', callId: 'c', ...fields })

describe('the signature in the payload', () => {
  test('is the hex HMAC of the body’s text, keyed with the secret as it is written', () => {
    // Computed with: printf '{"eventName":"call_started","roomId":"r","spaceId":"s"}' | openssl dgst -sha256 -hmac whsec_key
    const text = '{"eventName":"call_started","roomId":"r","spaceId":"s"}'
    expect(callbackPayload(text, 'whsec_key')).toBe(
      `{"body":${text},"signature":"580666b16a713ab0996c44d3e1127dde608bd554dcfb1e8b83a350e79bcedd72"}`,
    )
  })

  test('embeds the text byte for byte', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ unit: 'binary' })), fields => {
        const text = event(fields)
        const secret = newSecret()
        const payload = callbackPayload(text, secret)
        const parsed = JSON.parse(payload)
        expect(Object.keys(parsed)).toEqual(['body', 'signature'])
        expect(JSON.stringify(parsed.body)).toBe(text)
        expect(parsed.signature).toBe(createHmac('sha256', Buffer.from(secret)).update(Buffer.from(text)).digest('hex'))
        expect(verifyWebhook(payload, secret)).toEqual(parsed.body)
        expect(verifyWebhook(Buffer.from(payload), secret)).toEqual(parsed.body)
      }),
    )
  })

  test('has secrets of 256 random bits', () => {
    const secrets = Array.from({ length: 100 }, newSecret)
    expect(new Set(secrets).size).toBe(100)
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32)
    }
  })
})

describe('verifyWebhook', () => {
  const secret = newSecret()
  const payload = callbackPayload(event(), secret)
  const { signature } = JSON.parse(payload)

  test('takes the same callback with other spacing', () => {
    expect(verifyWebhook(JSON.stringify(JSON.parse(payload), null, 2), secret)).toEqual(JSON.parse(event()))
  })

  test.each([
    ['another secret', payload, newSecret()],
    ['no secret', payload, ''],
    ['a changed body', payload.replace('"r"', '"x"'), secret],
    ['a further field', payload.replace('"body":{', '"body":{"more":1,'), secret],
    [
      'a changed signature',
      payload.replace(
        signature,
        signature.replace(/.$/, (d: string) => (d === '0' ? '1' : '0')),
      ),
      secret,
    ],
    ['a short signature', payload.replace(signature, signature.slice(2)), secret],
    ['a longer signature', payload.replace(signature, `${signature}00`), secret],
    ['a signature with more behind', payload.replace(signature, `${signature}zz`), secret],
    ['an empty signature', payload.replace(signature, ''), secret],
    ['no signature', `{"body":${event()}}`, secret],
    ['a signature that is no text', `{"body":${event()},"signature":7}`, secret],
    ['a list', `[${payload}]`, secret],
    ['no object', `{"body":null,"signature":"${signature}"}`, secret],
    ['a text', '"x"', secret],
    ['null', 'null', secret],
    ['nothing', '', secret],
    ['no JSON', payload.slice(1), secret],
  ])('refuses %s', (_, raw, key) => {
    expect(verifyWebhook(raw, key)).toBeNull()
  })
})

describe('the Standard Webhooks headers', () => {
  test('are verified by their own library', () => {
    const secret = newSecret()
    const payload = callbackPayload(event({ name: 'Zoë 😀' }), secret)
    const headers = callbackHeaders('id', payload, [secret], Date.now())
    expect(new Webhook(secret).verify(payload, headers)).toEqual(JSON.parse(payload))
    expect(() => new Webhook(newSecret()).verify(payload, headers)).toThrow()
    expect(() => new Webhook(secret).verify(`${payload} `, headers)).toThrow()
    expect(() => new Webhook(secret).verify(payload, { ...headers, 'webhook-id': 'other' })).toThrow()
    const late = callbackHeaders('id', payload, [secret], Date.now() - HOUR)
    expect(() => new Webhook(secret).verify(payload, late)).toThrow()
  })

  let lectern: Lectern
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
    lectern = await startLectern({ LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })
  })
  afterAll(async () => {
    await lectern.stop()
    await receiver.close()
  })

  /** Which of the secrets the header is signed with; the library looks at the clock. */
  const signers = ({ raw, headers }: Callback, secrets: string[]) => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Number(headers['webhook-timestamp']) * 1000)
    const found = secrets.filter(secret => {
      try {
        return new Webhook(secret).verify(raw, headers)
      } catch {
        return false
      }
    })
    clock.mockRestore()
    return found
  }

  test('carry the old secret too for 24 hours, while the payload’s signature changes at once', async () => {
    let owner: Lectern['anonymous'] = await lectern.user('Owner')
    const again = async () => {
      const username = 'Owner'
      owner = lectern.withToken(await newToken(lectern, { username, password: 'Owner password' } as never))
    }
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    const { secret: first } = await owner.createWebhook({ spaceId, url: receiver.url })
    const sent = async () => {
      const before = receiver.callbacks.length
      await owner.testWebhook({ spaceId })
      await vi.waitFor(() => expect(receiver.callbacks).toHaveLength(before + 1), { timeout: 5000, interval: 10 })
      return receiver.callbacks[before] as Callback
    }
    const check = async (secrets: string[], all: string[]) => {
      const callback = await sent()
      expect(signers(callback, all)).toEqual(secrets)
      expect(callback.headers['webhook-signature']?.split(' ')).toHaveLength(secrets.length)
      expect(all.filter(secret => verifyWebhook(callback.raw, secret))).toEqual([secrets[0]])
      expect(callback.headers['content-type']).toBe('application/json')
      const time = Number(callback.headers['webhook-timestamp']) * 1000
      expect(Math.abs(time - Date.parse(callback.body.occurredAt))).toBeLessThan(5000)
    }
    await check([first], [first])
    const { secret: second } = await owner.refreshSecret({ spaceId })
    await check([second, first], [second, first])
    lectern.advance(DAY - HOUR / 60)
    await again()
    await check([second, first], [second, first])
    lectern.advance(HOUR / 60)
    await again()
    await check([second], [second, first])
    // Only one old secret is good at a time.
    const { secret: third } = await owner.refreshSecret({ spaceId })
    const { secret: fourth } = await owner.refreshSecret({ spaceId })
    await check([fourth, third], [fourth, third, second, first])
  })
})
