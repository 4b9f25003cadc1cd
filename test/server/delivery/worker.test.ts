import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { verifyWebhook } from '../../../client/webhooks.ts'
import type { BlockedReason } from '../../../contract/webhooks.ts'
import { createPoster, type Poster } from '../../../server/delivery/post.ts'
import { forgetOldDeliveries } from '../../../server/store/deliveries.ts'
import { DAY, HOUR, newToken } from '../../support/cast.ts'
import { type LecternWithEvents, type OpenedWebhook, openWebhook, until, withEvents } from '../../support/events.ts'
import { isOneNode, startLectern } from '../../support/lectern.ts'
import { hang, type Receiver, startReceiver, status } from '../../support/receiver.ts'

/** Each attempt that was begun, and what cuts it short. */
const begun: { url: string; cancelled: AbortSignal }[] = []
const watched = (poster: Poster): Poster => ({
  ...poster,
  to(url) {
    const post = poster.to(url)
    return (headers, payload, cancelled) => {
      begun.push({ url, cancelled })
      return post(headers, payload, cancelled)
    }
  },
})

const start = async (schedule: string) =>
  withEvents(
    await startLectern(
      { LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1', LECTERN_WEBHOOK_SCHEDULE: schedule },
      { poster: watched(createPoster(true)) },
    ),
  )

/** For a test that moves the clock, or needs a schedule of its own. */
const startFor = async (schedule: string) => {
  const lectern = await start(schedule)
  onTestFinished(() => lectern.stop())
  return lectern
}

let receiver: Receiver
/** Attempts follow one another at once. */
let lectern: LecternWithEvents
beforeAll(async () => {
  receiver = await startReceiver()
  lectern = await start('0,0,0')
})
afterAll(async () => {
  await lectern.stop()
  await receiver.close()
})

const open = (lectern: LecternWithEvents) => openWebhook(lectern, receiver)

describe('attempts', () => {
  test('are three, the same to the byte, and never a fourth', async () => {
    const lectern = await startFor('0,0,0')
    const opened = await open(lectern)
    receiver.on(opened.path, status(500))
    await opened.owner.setWebhookEvents({ spaceId: opened.spaceId, events: ['participant_joined', 'call_started'] })
    await lectern.record(opened.spaceId)
    await lectern.record(opened.spaceId, { eventName: 'participant_joined', name: 'Zoë "😀" \u2028 </b>' })
    await until(async () => expect(await opened.states()).toEqual(['failed', 'failed']))
    lectern.pass(40 * DAY, opened)
    for (const { id, attempts, body, nextAttemptAt } of await opened.deliveries()) {
      expect(attempts.map(({ number, outcome, status }) => [number, outcome, status])).toEqual([
        [1, 'status', 500],
        [2, 'status', 500],
        [3, 'status', 500],
      ])
      expect(nextAttemptAt).toBeNull()
      const sent = opened.callbacks().filter(callback => callback.id === id)
      expect(sent).toHaveLength(3)
      expect(new Set(sent.map(({ raw }) => raw)).size).toBe(1)
      const [first] = sent
      expect(first?.raw).toBe(`{"body":${body},"signature":"${first?.signature}"}`)
      expect(body).toBe(JSON.stringify(JSON.parse(body)))
      expect(verifyWebhook(first?.raw ?? '', opened.secret)).toEqual(JSON.parse(body))
    }
    const [started] = await opened.deliveries()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
    expect(started?.body).toMatch(/^[\x00-\x7f]+$/)
    expect(Object.keys(JSON.parse(started?.body ?? ''))).toEqual([
      'eventName',
      'roomId',
      'spaceId',
      'callId',
      'occurredAt',
    ])
  })

  test('end with the first success', async () => {
    const opened = await open(lectern)
    receiver.on(opened.path, (_, response) => response.writeHead(opened.callbacks().length < 3 ? 503 : 204).end())
    await lectern.record(opened.spaceId)
    await until(async () => expect(await opened.states()).toEqual(['delivered']))
    expect((await opened.deliveries())[0]?.attempts.map(({ status }) => status)).toEqual([503, 503, 204])
  })

  test('follow 30 seconds and 5 minutes after the one before has ended, a fifth more or less', async () => {
    const lectern = await startFor('0,30,300')
    const opened = await open(lectern)
    receiver.on(opened.path, status(500))
    const events = 40
    for (let i = 0; i < events; i++) await lectern.record(opened.spaceId)
    const made = async (number: number) => {
      await until(async () => {
        const ended = (await opened.deliveries()).map(
          ({ attempts }) => attempts.length === number && attempts.at(-1)?.outcome === 'status',
        )
        expect(ended).toEqual(Array(events).fill(true))
      })
      return opened.deliveries()
    }
    const check = (deliveries: Awaited<ReturnType<typeof made>>, seconds: number) => {
      const waits = deliveries.map(({ nextAttemptAt, attempts }) => {
        const last = attempts.at(-1)
        return (nextAttemptAt ?? 0) - Date.parse(last?.at ?? '') - (last?.durationMs ?? 0)
      })
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(seconds * 800 - 5)
      // Recording what has ended takes a moment too.
      expect(Math.max(...waits)).toBeLessThan(seconds * 1200 + 1000)
      expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(seconds * 100)
    }
    check(await made(1), 30)
    lectern.pass(20_000, opened)
    check(await made(1), 30)
    lectern.pass(17_000, opened)
    check(await made(2), 300)
    lectern.pass(361_000, opened)
    for (const { state, nextAttemptAt } of await made(3)) expect([state, nextAttemptAt]).toEqual(['failed', null])
  })

  test('go to the address and with the secret of their time', async () => {
    const lectern = await startFor('0,600,600')
    const opened = await open(lectern)
    const { owner, spaceId } = opened
    receiver.on(opened.path, status(500))
    await lectern.record(spaceId)
    await until(async () => expect((await opened.deliveries())[0]?.attempts[0]?.outcome).toBe('status'))
    const moved = `${opened.path}/moved`
    await owner.updateWebhook({ spaceId, url: receiver.url + moved, isActive: true })
    const { secret } = await owner.refreshSecret({ spaceId })
    lectern.pass(721_000, opened)
    await until(async () => expect(await opened.states()).toEqual(['delivered']))
    const [first, ...more] = opened.callbacks()
    const [second, ...evenMore] = receiver.at(moved)
    expect([more, evenMore]).toEqual([[], []])
    expect(second?.id).toBe(first?.id)
    expect(second?.body).toEqual(first?.body)
    expect(verifyWebhook(first?.raw ?? '', opened.secret)).not.toBeNull()
    expect(verifyWebhook(second?.raw ?? '', secret)).not.toBeNull()
    expect(verifyWebhook(second?.raw ?? '', opened.secret)).toBeNull()
  })
})

describe('a webhook that is', () => {
  let lectern: LecternWithEvents
  beforeAll(async () => {
    lectern = await start('0,1,1')
  })
  afterAll(() => lectern.stop())

  const ends: [string, (opened: OpenedWebhook) => Promise<unknown>, ((opened: OpenedWebhook) => Promise<unknown>)?][] =
    [
      [
        'switched off',
        ({ owner, spaceId, url }) => owner.updateWebhook({ spaceId, url, isActive: false }),
        ({ owner, spaceId, url }) => owner.updateWebhook({ spaceId, url, isActive: true }),
      ],
      [
        'deleted',
        ({ owner, spaceId }) => owner.deleteWebhook({ spaceId }),
        ({ owner, spaceId, url }) => owner.createWebhook({ spaceId, url }),
      ],
      [
        'without a plan',
        ({ spaceId }) => lectern.operator.setSpacePlan({ spaceId, plan: 'free' }),
        ({ spaceId }) => lectern.operator.setSpacePlan({ spaceId, plan: 'team' }),
      ],
      ['gone with its space', ({ owner, spaceId }) => owner.deleteSpace({ spaceId })],
    ]

  test.each(ends)('%s between attempts sends nothing more, and back again does not revive it', async (_, end, back) => {
    const opened = await open(lectern)
    receiver.on(opened.path, status(500))
    await Promise.all(Array.from({ length: 5 }, () => lectern.record(opened.spaceId)))
    await until(async () =>
      expect((await opened.deliveries()).map(({ attempts }) => attempts[0]?.outcome)).toEqual(Array(5).fill('status')),
    )
    await end(opened)
    const sent = opened.callbacks().length
    expect(await opened.states()).toEqual(back ? Array(5).fill('cancelled') : [])
    await back?.(opened)
    receiver.on(opened.path, status(200))
    // Longer than any of them had to wait; then a new event goes alone.
    lectern.pass(1300, opened)
    const after = back ? opened : await open(lectern)
    await lectern.record(after.spaceId, { callId: 'new' })
    await until(async () => expect((await after.states()).at(-1)).toBe('delivered'))
    expect(after.callbacks().at(-1)?.body.callId).toBe('new')
    expect(opened.callbacks()).toHaveLength(back ? sent + 1 : sent)
    expect(await opened.states()).toEqual(back ? [...Array(5).fill('cancelled'), 'delivered'] : [])
  })

  test.each(ends)('%s during an attempt cuts it short', async (_, end, back) => {
    const opened = await open(lectern)
    let closed = 0
    receiver.on(opened.path, (_callback, response) => void response.on('close', () => closed++))
    await Promise.all([lectern.record(opened.spaceId), lectern.record(opened.spaceId)])
    await until(() => expect(opened.callbacks()).toHaveLength(2))
    await end(opened)
    await until(() => expect(closed).toBe(2), 1000)
    if (back)
      await until(async () =>
        expect((await opened.deliveries()).map(({ state, attempts }) => [state, attempts[0]?.outcome])).toEqual([
          ['cancelled', 'cancelled'],
          ['cancelled', 'cancelled'],
        ]),
      )
    expect(opened.callbacks()).toHaveLength(2)
  })

  test.runIf(isOneNode)('switched off at the very moment has nothing sent after the answer', async () => {
    begun.length = 0
    for (const [, end] of ends)
      await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const opened = await open(lectern)
          receiver.on(opened.path, hang)
          // The space may be gone before them.
          const recording = Promise.allSettled(Array.from({ length: 4 }, () => lectern.record(opened.spaceId)))
          if (i % 2) await recording
          await end(opened)
          // Nobody answers: what was begun has been cut, and nothing is begun from here on.
          const under = () => begun.filter(({ url, cancelled }) => url === opened.url && !cancelled.aborted)
          expect(under()).toEqual([])
          await recording
          lectern.pass(0, opened)
          await until(async () => expect(await opened.states()).not.toContain('pending'))
          expect(under()).toEqual([])
        }),
      )
    expect(begun.length).toBeGreaterThan(0)
  })

  test('not active keeps no event for later', async () => {
    const opened = await open(lectern)
    const { owner, spaceId, url } = opened
    await owner.updateWebhook({ spaceId, url, isActive: false })
    await lectern.record(spaceId)
    await owner.updateWebhook({ spaceId, url, isActive: true })
    await lectern.operator.setSpacePlan({ spaceId, plan: 'free' })
    await lectern.record(spaceId)
    await lectern.operator.setSpacePlan({ spaceId, plan: 'team' })
    await owner.deleteWebhook({ spaceId })
    await lectern.record(spaceId)
    await owner.createWebhook({ spaceId, url })
    expect(await opened.deliveries()).toEqual([])
    await lectern.record(spaceId)
    await until(async () => expect(await opened.states()).toEqual(['delivered']))
  })
})

describe('a webhook', () => {
  test('sealed with another key fails alone', async () => {
    const opened = await open(lectern)
    await lectern.db.updateTable('webhooks').set({ secret: 'x' }).where('spaceId', '=', opened.spaceId).execute()
    await lectern.record(opened.spaceId)
    await until(async () => expect(await opened.states()).toEqual(['failed']))
    expect(opened.callbacks()).toEqual([])
    const other = await open(lectern)
    await lectern.record(other.spaceId)
    await until(async () => expect(await other.states()).toEqual(['delivered']))
  })

  test('with an address that nothing can be sent to fails in words', async () => {
    const opened = await open(lectern)
    const url = 'http://%C3:%A9@127.0.0.1:9/'
    await lectern.db.updateTable('webhooks').set({ url }).where('spaceId', '=', opened.spaceId).execute()
    await lectern.record(opened.spaceId)
    await until(async () => expect(await opened.states()).toEqual(['failed']))
    expect((await opened.deliveries())[0]?.attempts).toMatchObject(
      [1, 2, 3].map(number => ({
        number,
        outcome: 'connection',
        reason: 'url_unusable',
        detail: expect.any(String),
      })),
    )
  })
})

describe('blocking', () => {
  const blocked = (blockedReason: BlockedReason) => ({
    isActive: false,
    blockedReason,
    blockedAt: expect.any(Number),
  })
  const healthy = { isActive: true, blockedReason: null, blockedAt: null, consecutiveFailures: 0, failingSince: null }

  test('follows a 410 at once, and ends when the owner switches on again', async () => {
    const opened = await open(lectern)
    const { owner, spaceId, url } = opened
    receiver.on(opened.path, status(410))
    // By hand it counts for nothing.
    await owner.testWebhook({ spaceId })
    await until(async () => expect(await opened.states()).toEqual(['failed']))
    expect(await opened.webhook()).toMatchObject(healthy)
    expect(opened.callbacks()).toHaveLength(1)
    await lectern.record(spaceId)
    await until(async () => expect(await opened.webhook()).toMatchObject(blocked('gone')))
    expect(opened.callbacks()).toHaveLength(2)
    await lectern.record(spaceId)
    expect(await opened.states()).toEqual(['failed', 'failed'])
    receiver.on(opened.path, status(200))
    await owner.updateWebhook({ spaceId, url, isActive: false })
    expect(await opened.webhook()).toMatchObject({ isActive: false })
    await owner.updateWebhook({ spaceId, url, isActive: true })
    expect(await opened.webhook()).toMatchObject(healthy)
    await lectern.record(spaceId)
    await until(async () => expect(await opened.states()).toEqual(['failed', 'failed', 'delivered']))
  })

  test.runIf(isOneNode)('cuts what is under way', async () => {
    const opened = await open(lectern)
    let closed = 0
    receiver.on(opened.path, (_, response) => {
      response.on('close', () => closed++)
      if (opened.callbacks().length === 2) response.writeHead(410).end()
    })
    await Promise.all(Array.from({ length: 6 }, () => lectern.record(opened.spaceId)))
    await until(async () => {
      expect((await opened.states()).sort()).toEqual([...Array(5).fill('cancelled'), 'failed'])
      expect(closed).toBe(2)
    }, 5000)
    expect(opened.callbacks()).toHaveLength(2)
  })

  test('follows 100 failed events in a row; one success clears, sends by hand never count', async () => {
    const opened = await open(lectern)
    const { owner, spaceId, url } = opened
    const fail = async (events: number) => {
      const before = (await opened.deliveries()).length
      for (let i = 0; i < events; i++) await lectern.record(spaceId)
      await until(async () => {
        const made = (await opened.deliveries()).slice(before)
        expect(made.map(({ state }) => state)).toEqual(Array(events).fill('failed'))
      }, 20_000)
    }
    const byHand = async (state: string) => {
      const { id: deliveryId } = await owner.testWebhook({ spaceId })
      await until(async () => expect((await owner.getDelivery({ spaceId, deliveryId })).state).toBe(state))
    }
    receiver.on(opened.path, status(500))
    await byHand('failed')
    expect(await opened.webhook()).toMatchObject(healthy)
    await fail(3)
    expect(await opened.webhook()).toMatchObject({ isActive: true, consecutiveFailures: 3 })
    receiver.on(opened.path, status(200))
    await byHand('delivered')
    expect(await opened.webhook()).toMatchObject({ isActive: true, consecutiveFailures: 3 })
    await lectern.record(spaceId)
    await until(async () => expect(await opened.webhook()).toMatchObject(healthy))
    receiver.on(opened.path, status(500))
    await fail(99)
    await byHand('failed')
    expect(await opened.webhook()).toMatchObject({ isActive: true, consecutiveFailures: 99 })
    await fail(1)
    expect(await opened.webhook()).toMatchObject(blocked('too_many_failures'))
    const sent = opened.callbacks().length
    await lectern.record(spaceId)
    expect(opened.callbacks()).toHaveLength(sent)
    await owner.updateWebhook({ spaceId, url, isActive: true })
    expect(await opened.webhook()).toMatchObject(healthy)
    await fail(1)
    expect(await opened.webhook()).toMatchObject({ isActive: true, consecutiveFailures: 1 })
  }, 60_000)

  test('follows five days of nothing but failures', async () => {
    const lectern = await startFor('0,0,0')
    const opened = await open(lectern)
    const { spaceId } = opened
    const sendAnd = async (state: 'failed' | 'delivered') => {
      receiver.on(opened.path, status(state === 'failed' ? 500 : 200))
      const before = await opened.states()
      await lectern.record(spaceId)
      await until(async () => expect(await opened.states()).toEqual([...before, state]))
      return opened.webhook()
    }
    expect(await sendAnd('failed')).toMatchObject({ isActive: true })
    lectern.advance(5 * DAY - HOUR)
    expect(await sendAnd('failed')).toMatchObject({ isActive: true, consecutiveFailures: 2 })
    await sendAnd('delivered')
    lectern.advance(2 * HOUR)
    expect(await sendAnd('failed')).toMatchObject({ isActive: true, consecutiveFailures: 1 })
    lectern.advance(5 * DAY - HOUR)
    // By hand, days later: it changes nothing.
    const owner = lectern.withToken(await newToken(lectern, opened.owner))
    const { id: deliveryId } = await owner.testWebhook({ spaceId })
    await until(async () => expect((await owner.getDelivery({ spaceId, deliveryId })).state).toBe('failed'))
    expect(await sendAnd('failed')).toMatchObject({ isActive: true, consecutiveFailures: 2 })
    lectern.advance(HOUR)
    expect(await sendAnd('failed')).toMatchObject(blocked('failing_too_long'))
    const later = lectern.withToken(await newToken(lectern, opened.owner))
    await later.updateWebhook({ spaceId, url: opened.url, isActive: true })
    expect(await sendAnd('failed')).toMatchObject({ isActive: true, consecutiveFailures: 1 })
  })
})

describe('for one webhook', () => {
  test.runIf(isOneNode)(
    'attempts under way grow from 2 to 16 while it succeeds, and shrink to 1 when it fails',
    async () => {
      const lectern = await startFor('0,3600,3600')
      const opened = await open(lectern)
      let code = 200
      let underWay = 0
      const seen: number[] = []
      receiver.on(opened.path, (_, response) => {
        seen.push(++underWay)
        setTimeout(() => {
          underWay--
          response.writeHead(code).end()
        }, 20)
      })
      await Promise.all(Array.from({ length: 200 }, () => lectern.record(opened.spaceId)))
      await until(async () => expect((await opened.states()).filter(state => state === 'delivered')).toHaveLength(200))
      expect(Math.max(...seen.slice(0, 2))).toBeLessThanOrEqual(2)
      expect(Math.max(...seen.slice(0, 4))).toBeLessThanOrEqual(4)
      expect(Math.max(...seen)).toBe(16)
      seen.length = 0
      code = 500
      await Promise.all(Array.from({ length: 60 }, () => lectern.record(opened.spaceId)))
      await until(
        async () =>
          expect((await opened.deliveries()).filter(({ attempts }) => attempts[0]?.outcome === 'status')).toHaveLength(
            60,
          ),
        20_000,
      )
      expect(seen).toHaveLength(60)
      expect(Math.max(...seen)).toBeLessThanOrEqual(16)
      expect(new Set(seen.slice(20))).toEqual(new Set([1]))
    },
    60_000,
  )

  /** Until it takes sixteen at once, and more is claimed ahead. */
  const warmUp = async (lectern: LecternWithEvents, opened: OpenedWebhook) => {
    await Promise.all(Array.from({ length: 60 }, () => lectern.record(opened.spaceId)))
    await until(async () => expect((await opened.states()).filter(state => state === 'delivered')).toHaveLength(60))
    return opened.callbacks().length
  }

  test('what is claimed ahead goes to the address and with the secret of its time', async () => {
    const lectern = await startFor('0,3600,3600')
    const opened = await open(lectern)
    const { owner, spaceId, url } = opened
    const before = await warmUp(lectern, opened)
    const held: (() => void)[] = []
    receiver.on(opened.path, (_, response) => void held.push(() => response.end()))
    await Promise.all(Array.from({ length: 100 }, () => lectern.record(spaceId)))
    await until(() => expect(held.length).toBeGreaterThanOrEqual(16))
    const { secret } = await owner.refreshSecret({ spaceId })
    await owner.updateWebhook({ spaceId, url: `${url}/moved`, isActive: true })
    // Another node may be sending some as well, and knows it within a second.
    if (!isOneNode) await wait(1000)
    const sent = opened.callbacks().length
    if (isOneNode) expect(sent).toBe(before + 16)
    for (const answer of held) answer()
    const moved = () => receiver.callbacks.filter(({ path }) => path === `${opened.path}/moved`)
    await until(() => expect(moved()).toHaveLength(100 - (sent - before)))
    expect(opened.callbacks()).toHaveLength(sent)
    for (const { raw } of moved()) expect(verifyWebhook(raw, secret)).not.toBeNull()
  })

  test.runIf(isOneNode)('one that turns slow is sent nothing twice', async () => {
    // With no pauses an attempt counts as lost after fifteen seconds.
    const lectern = await startFor('0,0,0')
    const opened = await open(lectern)
    const before = await warmUp(lectern, opened)
    const held: (() => void)[] = []
    receiver.on(opened.path, (_, response) => void held.push(() => response.end()))
    await Promise.all(Array.from({ length: 100 }, () => lectern.record(opened.spaceId)))
    for (let answered = 0; answered < 100; ) {
      const underWay = Math.min(16, 100 - answered)
      await until(() => expect(held).toHaveLength(underWay))
      lectern.pass(3300, opened)
      answered += underWay
      for (const answer of held.splice(0)) answer()
    }
    await until(async () => expect((await opened.states()).filter(state => state === 'delivered')).toHaveLength(160))
    expect(opened.callbacks()).toHaveLength(before + 100)
  })

  test('a few that hang do not hold up the record of the others, nor those that follow', async () => {
    const lectern = await startFor('0,3600,3600')
    const opened = await open(lectern)
    const { owner, spaceId, url } = opened
    receiver.on(opened.path, ({ body }, response) => void (body.callId === 'slow' || response.end()))
    const delivered = (count: number) =>
      until(async () => {
        const done = (await opened.states()).filter(state => state === 'delivered')
        expect(done).toHaveLength(count)
      }, 5000)
    const record = (count: number, callId: string) =>
      Promise.all(Array.from({ length: count }, () => lectern.record(spaceId, { callId })))
    await record(30, 'quick')
    await delivered(30)
    for (let round = 1; round <= 4; round++) {
      await record(3, 'slow')
      await record(50, 'quick')
      await delivered(30 + round * 50)
    }
    await owner.updateWebhook({ spaceId, url, isActive: false })
  })
})

describe('the log', () => {
  test('is kept for 30 days, and cleared in batches', async () => {
    const lectern = await startFor('0,0,0')
    const opened = await open(lectern)
    const { spaceId } = opened
    for (let i = 0; i < 25; i++) await lectern.record(spaceId)
    await until(async () => expect(await opened.states()).toEqual(Array(25).fill('delivered')))
    const now = Date.now()
    const pending = await lectern.db
      .insertInto('deliveries')
      .values({
        id: '00000000-0000-7000-8000-000000000000',
        spaceId,
        webhookId: (await opened.webhook()).id,
        eventName: 'call_started',
        body: '{}',
        isManual: false,
        state: 'pending',
        attemptsMade: 0,
        attemptTimes: '',
        lostAt: null,
        attempts: '[]',
        nextAttemptAt: now + DAY,
        createdAt: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(await forgetOldDeliveries(lectern.db, now - DAY, 10)).toBe(false)
    expect(await opened.deliveries()).toHaveLength(26)
    const left: number[] = []
    let more = true
    while (more) {
      more = await forgetOldDeliveries(lectern.db, now + DAY, 10)
      left.push((await opened.deliveries()).length)
    }
    expect(left).toEqual([16, 6, 1])
    expect((await opened.deliveries()).map(({ id }) => id)).toEqual([pending.id])
  })
})
