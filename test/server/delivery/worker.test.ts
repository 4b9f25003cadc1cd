import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { verifyWebhook } from '../../../client/webhooks.ts'
import type { Attempt, BlockedReason } from '../../../contract/webhooks.ts'
import { readConfig } from '../../../server/config.ts'
import { openDb } from '../../../server/store/db.ts'
import { forgetOldDeliveries } from '../../../server/store/deliveries.ts'
import { DAY, HOUR, newToken } from '../../support/cast.ts'
import { type LecternWithEvents, withEvents } from '../../support/events.ts'
import { startLectern } from '../../support/lectern.ts'
import { hang, type Receiver, startReceiver, status } from '../../support/receiver.ts'
import { behindTls } from '../../support/tls.ts'

vi.mock('../../../server/delivery/worker.ts', async original =>
  (await import('../../support/events.ts')).watched(await original()),
)

const start = async (schedule: string, more: Record<string, string> = {}) =>
  withEvents(await startLectern({ LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1', LECTERN_WEBHOOK_SCHEDULE: schedule, ...more }))

const startFor = async (schedule: string) => {
  const lectern = await start(schedule)
  onTestFinished(() => lectern.stop())
  return lectern
}

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.close())

/** An owner with a webhook in a space of its own, and what a test wants to know of it. */
const open = async (lectern: LecternWithEvents, url?: string) => {
  const owner = await lectern.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const path = `/${spaceId}`
  const { secret } = await owner.createWebhook({ spaceId, url: url ?? receiver.url + path })
  return {
    owner,
    spaceId,
    path,
    secret,
    url: url ?? receiver.url + path,
    callbacks: () => receiver.at(path),
    /** Needs no token, so it works wherever the clock is. Oldest first. */
    async deliveries() {
      const rows = await lectern.db
        .selectFrom('deliveries')
        .selectAll()
        .where('spaceId', '=', spaceId)
        .orderBy('id')
        .execute()
      return rows.map(({ attempts, ...row }) => ({ ...row, attempts: JSON.parse(attempts) as Attempt[] }))
    },
    async webhook() {
      return lectern.db.selectFrom('webhooks').selectAll().where('spaceId', '=', spaceId).executeTakeFirstOrThrow()
    },
  }
}
type Opened = Awaited<ReturnType<typeof open>>

const until = <T>(check: () => T | Promise<T>, timeout = 10_000) => vi.waitFor(check, { timeout, interval: 10 })

const states = async ({ deliveries }: Opened) => (await deliveries()).map(({ state }) => state)

/** A server that speaks no HTTP of its own accord. */
const rawServer = async (talk: (socket: Socket) => void) => {
  const server = createServer(socket => {
    socket.on('error', () => {})
    talk(socket)
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
}

describe('a receiver that', () => {
  // One attempt each, and all of them at the same time: some take the full ten seconds.
  let lectern: LecternWithEvents
  const closing: (() => void)[] = []
  beforeAll(async () => {
    lectern = await start('0,3600,3600')
  })
  afterAll(async () => {
    await lectern.stop()
    for (const close of closing) close()
  })

  /** The first attempt, once it has ended. */
  const firstAttempt = async (opened: Opened) => {
    await lectern.record(opened.spaceId)
    return until(async () => {
      const [delivery] = await opened.deliveries()
      const [first, ...more] = delivery?.attempts ?? []
      if (!first || first.outcome === 'sending') throw new Error('it has not ended')
      expect(more).toEqual([])
      return { state: delivery?.state, ...first, callbacks: opened.callbacks() }
    }, 20_000)
  }

  const attempt = async (answer: Parameters<Receiver['on']>[1]) => {
    const opened = await open(lectern)
    receiver.on(opened.path, answer)
    return firstAttempt(opened)
  }

  const attemptAt = async (talk: (socket: Socket) => void) => {
    const server = await rawServer(talk)
    closing.push(server.close)
    return firstAttempt(await open(lectern, server.url))
  }

  describe.concurrent('', () => {
    test('resets the connection', async () => {
      expect(await attempt((_, response) => response.socket?.resetAndDestroy())).toMatchObject({
        state: 'pending',
        outcome: 'connection',
        status: null,
        reason: 'connection_closed',
      })
      const closed = { outcome: 'connection', reason: 'connection_closed' }
      expect(await attempt((_, response) => void response.socket?.end())).toMatchObject(closed)
      expect(await attemptAt(socket => socket.resetAndDestroy())).toMatchObject(closed)
    })

    test('is not there', async () => {
      const gone = await rawServer(() => {})
      gone.close()
      const opened = await open(lectern, gone.url)
      await lectern.record(opened.spaceId)
      await until(async () =>
        expect((await opened.deliveries())[0]?.attempts).toMatchObject([
          {
            outcome: 'connection',
            status: null,
            reason: 'connection_refused',
            detail: 'The connection was refused.',
          },
        ]),
      )
    })

    test('speaks no HTTP, or too much of it', async () => {
      const read = (answer: string) => (socket: Socket) => void socket.once('data', () => socket.end(answer))
      for (const answer of [
        'hello\r\n\r\n',
        'HTTP/1.1 999999 No\r\n\r\n',
        `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(1_000_000)}\r\n\r\n`,
        'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
      ])
        expect(await attemptAt(read(answer))).toMatchObject({
          outcome: 'connection',
          reason: expect.stringMatching(/^connection_(failed|closed)$/),
          state: 'pending',
        })
    })

    test('has a certificate that nobody vouches for, or none', async () => {
      const { url } = await behindTls(receiver.url)
      const plain = await rawServer(socket => void socket.once('data', () => socket.end('hello')))
      closing.push(plain.close)
      for (const address of [url, plain.url.replace('http', 'https')])
        expect(await firstAttempt(await open(lectern, address))).toMatchObject({ outcome: 'connection', reason: 'tls' })
    })

    test('has a name that nobody knows', async () => {
      const result = await firstAttempt(await open(lectern, 'http://nobody.invalid/'))
      expect(result).toMatchObject({ outcome: 'connection', reason: 'name_not_found' })
    })

    const tenSeconds = (durationMs: number | null | undefined) => {
      expect(durationMs).toBeGreaterThan(9900)
      expect(durationMs).toBeLessThan(12_000)
    }

    test('reads and never answers', async () => {
      const { outcome, status, reason, durationMs } = await attempt(hang)
      expect([outcome, status, reason]).toEqual(['timeout', null, 'timeout'])
      tenSeconds(durationMs)
    })

    test('takes the connection and does not even read', async () => {
      const { outcome, durationMs } = await attemptAt(socket => void socket.pause())
      expect(outcome).toBe('timeout')
      tenSeconds(durationMs)
    })

    const trickle = (text: string) => (socket: Socket) => {
      let sent = 0
      const timer = setInterval(() => socket.write(text.charAt(sent++) || 'x'), 1000)
      socket.on('close', () => clearInterval(timer))
      socket.resume()
    }

    test('trickles its status line', async () => {
      const { outcome, status, durationMs } = await attemptAt(trickle('HTTP/1.1 200 OK\r\n'))
      expect([outcome, status]).toEqual(['timeout', null])
      tenSeconds(durationMs)
    })

    test('trickles its body, which only matters when it is no success', async () => {
      const head = (line: string) => (socket: Socket) => {
        socket.write(`HTTP/1.1 ${line}\r\ncontent-length: 1000\r\n\r\n`)
        trickle('x')(socket)
      }
      const [good, bad] = await Promise.all([attemptAt(head('202 Yes')), attemptAt(head('500 No'))])
      expect([good.outcome, good.status, good.state]).toEqual(['success', 202, 'delivered'])
      expect([bad.outcome, bad.status, bad.state]).toEqual(['timeout', 500, 'pending'])
      tenSeconds(good.durationMs)
      tenSeconds(bad.durationMs)
    })

    test('answers without end is cut off', async () => {
      const chunk = Buffer.alloc(64 * 1024, 'x')
      for (const [code, outcome] of [
        [200, 'success'],
        [500, 'status'],
      ] as const) {
        let written = 0
        let closed = false
        const result = await attempt((_, response) => {
          response.on('close', () => {
            closed = true
          })
          response.writeHead(code)
          const more = () => {
            while (!closed && response.write(chunk)) written += chunk.length
          }
          response.on('drain', more)
          more()
        })
        expect([result.outcome, result.status]).toEqual([outcome, code])
        expect(result.detail?.length).toBeLessThanOrEqual(16 * 1024)
        expect(result.durationMs).toBeLessThan(5000)
        await until(() => expect(closed).toBe(true))
        // No more than what the system's own buffers take.
        expect(written).toBeLessThan(32 * 1024 * 1024)
      }
    })

    test('answers with a bomb of compressed zeros is not unpacked', async () => {
      const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024))
      const before = process.memoryUsage().rss
      const { outcome, detail } = await attempt((_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
      })
      expect(outcome).toBe('success')
      expect(detail?.length ?? 0).toBeLessThanOrEqual(16 * 1024)
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
    })

    test('redirects is not followed', async () => {
      const inside = await startReceiver()
      closing.push(() => void inside.close())
      for (const code of [301, 302, 303, 307, 308]) {
        const result = await attempt((_, response) => {
          response.writeHead(code, { location: `${inside.url}/inside` }).end()
        })
        expect([result.outcome, result.status, result.callbacks.length]).toEqual(['status', code, 1])
      }
      expect(inside.sockets.size).toBe(0)
      expect(inside.callbacks).toEqual([])
    })

    test('answers 2xx has succeeded, whatever the body then does', async () => {
      const answer = (line: string, rest: string) => (socket: Socket) =>
        void socket.once('data', () => {
          socket.write(`HTTP/1.1 ${line}\r\n\r\n${rest}`)
          setTimeout(() => socket.resetAndDestroy(), 50)
        })
      for (const [line, rest, code] of [
        ['200 OK\r\ncontent-length: 1000', 'short', 200],
        ['201 Created\r\ntransfer-encoding: chunked', 'zz not a chunk', 201],
        ['204 No Content', '', 204],
        ['299 Whatever\r\ncontent-length: 2', '\0\0', 299],
      ] as const) {
        const result = await attemptAt(answer(line, rest))
        expect([line, result.outcome, result.status, result.state]).toEqual([line, 'success', code, 'delivered'])
      }
    })

    test('answers anything else has failed', async () => {
      for (const code of [300, 304, 400, 401, 404, 429, 500, 503]) {
        const result = await attempt(status(code, code === 304 ? '' : 'because'))
        expect([result.outcome, result.status, result.state]).toEqual(['status', code, 'pending'])
        expect(result.reason).toBe(code < 400 ? 'redirect' : 'status')
        expect(result.detail).toBe(code === 304 ? null : 'because')
      }
    })

    test('hangs keeps nobody else waiting, even on the same host', async () => {
      const slow = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const opened = await open(lectern)
          receiver.on(opened.path, hang)
          await Promise.all([lectern.record(opened.spaceId), lectern.record(opened.spaceId)])
          return opened
        }),
      )
      await until(() => {
        for (const { callbacks } of slow) expect(callbacks().length).toBe(2)
      })
      const healthy = await open(lectern)
      for (let i = 1; i <= 10; i++) {
        const before = Date.now()
        await lectern.record(healthy.spaceId)
        await until(() => expect(healthy.callbacks()).toHaveLength(i), 2000)
        expect((healthy.callbacks().at(-1)?.at ?? 0) - before).toBeLessThan(1000)
      }
    })

    test('is still being waited for when the service stops is recorded', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'))
      closing.push(() => rmSync(folder, { recursive: true, force: true }))
      const own = await startLectern({
        LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
        LECTERN_WEBHOOK_SCHEDULE: '0,3600,3600',
        LECTERN_DATA: folder,
      })
      const owner = await own.user()
      const sent = async (path: string) => {
        const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
        await owner.createWebhook({ spaceId, url: receiver.url + path })
        return (await owner.testWebhook({ spaceId })).id
      }
      receiver.on('/stop/late', (_, response) => void setTimeout(() => response.end(), 1500))
      receiver.on('/stop/never', hang)
      const ids = [await sent('/stop/late'), await sent('/stop/never')]
      await until(() => expect(receiver.at('/stop/never').length + receiver.at('/stop/late').length).toBe(2))
      const before = Date.now()
      await own.stop()
      expect(Date.now() - before).toBeLessThan(12_000)
      const db = await openDb(readConfig({ LECTERN_DATA: folder }))
      const rows = await db.selectFrom('deliveries').selectAll().where('id', 'in', ids).orderBy('id').execute()
      await db.destroy()
      expect(rows.map(({ state, attempts }) => [state, JSON.parse(attempts)[0].outcome])).toEqual([
        ['delivered', 'success'],
        ['pending', 'timeout'],
      ])
    })
  })
})

describe('attempts', () => {
  test('are three, the same to the byte, and never a fourth', async () => {
    const lectern = await startFor('0,0,0')
    const opened = await open(lectern)
    receiver.on(opened.path, status(500))
    await opened.owner.setWebhookEvents({ spaceId: opened.spaceId, events: ['participant_joined', 'call_started'] })
    await lectern.record(opened.spaceId)
    await lectern.record(opened.spaceId, { eventName: 'participant_joined', name: 'Zoë "😀" \u2028 </b>' })
    await until(async () => expect(await states(opened)).toEqual(['failed', 'failed']))
    lectern.advance(40 * DAY)
    await lectern.wake(opened.spaceId)
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
    const lectern = await startFor('0,0,0')
    const opened = await open(lectern)
    receiver.on(opened.path, (_, response) => response.writeHead(opened.callbacks().length < 3 ? 503 : 204).end())
    await lectern.record(opened.spaceId)
    await until(async () => expect(await states(opened)).toEqual(['delivered']))
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
    lectern.advance(20_000)
    await lectern.wake(opened.spaceId)
    check(await made(1), 30)
    lectern.advance(17_000)
    await lectern.wake(opened.spaceId)
    check(await made(2), 300)
    lectern.advance(361_000)
    await lectern.wake(opened.spaceId)
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
    lectern.advance(721_000)
    await lectern.wake(spaceId)
    await until(async () => expect(await states(opened)).toEqual(['delivered']))
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

  const ends: [string, (opened: Opened) => Promise<unknown>, ((opened: Opened) => Promise<unknown>)?][] = [
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
    expect(await states(opened)).toEqual(back ? Array(5).fill('cancelled') : [])
    await back?.(opened)
    receiver.on(opened.path, status(200))
    // Longer than any of them had to wait; then a new event goes alone.
    const later = Date.now() + 1300
    await until(() => expect(Date.now()).toBeGreaterThan(later))
    if (back) {
      await lectern.record(opened.spaceId, { callId: 'new' })
      await until(() => expect(opened.callbacks().at(-1)?.body.callId).toBe('new'))
      expect(opened.callbacks()).toHaveLength(sent + 1)
    } else expect(opened.callbacks()).toHaveLength(sent)
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

  test('switched off at the very moment has nothing sent after the answer', async () => {
    const { to } = lectern.poster
    const begun: { url: string; cancelled: AbortSignal }[] = []
    const spy = vi.spyOn(lectern.poster, 'to').mockImplementation(url => {
      const post = to(url)
      return (headers, payload, cancelled) => {
        begun.push({ url, cancelled })
        return post(headers, payload, cancelled)
      }
    })
    onTestFinished(() => spy.mockRestore())
    for (const [, end] of ends)
      await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const opened = await open(lectern)
          receiver.on(opened.path, hang)
          const recording = Promise.all(Array.from({ length: 4 }, () => lectern.record(opened.spaceId)))
          if (i % 2) await recording
          await end(opened)
          // Nobody answers: what was begun has been cut, and nothing is begun from here on.
          const under = () => begun.filter(({ url, cancelled }) => url === opened.url && !cancelled.aborted)
          expect(under()).toEqual([])
          await recording.catch(() => {})
          await lectern.wake(opened.spaceId)
          await until(async () => expect(await states(opened)).not.toContain('pending'))
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
    await until(async () => expect(await states(opened)).toEqual(['delivered']))
  })

  test('sealed with another key fails alone', async () => {
    const opened = await open(lectern)
    await lectern.db.updateTable('webhooks').set({ secret: 'x' }).where('spaceId', '=', opened.spaceId).execute()
    await lectern.record(opened.spaceId)
    await until(async () => expect(await states(opened)).toEqual(['failed']))
    expect(opened.callbacks()).toEqual([])
    const other = await open(lectern)
    await lectern.record(other.spaceId)
    await until(async () => expect(await states(other)).toEqual(['delivered']))
  })

  test('with an address that nothing can be sent to fails in words', async () => {
    const opened = await open(lectern)
    const url = 'http://%C3:%A9@127.0.0.1:9/'
    await lectern.db.updateTable('webhooks').set({ url }).where('spaceId', '=', opened.spaceId).execute()
    await lectern.record(opened.spaceId)
    await until(async () => expect(await states(opened)).toEqual(['failed']))
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
    const lectern = await startFor('0,0,0')
    const opened = await open(lectern)
    const { owner, spaceId, url } = opened
    receiver.on(opened.path, status(410))
    // By hand it counts for nothing.
    await owner.testWebhook({ spaceId })
    await until(async () => expect(await states(opened)).toEqual(['failed']))
    expect(await opened.webhook()).toMatchObject(healthy)
    expect(opened.callbacks()).toHaveLength(1)
    await lectern.record(spaceId)
    await until(async () => expect(await opened.webhook()).toMatchObject(blocked('gone')))
    expect(opened.callbacks()).toHaveLength(2)
    await lectern.record(spaceId)
    expect(await states(opened)).toEqual(['failed', 'failed'])
    receiver.on(opened.path, status(200))
    await owner.updateWebhook({ spaceId, url, isActive: false })
    expect(await opened.webhook()).toMatchObject({ isActive: false })
    await owner.updateWebhook({ spaceId, url, isActive: true })
    expect(await opened.webhook()).toMatchObject(healthy)
    await lectern.record(spaceId)
    await until(async () => expect(await states(opened)).toEqual(['failed', 'failed', 'delivered']))
  })

  test('cuts what is under way', async () => {
    const lectern = await startFor('0,0,0')
    const opened = await open(lectern)
    let closed = 0
    receiver.on(opened.path, (_, response) => {
      response.on('close', () => closed++)
      if (opened.callbacks().length === 2) response.writeHead(410).end()
    })
    await Promise.all(Array.from({ length: 6 }, () => lectern.record(opened.spaceId)))
    await until(async () => {
      expect((await states(opened)).sort()).toEqual([...Array(5).fill('cancelled'), 'failed'])
      expect(closed).toBe(2)
    }, 5000)
    expect(opened.callbacks()).toHaveLength(2)
  })

  test('follows 100 failed events in a row; one success clears, sends by hand never count', async () => {
    const lectern = await startFor('0,0,0')
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
      const before = await states(opened)
      await lectern.record(spaceId)
      await until(async () => expect(await states(opened)).toEqual([...before, state]))
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
  test('attempts under way grow from 2 to 16 while it succeeds, and shrink to 1 when it fails', async () => {
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
      }, 40)
    })
    await Promise.all(Array.from({ length: 200 }, () => lectern.record(opened.spaceId)))
    await until(async () => expect((await states(opened)).filter(state => state === 'delivered')).toHaveLength(200))
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
  }, 60_000)

  /** Until it takes sixteen at once, and more is claimed ahead. */
  const warmUp = async (lectern: LecternWithEvents, opened: Opened) => {
    await Promise.all(Array.from({ length: 60 }, () => lectern.record(opened.spaceId)))
    await until(async () => expect((await states(opened)).filter(state => state === 'delivered')).toHaveLength(60))
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
    await until(() => expect(held).toHaveLength(16))
    await owner.updateWebhook({ spaceId, url: `${url}/moved`, isActive: true })
    const { secret } = await owner.refreshSecret({ spaceId })
    for (const answer of held) answer()
    const moved = () => receiver.callbacks.filter(({ path }) => path === `${opened.path}/moved`)
    await until(() => expect(moved()).toHaveLength(84))
    expect(opened.callbacks()).toHaveLength(before + 16)
    for (const { raw } of moved()) expect(verifyWebhook(raw, secret)).not.toBeNull()
  })

  test('one that turns slow is sent nothing twice', async () => {
    // With no pauses an attempt counts as lost after fifteen seconds.
    const lectern = await startFor('0,0,0')
    const opened = await open(lectern)
    const before = await warmUp(lectern, opened)
    receiver.on(opened.path, (_, response) => void setTimeout(() => response.end(), 3300))
    await Promise.all(Array.from({ length: 100 }, () => lectern.record(opened.spaceId)))
    await until(
      async () => expect((await states(opened)).filter(state => state === 'delivered')).toHaveLength(160),
      40_000,
    )
    expect(opened.callbacks()).toHaveLength(before + 100)
  }, 60_000)

  test('a few that hang do not hold up the record of the others, nor those that follow', async () => {
    const lectern = await startFor('0,3600,3600')
    const opened = await open(lectern)
    const { owner, spaceId, url } = opened
    receiver.on(opened.path, ({ body }, response) => void (body.callId === 'slow' || response.end()))
    const delivered = (count: number) =>
      until(async () => {
        const done = (await states(opened)).filter(state => state === 'delivered')
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
    await until(async () => expect(await states(opened)).toEqual(Array(25).fill('delivered')))
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
    expect(await forgetOldDeliveries(lectern.db, now + 29 * DAY, 10)).toBe(false)
    expect(await opened.deliveries()).toHaveLength(26)
    const left: number[] = []
    let more = true
    while (more) {
      more = await forgetOldDeliveries(lectern.db, now + 31 * DAY, 10)
      left.push((await opened.deliveries()).length)
    }
    expect(left).toEqual([16, 6, 1])
    expect((await opened.deliveries()).map(({ id }) => id)).toEqual([pending.id])
  })
})
