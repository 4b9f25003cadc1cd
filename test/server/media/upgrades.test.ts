import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { type Client, createClient } from '../../../client/client.ts'
import { admitted } from '../../support/admitted.ts'
import { startLectern } from '../../support/lectern.ts'
import { untilMedia } from '../../support/live.ts'
import { isLong } from '../../support/long.ts'
import { startProcess, temporaryFolder } from '../../support/process.ts'
import { dial, filesOf, SWITCHING, startFakeEngine, upgradeRequest } from '../../support/sockets.ts'

/* Requests for signalling that come to nothing, and what they leave behind. */

const COUNT = isLong ? 1000 : 70
const PASSWORD = 'operator password'

const mediaTokenOf = async (client: Client) => {
  const { id: spaceId } = await client.createSpaces({ name: 'Space' })
  const { id: roomId } = await client.createRooms({ spaceId, name: 'Room' })
  return admitted(await client.joinRoom({ spaceId, roomId })).mediaToken
}

const path = (token: string) => `/media/rtc?protocol=15&access_token=${token}`

const statusOf = async (socket: Socket) => {
  const [data] = (await once(socket, 'data')) as [Buffer]
  return Number(data.toString().split(' ')[1])
}

test('refused upgrades of every kind leave no descriptor behind', { timeout: 120_000 }, async () => {
  let treat = (socket: Duplex): unknown => socket.destroy()
  const engine = await startFakeEngine(socket => treat(socket))
  const service = await startProcess({
    LECTERN_DATA: temporaryFolder(),
    LECTERN_ADMIN_PASSWORD: PASSWORD,
    ...engine.settings,
  })
  const client = createClient({ baseUrl: service.url })
  await client.signIn('operator', PASSWORD)
  await untilMedia(service.url, 'ready')
  const token = await mediaTokenOf(client)
  const pid = service.child.pid ?? 0
  const whole = upgradeRequest(path(token))

  /** Goes once it is answered, having sent a little more by then. */
  const answered =
    (request: string, ...statuses: number[]) =>
    async () => {
      const socket = await dial(service.url)
      const answer = statusOf(socket)
      socket.write(request)
      expect(statuses).toContain(await answer)
      socket.end('more')
    }
  /** Does not wait for an answer. */
  const hasty = (request: string) => async () => {
    const socket = await dial(service.url)
    socket.end(`${request}more`)
  }
  /** Neither reads nor closes. */
  const stubborn = (request: string) => async () => {
    const socket = await dial(service.url)
    socket.pause()
    socket.write(request)
  }
  const kinds: [string, () => Promise<void>][] = [
    ['no token', answered(upgradeRequest('/media/rtc'), 403)],
    ['no token, hasty', hasty(upgradeRequest('/media/rtc'))],
    ['no token, stubborn', stubborn(upgradeRequest('/media/rtc'))],
    ['a body that never comes', stubborn(upgradeRequest('/media/rtc', { 'content-length': '9' }))],
    ['a bad token', answered(upgradeRequest(path(`${token}x`)), 403)],
    ['half a request', hasty(whole.slice(0, 60))],
    ['not a request', stubborn(`?${whole}`)],
    ['the engine cuts it off', answered(whole, 502)],
    ['the engine refuses', answered(whole, 401)],
    // 503 as soon as that is known.
    ['the engine is away', answered(whole, 502, 503)],
    ['the engine is away, stubborn', stubborn(whole)],
  ]
  /** On a connection of its own, which is taken after all that were made before. */
  const isAlive = answered('GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 200)
  await isAlive()
  const before = filesOf(pid)
  for (const [kind, knock] of kinds) {
    treat = socket =>
      kind === 'the engine refuses'
        ? socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
        : socket.destroy()
    if (kind === 'the engine is away') engine.stop()
    for (let done = 0; done < COUNT; done += 50)
      await Promise.all(Array.from({ length: Math.min(50, COUNT - done) }, knock))
    for (let looks = 0; looks < 3; looks++) await isAlive()
    const most = before + 3
    await vi.waitFor(() => expect(filesOf(pid), kind).toBeLessThanOrEqual(most), { timeout: 10_000, interval: 50 })
  }
  console.log(`${kinds.length} kinds of ${COUNT} refused upgrades: ${before} descriptors before, ${filesOf(pid)} after`)
})

describe('the limit of an address', () => {
  const start = async (treat: (socket: Duplex) => void) => {
    const engine = await startFakeEngine(treat)
    const lectern = await startLectern({
      ...engine.settings,
      LECTERN_RATE_LIMITS: 'on',
      LECTERN_TRUSTED_PROXIES: '127.0.0.1',
    })
    const ask = async (address: string, token: string) => {
      const socket = await dial(lectern.url)
      const answer = statusOf(socket)
      socket.write(upgradeRequest(path(token), { 'x-forwarded-for': address }))
      const status = await answer
      socket.destroy()
      return status
    }
    /** What is left of it, after this question. */
    const left = async (address: string) => {
      const { headers } = await lectern.request('POST', '/v1/auth/token', { headers: { 'x-forwarded-for': address } })
      return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
    }
    await untilMedia(lectern.url, 'ready')
    return { lectern, token: await mediaTokenOf(lectern.operator), ask, left }
  }

  test('counts refused upgrades, also of who has gone by then, and not good ones', async () => {
    const { ask, left, lectern, token } = await start(socket => socket.write(SWITCHING))
    expect(await left('192.0.2.1')).toBe(1199)
    expect(await ask('192.0.2.1', 'bad')).toBe(403)
    expect(await left('192.0.2.1')).toBe(1197)
    const gone = await dial(lectern.url)
    gone.write(upgradeRequest('/media/rtc', { 'x-forwarded-for': '192.0.2.1' }), () => gone.resetAndDestroy())
    let asked = 0
    await vi.waitFor(async () => expect(await left('192.0.2.1')).toBe(1196 - ++asked))

    for (let count = 0; count < 5; count++) expect(await ask('192.0.2.1', token)).toBe(101)
    expect(await left('192.0.2.1')).toBe(1195 - asked)
  })

  test('counts who asks why they were refused, whatever the answer', async () => {
    const { left, lectern, token } = await start(socket => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const ask = (of: string) => lectern.request('GET', `/media/rtc/validate?access_token=${of}`, { headers })
    expect((await ask('bad')).status).toBe(403)
    expect(await left('192.0.2.1')).toBe(1198)
    await ask(token)
    expect(await left('192.0.2.1')).toBe(1196)
  })

  test('counts what the engine refuses, and not that it is away', async () => {
    let answer = 'HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n'
    const { ask, left, token } = await start(socket => socket.end(answer))
    expect(await ask('192.0.2.1', token)).toBe(401)
    expect(await left('192.0.2.1')).toBe(1198)
    answer = 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n'
    expect(await ask('192.0.2.1', token)).toBe(503)
    expect(await left('192.0.2.1')).toBe(1197)
  })

  test('past it refused ones are told to wait, and good ones still let in', async () => {
    const { ask, token } = await start(socket => socket.write(SWITCHING))
    for (let round = 0; round < 24; round++)
      await Promise.all(Array.from({ length: 50 }, () => ask('192.0.2.1', 'bad')))
    expect(await ask('192.0.2.1', 'bad')).toBe(429)
    expect(await ask('192.0.2.2', 'bad')).toBe(403)
    expect(await ask('192.0.2.1', token)).toBe(101)
  })
})
