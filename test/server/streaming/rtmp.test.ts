import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { isForbiddenTarget, type PublisherOptions, publishRtmp, rtmpTargetOf } from '../../../server/streaming/rtmp.ts'
import { probe } from '../../support/flash.ts'
import { streamByHand } from '../../support/fragments.ts'
import { freePort } from '../../support/ports.ts'
import { launchProgram, temporaryFolder } from '../../support/process.ts'
import { behindTls } from '../../support/tls.ts'

/* A stream by hand, published by a real ffmpeg to another that takes it. */

const WITHIN_MS = 20_000
const KEY = 'f3b1-key?auth=c0ffee&x=1'

let stream: ReturnType<typeof streamByHand>
beforeAll(() => {
  stream = streamByHand(100)
})

/** Takes one stream, of any key, and tells which it was. */
const startTarget = (port: number) => {
  const file = join(temporaryFolder(), 'received.flv')
  const from = ['-listen', '1', '-i', `rtmp://127.0.0.1:${port}/live/any`]
  const { child, ended } = launchProgram('ffmpeg', ['-nostdin', '-v', 'warning', ...from, '-c', 'copy', file], {})
  return { file, child, ended }
}

const publish = (url: string, options: Partial<PublisherOptions> = {}) => {
  const states: string[] = []
  const lines: string[] = []
  const tell = (fields: unknown, text?: string) => void lines.push(JSON.stringify([fields, text]))
  const publisher = publishRtmp({
    url,
    ffmpeg: 'ffmpeg',
    allowPrivate: true,
    subscribe: stream.subscribe,
    onState: state => void states.push(state),
    log: { info: tell, warn: tell } as PublisherOptions['log'],
    retryAfterMs: [200],
    ...options,
  })
  onTestFinished(publisher.stop)
  const until = (...expected: string[]) =>
    vi.waitFor(() => expect(states).toEqual(expected), { timeout: WITHIN_MS, interval: 50 })
  return { ...publisher, states, lines, until }
}

/** Of all processes, how they were called and in what environment. */
const processes = () =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid =>
      ['cmdline', 'environ'].map(name => {
        try {
          return readFileSync(`/proc/${pid}/${name}`, 'utf8')
        } catch {
          return ''
        }
      }),
    )

/** Takes connections, and does nothing but count them. */
const startSilent = async () => {
  const sockets: Socket[] = []
  const server = createServer(socket => {
    socket.on('error', () => {})
    sockets.push(socket)
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { port: (server.address() as { port: number }).port, sockets }
}

test('publishes to the end, and nobody sees the key', async () => {
  const port = await freePort()
  const target = startTarget(port)
  const { until, stop, lines } = publish(`rtmp://127.0.0.1:${port}/live/${KEY}`)
  await until('live')
  const seen = processes()
  expect(seen.some(text => text.includes('-fpre'))).toBe(true)
  expect(seen.filter(text => text.includes('f3b1-key') || text.includes('c0ffee'))).toEqual([])
  await vi.waitFor(() => expect(readFileSync(target.file).length).toBeGreaterThan(50_000), { timeout: WITHIN_MS })
  await stop()
  const { code, stderr } = await target.ended
  expect(stderr).toContain(`Unexpected stream ${KEY}, expecting any`)
  expect(stderr).not.toContain('App field')
  // Its end was told, not merely seen.
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('reset by peer') })
  expect(probe(target.file).streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac'])
  expect(lines).toEqual([])
})

test('finds a target again that was lost', async () => {
  const port = await freePort()
  const first = startTarget(port)
  const { until, stop, lines } = publish(`rtmp://127.0.0.1:${port}/live/${KEY}`)
  await until('live')
  first.child.kill('SIGKILL')
  await until('live', 'retrying')
  const second = startTarget(port)
  await until('live', 'retrying', 'live')
  await stop()
  await second.ended
  expect(probe(second.file).streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac'])
  expect(lines[0]).toContain('"host":"127.0.0.1"')
  expect(lines.join()).not.toContain('f3b1-key')
})

test('publishes over TLS to whom the certificate is for, and to nobody else', async () => {
  const port = await freePort()
  const target = startTarget(port)
  const { url, authority } = await behindTls(`http://127.0.0.1:${port}`)
  const address = `${url.replace('https:', 'rtmps:')}/live/${KEY}`
  const stranger = publish(address)
  await stranger.until('retrying')
  expect(stranger.lines[0]).toMatch(/certificate/)
  await stranger.stop()
  const ca = readFileSync(authority, 'utf8')
  const other = publish(address.replace('localhost', '127.0.0.1'), { ca })
  await other.until('retrying')
  expect(other.lines[0]).toMatch(/certificate/)
  await other.stop()
  const { until, stop } = publish(address, { ca })
  await until('live')
  await stop()
  await target.ended
  expect(probe(target.file).streams).toHaveLength(2)
})

test('goes to no address that is not public, whatever its name', async () => {
  const { port, sockets } = await startSilent()
  const literal = publish(`rtmp://127.0.0.1:${port}/live/key`, { allowPrivate: false })
  await literal.until('failed')
  const mapped = publish(`rtmp://[::ffff:127.0.0.1]:${port}/live/key`, { allowPrivate: false })
  await mapped.until('failed')
  const named = publish(`rtmp://live.example.com:${port}/live/key`, {
    allowPrivate: false,
    lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  await named.until('failed')
  expect(named.lines).toEqual([expect.stringContaining('not at a public address')])
  expect(sockets).toEqual([])
})

test('tries a target again that takes nothing, until it is stopped', async () => {
  const { port, sockets } = await startSilent()
  const { until, lines, stop } = publish(`rtmp://127.0.0.1:${port}/live/key`, { stalledForMs: 500 })
  await until('retrying')
  await vi.waitFor(() => expect(sockets.length).toBeGreaterThan(1), { timeout: WITHIN_MS })
  expect(lines[0]).toContain('too slow')
  await stop()
  // Whoever doesn't read doesn't see that it has ended.
  for (const socket of sockets) socket.resume()
  await vi.waitFor(() => expect(sockets.every(({ destroyed }) => destroyed)).toBe(true))
})

test('gives up after a while', async () => {
  const { until, lines } = publish(`rtmp://127.0.0.1:${await freePort()}/live/key`, { giveUpAfterMs: 0 })
  await until('failed')
  expect(lines).toEqual([expect.stringContaining('refused')])
})

describe('an address', () => {
  test('is the host, the application and the key', () => {
    const plain = { host: 'live.example.com', port: 1935, isTls: false, app: 'app', key: 'k' }
    expect(rtmpTargetOf('rtmp://live.example.com/app/k')).toEqual({ ...plain, tcUrl: 'rtmp://live.example.com/app' })
    expect(rtmpTargetOf('RTMPS://Live.Example.com:443/rtmp/room/k?a=b&c=/d')).toEqual({
      host: 'live.example.com',
      port: 443,
      isTls: true,
      app: 'rtmp/room',
      key: 'k?a=b&c=/d',
      tcUrl: 'rtmps://Live.Example.com:443/rtmp/room',
    })
    expect(rtmpTargetOf('rtmps://live.example.com/app/k')).toMatchObject({ port: 443, isTls: true })
    expect(rtmpTargetOf('rtmp://[2001:db8::1]:80/app/k')).toMatchObject({ host: '2001:db8::1', port: 80 })
    expect(rtmpTargetOf('rtmp://0x7f.1/app/k')).toMatchObject({ host: '127.0.0.1' })
  })

  test.each([
    'https://live.example.com/app/k',
    'rtmp://live.example.com/app',
    'rtmp://live.example.com/app/',
    'rtmp://live.example.com//k',
    'rtmp://user:pass@live.example.com/app/k',
    'rtmp://live.example.com/app/k#part',
    'rtmp://live.example.com/app/k k',
    'rtmp://live.example.com/app/k\nrtmp_listen=1',
    'rtmp://live.example.com:99999/app/k',
    'rtmp:///app/k',
    'rtmp://exa%2fmple/app/k',
  ])('is not %j', text => expect(rtmpTargetOf(text)).toBeNull())

  test('names nothing that is not public', () => {
    for (const host of ['127.0.0.1', '10.0.0.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:10.0.0.1]', 'localhost.'])
      expect(isForbiddenTarget(`rtmp://${host}/app/k`), host).toBe(true)
    expect(isForbiddenTarget('rtmps://live.example.com:443/app/k')).toBe(false)
  })
})
