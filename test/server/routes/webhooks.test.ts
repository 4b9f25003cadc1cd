import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { loadKeys } from '../../../server/identity/keys.ts'
import { type Cast, createCast, DAY, newClientToken, newToken, refusals } from '../../support/cast.ts'
import { type LecternWithEvents, withEvents } from '../../support/events.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'
import { type Receiver, startReceiver, status } from '../../support/receiver.ts'

let lectern: LecternWithEvents
let receiver: Receiver
let cast: Cast
let owner: Person

beforeAll(async () => {
  receiver = await startReceiver()
  lectern = withEvents(await startLectern({ LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1', LECTERN_WEBHOOK_SCHEDULE: '0,1,1' }))
  cast = await createCast(lectern)
  owner = cast.owner
})
afterAll(async () => {
  await lectern.stop()
  await receiver.close()
})

const url = 'https://school.example/lectern?from=x#part'
const secretForm = /^whsec_[A-Za-z0-9+/]{43}=$/

const newSpace = async () => (await owner.createSpaces({ name: 'Space' })).id

/** A space with a webhook, at a path of its own. */
const withWebhook = async () => {
  const spaceId = await newSpace()
  const path = `/${spaceId}`
  const { secret } = await owner.createWebhook({ spaceId, url: receiver.url + path })
  return { spaceId, path, url: receiver.url + path, secret }
}

/** Exactly as sent, and as answered. */
const ask = async (method: string, spaceId: string, path = '', body?: unknown, token = owner.token) => {
  const answer = await lectern.request(method, `/v1/spaces/${spaceId}/webhook${path}`, { token, body })
  return [answer.status, answer.body]
}

const untilState = (spaceId: string, deliveryId: string, state = 'delivered') =>
  vi.waitFor(
    async () => {
      const delivery = await owner.getDelivery({ spaceId, deliveryId })
      expect(delivery.state).toBe(state)
      return delivery
    },
    { timeout: 10_000, interval: 20 },
  )

/** The calls that need an owner with a plan, all of them. */
const everything = (person: Lectern['anonymous'], spaceId: string, deliveryId = spaceId) => ({
  create: person.createWebhook({ spaceId, url }),
  update: person.updateWebhook({ spaceId, url, isActive: true }),
  get: person.getWebhook({ spaceId }),
  delete: person.deleteWebhook({ spaceId }),
  refresh: person.refreshSecret({ spaceId }),
  events: person.getWebhookEvents({ spaceId }),
  setEvents: person.setWebhookEvents({ spaceId, events: [] }),
  health: person.getWebhookHealth({ spaceId }),
  test: person.testWebhook({ spaceId }),
  deliveries: person.listDeliveries({ spaceId }),
  delivery: person.getDelivery({ spaceId, deliveryId }),
  redeliver: person.redeliver({ spaceId, deliveryId }),
})

describe('the operations of the interface', () => {
  test('answer exactly the fields they have', async () => {
    const spaceId = await newSpace()
    expect(await ask('GET', spaceId)).toEqual([404, expect.objectContaining({ code: 'not_found' })])
    const [created, webhook] = await ask('POST', spaceId, '', { url })
    expect([created, webhook]).toEqual([200, { url, secret: expect.stringMatching(secretForm), isActive: true }])
    expect(await ask('GET', spaceId)).toEqual([200, { url, isActive: true }])
    const other = 'http://other.example:8080/'
    expect(await ask('PUT', spaceId, '', { url: other, isActive: false })).toEqual([
      200,
      { url: other, isActive: false },
    ])
    expect(await ask('GET', spaceId)).toEqual([200, { url: other, isActive: false }])
    const [refreshed, fresh] = await ask('PUT', spaceId, '/refresh-secret')
    expect([refreshed, fresh]).toEqual([
      200,
      { url: other, secret: expect.stringMatching(secretForm), isActive: false },
    ])
    expect(fresh.secret).not.toBe(webhook.secret)
    expect(await ask('DELETE', spaceId)).toEqual([200, {}])
    for (const [method, path, body] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PUT', '', { url, isActive: true }],
      ['PUT', '/refresh-secret'],
      ['GET', '/events'],
      ['PUT', '/events', { events: [] }],
      ['GET', '/health'],
      ['POST', '/test'],
    ] as const)
      expect(await ask(method, spaceId, path, body)).toEqual([404, expect.objectContaining({ code: 'not_found' })])
  })

  test('keep the webhook when a second one is created', async () => {
    const { spaceId, url: first } = await withWebhook()
    expect(await refusal(owner.createWebhook({ spaceId, url }))).toEqual([409, 'webhook_exists'])
    expect(await owner.getWebhook({ spaceId })).toEqual({ url: first, isActive: true })
    // At the same time too.
    const another = await newSpace()
    const answers = await Promise.allSettled(
      Array.from({ length: 10 }, () => owner.createWebhook({ spaceId: another, url })),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('take JSON as text/plain and empty bodies of any kind', async () => {
    const spaceId = await newSpace()
    const send = (method: string, path: string, raw: string, type = 'text/plain') =>
      lectern.request(method, `/v1/spaces/${spaceId}/webhook${path}`, {
        token: owner.token,
        raw,
        headers: { 'content-type': type },
      })
    expect((await send('POST', '', JSON.stringify({ url }))).status).toBe(200)
    expect((await send('PUT', '', JSON.stringify({ url, isActive: true }), 'text/plain; charset=utf-8')).body).toEqual({
      url,
      isActive: true,
    })
    for (const type of ['text/plain', 'application/json']) {
      expect((await send('PUT', '/refresh-secret', '', type)).status).toBe(200)
      expect((await send('DELETE', '', '', type)).status).toBe(200)
      expect((await send('POST', '', JSON.stringify({ url }), type)).status).toBe(200)
    }
  })

  test.each([
    ['POST', {}],
    ['POST', { url: 'school.example' }],
    ['POST', { url: 'ftp://school.example' }],
    ['POST', { url: 'javascript:alert(1)' }],
    ['POST', { url: 'https://' }],
    // Each would be half a letter.
    ['POST', { url: 'https://%C3:%A9@school.example' }],
    ['POST', { url: `https://school.example/${'x'.repeat(2048)}` }],
    ['POST', { url: 7 }],
    ['POST', { url, isActive: true }],
    ['POST', { url, secret: 'mine' }],
    ['PUT', {}],
    ['PUT', { url }],
    ['PUT', { isActive: true }],
    ['PUT', { url, isActive: 'true' }],
    ['PUT', { url, isActive: 1 }],
    ['PUT', { url, isActive: true, events: [] }],
  ])('%s refuses %j and changes nothing', async (method, body) => {
    const spaceId = await newSpace()
    if (method === 'PUT') await owner.createWebhook({ spaceId, url: 'https://first.example/' })
    expect(await ask(method, spaceId, '', body)).toEqual([400, expect.objectContaining({ code: 'invalid_request' })])
    const found = await owner.getWebhook({ spaceId }).catch(() => null)
    expect(found).toEqual(method === 'PUT' ? { url: 'https://first.example/', isActive: true } : null)
  })

  test('show the secret on create and refresh, and nowhere else', async () => {
    const { spaceId, secret } = await withWebhook()
    const { secret: fresh } = await owner.refreshSecret({ spaceId })
    const { id } = await owner.testWebhook({ spaceId })
    await untilState(spaceId, id)
    const answers = await Promise.all([
      ask('GET', spaceId),
      ask('PUT', spaceId, '', { url, isActive: true }),
      ask('GET', spaceId, '/events'),
      ask('GET', spaceId, '/health'),
      ask('GET', spaceId, '/deliveries'),
      ask('GET', spaceId, `/deliveries/${id}`),
    ])
    for (const shown of [secret, fresh]) expect(JSON.stringify(answers)).not.toContain(shown.slice(6, -1))
  })

  test('answer a repeated creation with an Idempotency-Key the same', async () => {
    const spaceId = await newSpace()
    const first = await owner.createWebhook({ spaceId, url }, { idempotencyKey: 'one' })
    expect(await owner.createWebhook({ spaceId, url }, { idempotencyKey: 'one' })).toEqual(first)
    await owner.updateWebhook({ spaceId, url: receiver.url, isActive: true })
    const { id } = await owner.testWebhook({ spaceId }, { idempotencyKey: 'two' })
    expect((await owner.testWebhook({ spaceId }, { idempotencyKey: 'two' })).id).toBe(id)
    expect((await owner.listDeliveries({ spaceId })).items).toHaveLength(1)
  })
})

describe('who may', () => {
  test('is the owner alone, with a user token', async () => {
    const { spaceId } = cast
    await owner.createWebhook({ spaceId, url: receiver.url })
    for (const person of [cast.moderator, cast.member])
      for (const [name, ...answer] of await refusals(everything(person, spaceId)))
        expect([name, ...answer]).toEqual([name, 403, 'not_allowed'])
    for (const [name, ...answer] of await refusals(everything(cast.stranger, spaceId)))
      expect([name, ...answer]).toEqual([name, 404, 'not_found'])
    for (const [name, ...answer] of await refusals(everything(lectern.operator, spaceId)))
      expect([name, ...answer]).toEqual([name, 404, 'not_found'])
    for (const [name, ...answer] of await refusals(everything(lectern.anonymous, spaceId)))
      expect([name, ...answer]).toEqual([name, 401, 'token_required'])
    const { token } = await newClientToken(lectern, owner)
    for (const [name, ...answer] of await refusals(everything(lectern.withToken(token), spaceId)))
      expect([name, ...answer]).toEqual([name, 403, 'user_token_required'])
    expect(await owner.getWebhook({ spaceId })).toEqual({ url: receiver.url, isActive: true })
  })

  test('is decided before the plan, and the plan before the body', async () => {
    const people = await createCast(lectern)
    const { spaceId } = people
    await people.owner.createWebhook({ spaceId, url })
    const { token } = await newClientToken(lectern, people.owner)
    for (const plan of [
      { plan: 'free' },
      { plan: 'team', activeUntil: new Date(lectern.now() - 1000).toISOString() },
    ] as const) {
      await lectern.operator.setSpacePlan({ spaceId, ...plan })
      for (const [name, ...answer] of await refusals(everything(people.owner, spaceId)))
        expect([name, ...answer]).toEqual([name, 403, 'plan_required'])
      expect(await refusal(people.moderator.getWebhook({ spaceId }))).toEqual([403, 'not_allowed'])
      expect(await refusal(people.stranger.getWebhook({ spaceId }))).toEqual([404, 'not_found'])
      expect(await refusal(lectern.withToken(token).getWebhook({ spaceId }))).toEqual([403, 'user_token_required'])
      expect((await ask('POST', spaceId, '', { url: 7 }, people.owner.token))[1].code).toBe('plan_required')
      expect((await ask('PUT', spaceId, '', {}, people.moderator.token))[1].code).toBe('not_allowed')
    }
    await lectern.operator.setSpacePlan({
      spaceId,
      plan: 'business',
      activeUntil: new Date(lectern.now() + DAY).toISOString(),
    })
    expect(await people.owner.getWebhook({ spaceId })).toEqual({ url, isActive: true })
  })

  test('follows the plan as time passes', async () => {
    const own = await startLectern({ LECTERN_DEFAULT_PLAN: 'free' })
    const person = await own.user()
    const { id: spaceId } = await person.createSpaces({ name: 'Space' })
    expect(await refusal(person.createWebhook({ spaceId, url }))).toEqual([403, 'plan_required'])
    await own.operator.setSpacePlan({ spaceId, plan: 'team', activeUntil: new Date(Date.now() + DAY).toISOString() })
    await person.createWebhook({ spaceId, url })
    own.advance(DAY)
    const later = own.withToken(await newToken(own, person))
    expect(await refusal(later.getWebhook({ spaceId }))).toEqual([403, 'plan_required'])
  })
})

describe('addresses', () => {
  const forbidden = [
    '127.0.0.1',
    '127.1',
    '0x7f000001',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '１２７.0.0.1',
    '127。0。0。1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '0.0.0.0',
    '0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '[fd00::1]',
    '[fe80::1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '255.255.255.255',
    '224.0.0.1',
    'localhost',
    'LOCALHOST.',
    'x.localhost',
    'ｌocalhost',
    '%6cocalhost',
  ]

  test('that are not public are refused in every spelling', async () => {
    const own = await startLectern()
    const person = await own.user()
    const { id: spaceId } = await person.createSpaces({ name: 'Space' })
    for (const host of forbidden)
      for (const address of [`http://${host}/`, `https://user:pass@${host}:8443/path`])
        expect([address, ...(await refusal(person.createWebhook({ spaceId, url: address })))]).toEqual([
          address,
          400,
          'address_not_allowed',
        ])
    await person.createWebhook({ spaceId, url: 'https://93.184.215.14/' })
    for (const host of forbidden)
      expect(await refusal(person.updateWebhook({ spaceId, url: `http://${host}`, isActive: true }))).toEqual([
        400,
        'address_not_allowed',
      ])
    const answer = await own.request('PUT', `/v1/spaces/${spaceId}/webhook`, {
      token: person.token,
      body: { url: 'http://localhost', isActive: true },
    })
    expect(answer.body.errors).toEqual([
      { path: '/url', code: 'address_not_allowed', params: {}, message: expect.any(String) },
    ])
    expect(await person.getWebhook({ spaceId })).toEqual({ url: 'https://93.184.215.14/', isActive: true })
    // Names are looked up when a callback is sent, and not before.
    for (const name of ['https://internal.example', 'https://localhost.example', 'https://[2606:4700::1111]:444/'])
      expect((await person.updateWebhook({ spaceId, url: name, isActive: true })).url).toBe(name)
  })

  test('are taken where the operator allows it', async () => {
    const spaceId = await newSpace()
    expect((await owner.createWebhook({ spaceId, url: 'http://127.0.0.1:1/' })).url).toBe('http://127.0.0.1:1/')
  })
})

describe('events', () => {
  test('are start and end of a call, unless the owner chooses', async () => {
    const { spaceId, path } = await withWebhook()
    expect(await ask('GET', spaceId, '/events')).toEqual([200, { events: ['call_started', 'call_finished'] }])
    const events = ['participant_joined', 'call_finished'] as const
    expect(await ask('PUT', spaceId, '/events', { events })).toEqual([200, { events }])
    expect(await owner.getWebhookEvents({ spaceId })).toEqual({ events })
    for (const eventName of ['call_started', 'call_finished', 'participant_joined', 'participant_left'] as const)
      await lectern.record(spaceId, { eventName })
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(2), { timeout: 5000 })
    expect(new Set(receiver.at(path).map(({ body }) => body.eventName))).toEqual(new Set(events))
    expect(await owner.setWebhookEvents({ spaceId, events: [] })).toEqual({ events: [] })
    await lectern.record(spaceId)
    expect((await owner.listDeliveries({ spaceId })).items).toHaveLength(2)
    for (const body of [
      {},
      { events: 'call_started' },
      { events: ['call_started', 'call_started'] },
      { events: ['webhook_test'] },
      { events: ['unknown'] },
      { events: [], more: 1 },
    ])
      expect((await ask('PUT', spaceId, '/events', body))[0]).toBe(400)
  })
})

describe('health', () => {
  test('tells of successes, failures and blocks', async () => {
    const { spaceId, path } = await withWebhook()
    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    const fresh = {
      isActive: true,
      updatedAt: time,
      blockedReason: null,
      blockedAt: null,
      lastSuccessAt: null,
      consecutiveFailures: 0,
      failingSince: null,
      retrying: null,
    }
    expect(await ask('GET', spaceId, '/health')).toEqual([200, fresh])
    await lectern.record(spaceId)
    const success = await vi.waitFor(async () => {
      const { lastSuccessAt, ...rest } = await owner.getWebhookHealth({ spaceId })
      expect(rest).toEqual({ ...fresh, lastSuccessAt: undefined })
      expect(lastSuccessAt).toEqual(time)
      return lastSuccessAt
    })
    receiver.on(path, status(500))
    await lectern.record(spaceId)
    await vi.waitFor(
      async () =>
        expect(await owner.getWebhookHealth({ spaceId })).toEqual({
          ...fresh,
          lastSuccessAt: success,
          consecutiveFailures: 1,
          failingSince: time,
        }),
      { timeout: 5000 },
    )
    receiver.on(path, status(410))
    await lectern.record(spaceId)
    await vi.waitFor(
      async () =>
        expect(await owner.getWebhookHealth({ spaceId })).toEqual({
          isActive: false,
          updatedAt: time,
          blockedReason: 'gone',
          blockedAt: time,
          lastSuccessAt: success,
          consecutiveFailures: 2,
          failingSince: time,
          retrying: null,
        }),
      { timeout: 5000 },
    )
    expect((await owner.getWebhook({ spaceId })).isActive).toBe(false)
    expect(await owner.updateWebhook({ spaceId, url, isActive: true })).toEqual({ url, isActive: true })
    expect(await owner.getWebhookHealth({ spaceId })).toEqual({ ...fresh, lastSuccessAt: success })

    // Also when it was last changed, and not when nothing was.
    const updatedAt = async () => Date.parse((await owner.getWebhookHealth({ spaceId })).updatedAt)
    let last = await updatedAt()
    for (const [change, isChange] of [
      [() => owner.updateWebhook({ spaceId, url, isActive: true }), false],
      [() => owner.setWebhookEvents({ spaceId, events: ['call_started'] }), true],
      [() => owner.setWebhookEvents({ spaceId, events: ['call_started'] }), false],
      [() => owner.refreshSecret({ spaceId }), true],
      [() => owner.updateWebhook({ spaceId, url, isActive: false }), true],
    ] as const) {
      lectern.advance(5000)
      await change()
      const now = await updatedAt()
      expect(now - last >= 5000).toBe(isChange)
      last = now
    }
  })
})

test('what an earlier version recorded in words is told by codes', async () => {
  const { spaceId, path } = await withWebhook()
  receiver.on(path, status(410))
  const { id } = await owner.testWebhook({ spaceId })
  await untilState(spaceId, id, 'failed')
  const recorded = { number: 1, at: '2026-01-31T09:30:00.000Z', durationMs: 1, detail: 'In words.' }
  for (const [outcome, answered, reason] of [
    ['success', 200, null],
    ['status', 500, 'status'],
    ['status', 302, 'redirect'],
    ['status', 410, 'gone'],
    ['timeout', null, 'timeout'],
    ['connection', null, 'connection_failed'],
    ['blocked_address', null, 'address_not_allowed'],
    ['interrupted', null, 'interrupted'],
    ['cancelled', null, 'cancelled'],
  ] as const) {
    const attempts = JSON.stringify([{ ...recorded, outcome, status: answered }])
    await lectern.db.updateTable('deliveries').set({ attempts }).where('id', '=', id).execute()
    expect((await owner.getDelivery({ spaceId, deliveryId: id })).attempts).toMatchObject([{ outcome, reason }])
  }
  for (const [words, reason] of [
    ['The receiver answered 410 Gone.', 'gone'],
    ['100 events in a row could not be delivered.', 'too_many_failures'],
    ['Nothing could be delivered for 5 days.', 'failing_too_long'],
  ]) {
    await lectern.db.updateTable('webhooks').set({ blockedReason: words }).where('spaceId', '=', spaceId).execute()
    expect((await owner.getWebhookHealth({ spaceId })).blockedReason).toBe(reason)
  }
})

describe('deliveries', () => {
  test('are records with exactly their fields', async () => {
    const { spaceId, path } = await withWebhook()
    const [answered, { id, ...more }] = await ask('POST', spaceId, '/test')
    expect([answered, more]).toEqual([200, {}])
    await untilState(spaceId, id)
    expect(await ask('GET', spaceId, `/deliveries/${id}`)).toEqual([
      200,
      {
        id,
        eventName: 'webhook_test',
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        state: 'delivered',
        attempts: [
          {
            number: 1,
            at: expect.stringMatching(/^\d{4}-.*Z$/),
            status: 200,
            durationMs: expect.any(Number),
            outcome: 'success',
            reason: null,
            detail: 'ok',
          },
        ],
        nextAttemptAt: null,
        body: expect.any(String),
      },
    ])
    const [callback, ...rest] = receiver.at(path)
    expect(rest).toEqual([])
    expect(callback?.id).toBe(id)
    const { body, ...record } = await owner.getDelivery({ spaceId, deliveryId: id })
    expect(callback?.raw).toBe(`{"body":${body},"signature":"${callback?.signature}"}`)
    expect((await owner.listDeliveries({ spaceId })).items).toEqual([record])
    expect(callback?.body).toEqual({ eventName: 'webhook_test', roomId: '', spaceId, occurredAt: expect.any(String) })
  })

  test('are listed newest first, by event and by state, page by page', async () => {
    const { spaceId, path } = await withWebhook()
    for (let i = 0; i < 3; i++) {
      await lectern.record(spaceId, { eventName: 'call_started', callId: String(i) })
      await lectern.record(spaceId, { eventName: 'call_finished', callId: String(i) })
    }
    await vi.waitFor(
      async () => expect((await owner.listDeliveries({ spaceId, state: 'delivered' })).items).toHaveLength(6),
      { timeout: 5000 },
    )
    receiver.on(path, status(500))
    await owner.testWebhook({ spaceId })
    await vi.waitFor(
      async () => expect((await owner.listDeliveries({ spaceId, state: 'failed' })).items).toHaveLength(1),
      { timeout: 5000 },
    )
    const names = async (query: object) =>
      (await owner.listDeliveries({ spaceId, ...query })).items.map(({ eventName }) => eventName)
    const pair = ['call_finished', 'call_started']
    expect(await names({})).toEqual(['webhook_test', ...pair, ...pair, ...pair])
    expect(await names({ eventName: 'call_started' })).toEqual(['call_started', 'call_started', 'call_started'])
    expect(await names({ state: 'failed' })).toEqual(['webhook_test'])
    expect(await names({ state: 'delivered', eventName: 'webhook_test' })).toEqual([])
    expect(await names({ state: 'pending' })).toEqual([])
    expect(await names({ eventName: 'unknown' })).toEqual([])
    for (const limit of [1, 2, 3, 6, 7]) {
      const found: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await owner.listDeliveries({ spaceId, limit, ...(cursor && { cursor }) })
        expect(page.items.length).toBeLessThanOrEqual(limit)
        found.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      }
      expect(found).toEqual((await owner.listDeliveries({ spaceId })).items.map(({ id }) => id))
    }
    for (const query of ['?state=lost', '?limit=0', '?limit=201', '?eventName=', '?cursor=x', '?other=1'])
      expect([query, (await ask('GET', spaceId, `/deliveries${query}`))[0]]).toEqual([query, 400])
  })

  test('say when the next attempt is due, unless one is under way', async () => {
    const { spaceId, path } = await withWebhook()
    let answer = () => {}
    receiver.on(path, (_, response) => {
      answer = () => response.writeHead(500).end()
    })
    const { id: deliveryId } = await owner.testWebhook({ spaceId })
    const read = async () => {
      const { attempts, nextAttemptAt } = await owner.getDelivery({ spaceId, deliveryId })
      return { outcomes: attempts.map(({ outcome }) => outcome), nextAttemptAt }
    }
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(1), { timeout: 5000 })
    expect(await read()).toEqual({ outcomes: ['sending'], nextAttemptAt: null })
    const before = lectern.now()
    answer()
    await vi.waitFor(async () => expect((await read()).outcomes).toEqual(['status']), { timeout: 5000, interval: 10 })
    const { nextAttemptAt } = await read()
    expect(Date.parse(nextAttemptAt ?? '') - before).toBeGreaterThan(500)
    await owner.deleteWebhook({ spaceId })
    expect(await read()).toEqual({ outcomes: ['status'], nextAttemptAt: null })
  })

  test('of another space are not found, nor what is no id', async () => {
    const mine = await withWebhook()
    const { id } = await owner.testWebhook({ spaceId: mine.spaceId })
    const { spaceId } = await withWebhook()
    for (const deliveryId of [id, spaceId, 'x', '%00', `${id}x`]) {
      expect((await ask('GET', spaceId, `/deliveries/${deliveryId}`))[0]).toBe(404)
      expect((await ask('POST', spaceId, `/deliveries/${deliveryId}/redeliver`))[0]).toBe(404)
    }
    expect((await owner.listDeliveries({ spaceId })).items).toEqual([])
  })

  test('stay readable when the webhook is deleted', async () => {
    const { spaceId, path } = await withWebhook()
    const { id } = await owner.testWebhook({ spaceId })
    await untilState(spaceId, id)
    await owner.deleteWebhook({ spaceId })
    expect((await owner.listDeliveries({ spaceId })).items.map(delivery => delivery.id)).toEqual([id])
    expect((await owner.getDelivery({ spaceId, deliveryId: id })).state).toBe('delivered')
    expect(await refusal(owner.redeliver({ spaceId, deliveryId: id }))).toEqual([404, 'not_found'])
    expect(receiver.at(path)).toHaveLength(1)
  })
})

describe('by hand', () => {
  test('a delivery is sent again as a new one, with the same body and the secret of now', async () => {
    const { spaceId, path } = await withWebhook()
    await lectern.record(spaceId)
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(1))
    const [first] = receiver.at(path)
    await owner.refreshSecret({ spaceId })
    const [answered, { id, ...more }] = await ask('POST', spaceId, `/deliveries/${first?.id}/redeliver`, {})
    expect([answered, more]).toEqual([200, {}])
    expect(id).not.toBe(first?.id)
    const { eventName } = await untilState(spaceId, id)
    expect(eventName).toBe('call_started')
    const [, second] = receiver.at(path)
    expect(second?.id).toBe(id)
    expect(second?.body).toEqual(first?.body)
    expect(second?.signature).not.toBe(first?.signature)
    expect((await owner.listDeliveries({ spaceId })).items).toHaveLength(2)
  })

  test('nothing is sent while the webhook is not active', async () => {
    const { spaceId, path, url: own } = await withWebhook()
    const { id } = await owner.testWebhook({ spaceId })
    await untilState(spaceId, id)
    await owner.updateWebhook({ spaceId, url: own, isActive: false })
    expect(await refusal(owner.testWebhook({ spaceId }))).toEqual([409, 'webhook_inactive'])
    expect(await refusal(owner.redeliver({ spaceId, deliveryId: id }))).toEqual([409, 'webhook_inactive'])
    expect((await owner.listDeliveries({ spaceId })).items).toHaveLength(1)
    await owner.updateWebhook({ spaceId, url: own, isActive: true })
    await untilState(spaceId, (await owner.redeliver({ spaceId, deliveryId: id })).id)
    expect(receiver.at(path)).toHaveLength(2)
  })
})

describe('at the same time', () => {
  test('refreshes follow one another: the old secret is the one handed out before', async () => {
    const keys = loadKeys(lectern.config)
    for (let round = 0; round < 10; round++) {
      const { spaceId } = await withWebhook()
      const answers = await Promise.all(Array.from({ length: 8 }, () => owner.refreshSecret({ spaceId })))
      const secrets = answers.map(({ secret }) => secret)
      const { id, secret, oldSecret } = await lectern.db
        .selectFrom('webhooks')
        .selectAll()
        .where('spaceId', '=', spaceId)
        .executeTakeFirstOrThrow()
      expect(secrets).toContain(keys.unseal(secret, id))
      expect(secrets).toContain(keys.unseal(oldSecret ?? '', id))
    }
  })

  test('switching, sending and deleting never stand in each other’s way', async () => {
    const { spaceId, url: own } = await withWebhook()
    const answers: number[] = []
    const note = (promise: Promise<unknown>) =>
      promise.then(
        () => answers.push(200),
        (error: { status: number }) => answers.push(error.status),
      )
    await Promise.all(
      Array.from({ length: 15 }, async (_, i) => {
        await note(owner.testWebhook({ spaceId }))
        await note(lectern.record(spaceId))
        await note(owner.updateWebhook({ spaceId, url: own, isActive: i % 3 !== 0 }))
        if (i % 5 === 0) await note(owner.deleteWebhook({ spaceId }))
        if (i % 5 === 0) await note(owner.createWebhook({ spaceId, url: own }))
      }),
    )
    expect(answers.filter(answer => ![200, 404, 409].includes(answer))).toEqual([])
  })
})

describe('at rest', () => {
  test('secrets are sealed', async () => {
    const { spaceId, secret } = await withWebhook()
    const { secret: fresh } = await owner.refreshSecret({ spaceId })
    const { id } = await owner.testWebhook({ spaceId })
    await untilState(spaceId, id)
    const row = await lectern.db.selectFrom('webhooks').selectAll().where('spaceId', '=', spaceId).execute()
    const files = inject('database') === 'sqlite' ? readdirSync(lectern.config.data) : []
    const stored = [JSON.stringify(row), ...files.map(file => readFileSync(join(lectern.config.data, file), 'latin1'))]
    if (files.length > 0) expect(stored.join('')).toContain(spaceId)
    for (const shown of [secret, fresh])
      for (const form of [shown, shown.slice(6), shown.slice(6, -1)])
        for (const text of stored) expect(text.includes(form)).toBe(false)
  })
})
