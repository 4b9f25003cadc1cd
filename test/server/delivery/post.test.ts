import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { openDb } from '../../../server/store/db.ts'
import { type LecternWithEvents, type OpenedWebhook, openWebhook, until, withEvents } from '../../support/events.ts'
import { type Lectern, startLectern } from '../../support/lectern.ts'
import { UNKNOWN_HOST } from '../../support/names.ts'
import { hang, type Receiver, startReceiver, status } from '../../support/receiver.ts'
import { behindTls } from '../../support/tls.ts'

/* What becomes of one attempt, whatever the receiver does. */

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
  /** For the test that stops it. Started here: of tests that run at the same time none is the current one. */
  let own: Lectern
  let receiver: Receiver
  const closing: (() => void)[] = []
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'))
  beforeAll(async () => {
    receiver = await startReceiver()
    const settings = { LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1', LECTERN_WEBHOOK_SCHEDULE: '0,3600,3600' }
    lectern = withEvents(await startLectern(settings))
    own = await startLectern({ ...settings, LECTERN_DATA: folder })
  })
  afterAll(async () => {
    await lectern.stop()
    await receiver.close()
    for (const close of closing) close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The first attempt, once it has ended. */
  const firstAttempt = async (opened: OpenedWebhook) => {
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
    const opened = await openWebhook(lectern, receiver)
    receiver.on(opened.path, answer)
    return firstAttempt(opened)
  }

  const attemptAt = async (talk: (socket: Socket) => void) => {
    const server = await rawServer(talk)
    closing.push(server.close)
    return firstAttempt(await openWebhook(lectern, receiver, server.url))
  }

  test('has a certificate that nobody vouches for', async () => {
    const { url } = await behindTls(receiver.url)
    expect(await firstAttempt(await openWebhook(lectern, receiver, url))).toMatchObject({
      outcome: 'connection',
      reason: 'tls',
    })
  })

  describe.concurrent('', () => {
    // What takes ten seconds goes first.
    const tenSeconds = (durationMs: number | null | undefined) => {
      expect(durationMs).toBeGreaterThan(9900)
      expect(durationMs).toBeLessThan(12_000)
    }

    const trickle = (text: string) => (socket: Socket) => {
      let sent = 0
      const timer = setInterval(() => socket.write(text.charAt(sent++) || 'x'), 1000)
      socket.on('close', () => clearInterval(timer))
      socket.resume()
    }

    // Side by side in one test: each for itself would keep a place from the others for ten seconds.
    test('gives no answer, does not even read, or trickles its status line', async () => {
      const attempts = await Promise.all([
        attempt(hang),
        attemptAt(socket => void socket.pause()),
        attemptAt(trickle('HTTP/1.1 200 OK\r\n')),
      ])
      for (const { outcome, status, reason, state, durationMs } of attempts) {
        expect([outcome, status, reason, state]).toEqual(['timeout', null, 'timeout', 'pending'])
        tenSeconds(durationMs)
      }
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

    test('is still being waited for when the service stops is recorded', async () => {
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
      const opened = await openWebhook(lectern, receiver, gone.url)
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

    test('has a name that nobody knows', async () => {
      const result = await firstAttempt(await openWebhook(lectern, receiver, `http://${UNKNOWN_HOST}/`))
      expect(result).toMatchObject({ outcome: 'connection', reason: 'name_not_found' })
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
          const opened = await openWebhook(lectern, receiver)
          receiver.on(opened.path, hang)
          await Promise.all([lectern.record(opened.spaceId), lectern.record(opened.spaceId)])
          return opened
        }),
      )
      await until(() => {
        for (const { callbacks } of slow) expect(callbacks().length).toBe(2)
      })
      const healthy = await openWebhook(lectern, receiver)
      for (let i = 1; i <= 10; i++) {
        const before = Date.now()
        await lectern.record(healthy.spaceId)
        await until(() => expect(healthy.callbacks()).toHaveLength(i), 2000)
        expect((healthy.callbacks().at(-1)?.at ?? 0) - before).toBeLessThan(1000)
      }
    })
  })
})
