import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ConnectionTimeouts, usualConnectionTimeouts } from '../../../server/http/connections.ts'
import { admitted } from '../../support/admitted.ts'
import { startLectern } from '../../support/lectern.ts'
import { untilMedia } from '../../support/live.ts'
import { isLong } from '../../support/long.ts'
import { startProcess, temporaryFolder } from '../../support/process.ts'
import { dial, filesOf, heldPorts, SWITCHING, startFakeEngine, upgradeRequest } from '../../support/sockets.ts'

/* Connections that are held open: how many, and for how long. */

const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`
/** A megabyte or more. */
const LARGE = '/docs/reference.js'

const quick: ConnectionTimeouts = { idleMs: 1500, requestMs: 500 }

/** Ways of holding a connection; none of them ever closes it, or reads more than is said here. */
const holders: Record<string, (socket: Socket) => unknown> = {
  'sends nothing': () => {},
  'half a header': socket => socket.write(request('/healthz').slice(0, 20)),
  'half a body': socket =>
    socket.write(
      'POST /v1/auth/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
    ),
  'a body in drips': socket => {
    socket.write(
      'POST /v1/auth/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n',
    )
    const dripping = setInterval(() => socket.write(' '), 100)
    onTestFinished(() => clearInterval(dripping))
  },
  'half a body of an upgrade': socket => socket.write(upgradeRequest('/media/rtc', { 'content-length': '9' })),
  'asks once and stays': socket => socket.write(request('/healthz')),
  'never reads its answer': socket => socket.write(request(LARGE)),
  'never reads many answers': socket => socket.write(request(LARGE).repeat(20)),
  'no HTTP': socket => socket.write('hello\r\n\r\n'),
  'half a header after a good request': socket => socket.write(request('/healthz') + request('/healthz').slice(0, 20)),
}

const hold = async (url: string, count: number, ways = Object.values(holders)) => {
  const sockets: Socket[] = []
  for (let index = 0; index < count; index++) {
    const socket = await dial(url)
    socket.pause()
    ways[index % ways.length]?.(socket)
    sockets.push(socket)
  }
  return sockets
}

const healthz = async (url: string) => {
  const started = performance.now()
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  return performance.now() - started
}

const p99 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0

describe('connections that are held open', () => {
  test('are ended, whatever they wait for', async () => {
    const { url } = await startLectern({}, { connectionTimeouts: quick })
    const sockets = await hold(url, Object.keys(holders).length)
    const ports = sockets.map(({ localPort = 0 }) => localPort)
    const held = async () => {
      const open = await heldPorts(url)
      return Object.keys(holders).filter((_way, index) => open.has(ports[index] ?? 0))
    }
    await vi.waitFor(async () => expect(await held()).toEqual([]), { timeout: quick.idleMs * 4, interval: 50 })
    await healthz(url)
  })

  test.runIf(isLong)(
    '2,000 of them do not get in the way, and are gone a minute later',
    async () => {
      const count = 2000
      const service = await startProcess({ LECTERN_DATA: temporaryFolder(), LECTERN_MAX_CONNECTIONS: '9000' })
      const pid = service.child.pid ?? 0
      const others = async (seconds: number) => {
        const times: number[] = []
        for (const end = performance.now() + seconds * 1000; performance.now() < end; await wait(5))
          times.push(await healthz(service.url))
        return p99(times)
      }
      await others(2)
      const alone = await others(10)
      const before = filesOf(pid)
      const ways = ['sends nothing', 'half a header', 'half a body', 'never reads many answers', 'asks once and stays']
      const started = performance.now()
      const meanwhile = others(10)
      const sockets = await hold(
        service.url,
        count,
        ways.map(way => holders[way] ?? expect.unreachable()),
      )
      const openedMs = performance.now() - started
      await vi.waitFor(() => expect(filesOf(pid)).toBeGreaterThanOrEqual(before + count), { timeout: 10_000 })
      const most = filesOf(pid)
      const [opening, beside] = [await meanwhile, await others(10)]
      await vi.waitFor(() => expect(filesOf(pid)).toBeLessThanOrEqual(before + 5), {
        timeout: usualConnectionTimeouts.idleMs + 15_000,
        interval: 100,
      })
      const goneMs = performance.now() - started - openedMs
      expect(sockets.filter(socket => !socket.destroyed).length).toBeGreaterThan(count / 2)
      console.log(
        `${count} opened in ${Math.round(openedMs)} ms; descriptors ${before}, ${most}, ${filesOf(pid)}; the last gone ${Math.round(goneMs)} ms after the last was opened; p99 of others ${alone.toFixed(1)} ms alone, ${opening.toFixed(1)} ms while they come, ${beside.toFixed(1)} ms beside them`,
      )
      expect(beside).toBeLessThan(alone * 2 + 5)
    },
    180_000,
  )
})

describe('connections that are in use', () => {
  test('a slow download goes on for as long as bytes do', async () => {
    const { url } = await startLectern({}, { connectionTimeouts: quick })
    const whole = Number((await fetch(url + LARGE, { method: 'HEAD' })).headers.get('content-length'))
    const socket = await dial(url)
    // Far more than the buffers in between hold.
    const times = Math.ceil(60e6 / whole)
    socket.write(request(LARGE).repeat(times - 1) + request(LARGE, 'connection: close\r\n'))
    let received = 0
    socket.on('data', chunk => {
      received += chunk.length
    })
    // Some megabytes within each stretch that would be too long without any: the kernel asks for more in large pieces.
    const started = performance.now()
    while (performance.now() - started < quick.idleMs * 2) {
      const enough = received + 2e6
      socket.resume()
      await vi.waitFor(() => expect(received).toBeGreaterThan(enough), { timeout: 5000, interval: 1 })
      socket.pause()
      await wait(quick.idleMs * 0.4)
    }
    expect(received).toBeLessThan(whole * times)
    socket.resume()
    await once(socket, 'end')
    expect(received).toBeGreaterThan(whole * times)
  })

  test('a call goes on while either end says something, and is ended when nobody does', async () => {
    const engine = await startFakeEngine(socket => {
      socket.write(SWITCHING)
      socket.on('data', data => data.includes('ping') && socket.write('pong'))
    })
    const { operator, url } = await startLectern(engine.settings, { connectionTimeouts: quick })
    await untilMedia(url, 'ready')
    const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
    const { id: roomId } = await operator.createRooms({ spaceId, name: 'Room' })
    const { mediaToken } = admitted(await operator.joinRoom({ spaceId, roomId }))
    const socket = await dial(url)
    let heard = ''
    socket.on('data', data => {
      heard += data
    })
    socket.write(upgradeRequest(`/media/rtc?access_token=${mediaToken}`))
    await vi.waitFor(() => expect(heard).toContain('101'))
    const pings = 6
    for (let count = 0; count < pings; count++) {
      socket.write('ping')
      await wait(quick.idleMs * 0.4)
    }
    expect(heard.split('pong')).toHaveLength(pings + 1)
    await once(socket, 'end', { signal: AbortSignal.timeout(quick.idleMs * 2) })
  })

  test('a connection goes on that is used again in time, and may be quiet for longer than a request takes', async () => {
    const { url } = await startLectern({}, { connectionTimeouts: quick })
    const socket = await dial(url)
    let heard = ''
    socket.on('data', data => {
      heard += data
    })
    const rounds = 3
    for (let count = 1; count <= rounds; count++) {
      socket.write(request('/healthz'))
      await vi.waitFor(() => expect(heard.split('HTTP/1.1 200')).toHaveLength(count + 1))
      await wait(quick.idleMs * 0.6)
    }
  })
})

describe('the most connections at once', () => {
  const isServed = async (socket: Socket) => {
    socket.write(request('/healthz'))
    const answered = once(socket, 'data').then(() => true)
    const ended = Promise.race([once(socket, 'end'), once(socket, 'close')]).then(() => false)
    return Promise.race([answered, ended]).catch(() => false)
  }
  const dialFrom = (url: string, address: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => dial(url, address)))
  const countServed = async (sockets: Socket[]) => {
    const served = await Promise.all(sockets.map(isServed))
    return served.filter(Boolean).length
  }

  test('one address has a quarter of them, and all have no more; who is there stays, and who goes makes room', async () => {
    const { url } = await startLectern({ LECTERN_MAX_CONNECTIONS: '32' })
    const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']
    const crowd: Socket[] = []
    for (const address of addresses) {
      const sockets = await dialFrom(url, address, 10)
      const served = await Promise.all(sockets.map(isServed))
      crowd.push(...sockets.filter((_socket, index) => served[index]))
      // The test itself has asked over some connections, from 127.0.0.1.
      if (address === addresses[0]) expect(crowd).toHaveLength(8)
    }
    expect(crowd.length).toBeGreaterThanOrEqual(24)
    const fresh = await dialFrom(url, '127.0.0.6', 8)
    expect((await countServed(fresh)) + crowd.length).toBeLessThanOrEqual(32)
    expect(await countServed(await dialFrom(url, '127.0.0.7', 1))).toBe(0)
    expect(await countServed(crowd)).toBe(crowd.length)

    crowd[0]?.destroy()
    await vi.waitFor(async () => expect(await countServed(await dialFrom(url, '127.0.0.2', 1))).toBe(1))
    expect(await countServed(await dialFrom(url, '127.0.0.2', 1))).toBe(0)
  })

  test('a trusted proxy may have them all', async () => {
    const { url } = await startLectern({ LECTERN_MAX_CONNECTIONS: '32', LECTERN_TRUSTED_PROXIES: '127.0.0.2' })
    expect(await countServed(await dialFrom(url, '127.0.0.2', 24))).toBe(24)
  })

  test('fits the limit on open files unless it is said', async () => {
    const fitting = (files: number) => {
      const script =
        "import('./server/http/connections.ts').then(({ fittingConnections }) => console.log(fittingConnections()))"
      const { stdout } = spawnSync('bash', ['-c', `ulimit -n ${files} && exec "$0" -e "$1"`, process.execPath, script])
      return Number(stdout)
    }
    for (const files of [300, 1024, 4096]) {
      expect(fitting(files)).toBeGreaterThanOrEqual(32)
      // A call takes two each.
      expect(fitting(files) * 2).toBeLessThan(files - 50)
    }
    expect(fitting(4096)).toBeGreaterThan(1000)
  })
})

test('a proxy that nobody has named is told of, once', async () => {
  const lines = async (environment: Record<string, string>) => {
    const { child, ended, url } = await startProcess({ LECTERN_DATA: temporaryFolder(), ...environment })
    for (let count = 0; count < 3; count++)
      await fetch(`${url}/healthz`, { headers: { 'x-forwarded-for': `192.0.2.${count}` } })
    child.kill('SIGTERM')
    return (await ended).stdout.split('\n').filter(line => line.includes('X-Forwarded-For'))
  }
  const [told, ...more] = await lines({})
  expect(JSON.parse(told ?? '{}')).toMatchObject({
    level: 'warn',
    msg: expect.stringMatching(/127\.0\.0\.1.*LECTERN_TRUSTED_PROXIES/),
  })
  expect(more).toEqual([])
  expect(await lines({ LECTERN_TRUSTED_PROXIES: '127.0.0.1' })).toEqual([])
})

test('a client that goes before its request is complete is no failure of ours', async () => {
  const { child, ended, url } = await startProcess({ LECTERN_DATA: temporaryFolder() })
  const socket = await dial(url)
  holders['half a body']?.(socket)
  const { localPort = 0 } = socket
  await healthz(url)
  expect(await heldPorts(url)).toContain(localPort)
  socket.resetAndDestroy()
  await vi.waitFor(async () => expect(await heldPorts(url)).not.toContain(localPort), { timeout: 5000 })
  child.kill('SIGTERM')
  expect((await ended).stdout).not.toMatch(/"level":"(error|warn)"/)
})
