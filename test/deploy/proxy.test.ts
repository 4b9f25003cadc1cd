import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { Agent, fetch, type RequestInit } from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../client/client.ts'
import { admitted } from '../support/admitted.ts'
import { untilMedia } from '../support/live.ts'
import { freePort } from '../support/ports.ts'
import { launchProgram, startProcess, temporaryFolder } from '../support/process.ts'
import { SWITCHING, startFakeEngine, upgradeRequest } from '../support/sockets.ts'
import { makeCertificate } from '../support/tls.ts'

/* The proxy of deploy/, in front of a running service. */

const PASSWORD = 'operator password'
const NGINX = '/usr/sbin/nginx'

/** All of the file but what every installation has its own of: name, ports, certificate and folders. */
const siteOf = (folder: string, https: number, http: number, service: number, certificate: Record<string, string>) => {
  const replaced = {
    'https://lectern.example': `https://localhost:${https}`,
    'lectern.example;': 'localhost;',
    '127.0.0.1:8080': `127.0.0.1:${service}`,
    '/etc/letsencrypt/live/lectern.example/fullchain.pem': certificate.authority,
    '/etc/letsencrypt/live/lectern.example/privkey.pem': certificate.key,
    '/var/log/nginx': folder,
    'listen 443 ': `listen ${https} `,
    'listen 80;': `listen ${http};`,
    'listen [::]:443 ': `listen [::]:${https} `,
    'listen [::]:80;': `listen [::]:${http};`,
  }
  return Object.entries(replaced).reduce(
    (text, [from, to = '']) => {
      expect(text).toContain(from)
      return text.replaceAll(from, to)
    },
    readFileSync('deploy/nginx.conf', 'utf8'),
  )
}

/** nginx with that site alone, as Debian's own file includes it. */
const startProxy = async (service: number, [https, http]: [number, number]) => {
  const folder = temporaryFolder()
  // Its workers run as another user than root.
  chmodSync(folder, 0o755)
  const certificate = makeCertificate()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${join(folder, name)};`)
    .join(' ')
  writeFileSync(join(folder, 'site.conf'), siteOf(folder, https, http, service, certificate))
  const main = join(folder, 'nginx.conf')
  writeFileSync(
    main,
    `pid ${join(folder, 'pid')}; daemon off; error_log stderr;
     events {}
     http { ${temporary} access_log ${join(folder, 'access.log')}; include ${join(folder, 'site.conf')}; }`,
  )
  execFileSync(NGINX, ['-t', '-q', '-c', main])
  launchProgram(NGINX, ['-c', main], {}, { detached: true })
  const ca = readFileSync(certificate.authority)
  const ask = async (path: string, init: RequestInit = {}, from = '127.0.0.1') => {
    const dispatcher = new Agent({ localAddress: from, connect: { ca } })
    onTestFinished(() => dispatcher.destroy())
    const answer = await fetch(`https://localhost:${https}${path}`, { redirect: 'manual', ...init, dispatcher })
    // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape, for the test to look into
    return { status: answer.status, headers: answer.headers, body: (await answer.json().catch(() => null)) as any }
  }
  await vi.waitFor(async () => expect((await ask('/healthz')).status).toBe(200), { timeout: 10_000 })
  const written = () => {
    const read = (name: string) => readFileSync(join(folder, name), 'utf8')
    return read('access.log') + read('lectern.log')
  }
  return { ask, ca, written }
}

test('TLS, sign-in, signalling and the addresses of clients go through nginx', async () => {
  const engine = await startFakeEngine(socket => {
    socket.write(SWITCHING)
    socket.on('data', data => data.includes('ping') && socket.write('pong'))
  })
  const ports: [number, number] = [await freePort(), await freePort()]
  const publicUrl = `https://localhost:${ports[0]}`
  const port = await freePort()
  const lectern = await startProcess({
    ...engine.settings,
    PORT: String(port),
    LECTERN_DATA: temporaryFolder(),
    LECTERN_ADMIN_PASSWORD: PASSWORD,
    LECTERN_PUBLIC_URL: publicUrl,
    LECTERN_TRUSTED_PROXIES: '127.0.0.1',
    LECTERN_RATE_LIMITS: 'on',
    LECTERN_METRICS_TOKEN: 'a token for metrics',
  })
  const behind = `http://127.0.0.1:${port}`
  await untilMedia(behind, 'ready')
  const operator = createClient({ baseUrl: behind })
  await operator.signIn('operator', PASSWORD)
  const { ask, ca, written } = await startProxy(port, ports)

  const plain = await fetch(`http://localhost:${ports[1]}/room/abc?accessToken=secret`, { redirect: 'manual' })
  expect([plain.status, plain.headers.get('location')]).toEqual([301, `${publicUrl}/room/abc?accessToken=secret`])
  expect((await ask('/metrics', { headers: { authorization: 'Bearer a token for metrics' } })).status).toBe(404)

  const session = await ask('/v1/auth/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: publicUrl, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ username: 'operator', password: PASSWORD }),
  })
  expect(session.status).toBe(200)
  const cookies = session.headers.getSetCookie()
  for (const cookie of cookies) expect(cookie).toContain('Secure')
  const cookie = cookies.map(text => text.split(';')[0]).join('; ')
  expect((await ask('/v1/users/me', { headers: { cookie } })).body).toMatchObject({ username: 'operator' })

  const left = async (from: string, claimed: string) => {
    const { headers } = await ask('/v1/users/me', { headers: { 'x-forwarded-for': claimed } }, from)
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  }
  expect(await left('127.0.0.2', '192.0.2.1')).toBe(1199)
  expect(await left('127.0.0.2', '192.0.2.2')).toBe(1198)
  expect(await left('127.0.0.3', '192.0.2.2')).toBe(1199)

  const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
  const { id: roomId } = await operator.createRooms({ spaceId, name: 'Room' })
  const { mediaToken, mediaUrl } = admitted(await operator.joinRoom({ spaceId, roomId }))
  expect(mediaUrl).toBe(`${publicUrl.replace('https', 'wss')}/media`)
  const socket = connectTls({
    port: ports[0],
    host: 'localhost',
    servername: 'localhost',
    ca,
    ALPNProtocols: ['http/1.1'],
  })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  let heard = ''
  socket.on('data', data => {
    heard += data
  })
  socket.write(upgradeRequest(`/media/rtc?access_token=${mediaToken}`, { host: 'localhost' }))
  await vi.waitFor(() => expect(heard).toMatch(/^HTTP\/1.1 101 /), { timeout: 5000 })
  socket.write('ping')
  await vi.waitFor(() => expect(heard).toContain('pong'), { timeout: 5000 })

  // Addresses carry secrets: none is written down, not even when the service is away.
  lectern.child.kill('SIGKILL')
  await lectern.ended
  expect((await ask(`/media/rtc/validate?access_token=${mediaToken}`)).status).toBe(502)
  expect(written()).toBe('')
})
