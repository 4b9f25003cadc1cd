import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../server/config.ts'
import { provideEngine } from '../server/media/provision.ts'
import { livekitConfig } from './livekit.ts'

/*
 * Two nodes, PostgreSQL, Redis, two LiveKit nodes and nginx in front, on one machine: to try what docs/operating.md says
 * of several machines. Everything is in one folder, on ports that follow one another, and ends with this program.
 */

const first = Number(process.env.PORT ?? 8080)
const ports = {
  proxy: first,
  nodes: [first + 1, first + 2],
  postgres: first + 3,
  redis: first + 4,
  livekit: [first + 5, first + 8],
}
const folder = resolve(process.env.LECTERN_DATA ?? '/var/tmp/lectern-cluster')
const publicUrl = `http://localhost:${ports.proxy}`

/** Each needs those before it. */
const tiers: ChildProcess[][] = [[]]
let isStopping = false

const end = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise(done => child.once('exit', done))
  // To PostgreSQL it means: without waiting for others. A second one means that to Lectern and LiveKit.
  child.kill('SIGINT')
  const again = setTimeout(() => child.kill('SIGINT'), 1000)
  await ended
  clearTimeout(again)
}

const stop = async () => {
  if (isStopping) return
  isStopping = true
  for (const tier of tiers.toReversed()) await Promise.all(tier.map(end))
}

interface RunOptions {
  uid?: number
  gid?: number
  env?: Record<string, string>
  isShown?: boolean
  /** What to do when it ends by itself; without it everything ends. */
  onEnd?: () => void
}

const run = (program: string, args: string[], { isShown, env, onEnd, ...rest }: RunOptions = {}) => {
  const child = spawn(program, args, {
    ...rest,
    cwd: folder,
    // A signal from the terminal is for this program alone, which ends the others in their order.
    detached: true,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', isShown ? 'inherit' : 'ignore', 'inherit'],
  })
  tiers.at(-1)?.push(child)
  child.once('error', error => console.error(`${program}: ${error.message}`))
  child.once('exit', code => {
    if (isStopping) return
    if (onEnd) return onEnd()
    console.error(`${program} has ended with ${code}.`)
    process.exitCode = 1
    void stop()
  })
  return child
}

/** Asks until it is so. */
const until = async (what: string, isSo: () => Promise<boolean> | boolean) => {
  const deadline = performance.now() + 60_000
  while (!isStopping && !(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what} is not there after a minute`)
    await sleep(100)
  }
}
const answers = async (url: string) => (await fetch(url).catch(() => null))?.ok === true

/** PostgreSQL refuses to run as root: then it runs as the user its package made. */
const postgresUser = () => {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

const startPostgres = async () => {
  const debian = '/usr/lib/postgresql'
  const [newest] = (existsSync(debian) ? readdirSync(debian) : []).sort((a, b) => Number(b) - Number(a))
  const program = (name: string) => (newest ? join(debian, newest, 'bin', name) : name)
  const user = postgresUser()
  const data = join(folder, 'postgres')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  if (user.uid !== undefined) spawnSync('chown', [`${user.uid}:${user.gid}`, data])
  const address = `postgres://lectern@127.0.0.1:${ports.postgres}/postgres`
  if (!existsSync(join(data, 'PG_VERSION')))
    spawnSync(program('initdb'), ['-D', data, '-U', 'lectern', '-A', 'trust', '-E', 'UTF8', '--no-locale'], user)
  const options = ['-p', String(ports.postgres), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
  run(program('postgres'), ['-D', data, '-c', 'log_min_messages=fatal', ...options], user)
  await until('PostgreSQL', () => spawnSync(program('pg_isready'), ['-q', '-d', address]).status === 0)
  return address
}

const startLiveKit = async (secret: string) => {
  const program = await provideEngine(readConfig({}).cache, () => {}, new AbortController().signal)
  for (const [index, port] of ports.livekit.entries()) {
    const file = join(folder, `livekit-${index + 1}.yaml`)
    const config = livekitConfig({
      port,
      tcpPort: port + 1,
      udpPort: port + 2,
      redis: `127.0.0.1:${ports.redis}`,
      secret,
      eventsUrl: `${publicUrl}/v1/media/events`,
    })
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
    run(program, ['--config', file])
    await until('LiveKit', () => answers(`http://127.0.0.1:${port}`))
  }
}

/** A node that stops is left out as soon as it takes no more connections; until then it serves what comes. */
const nginx = `
pid nginx.pid; error_log stderr crit; worker_processes 1; daemon off;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  upstream lectern {
    ${ports.nodes.map(port => `server 127.0.0.1:${port} max_fails=1 fail_timeout=1s;`).join(' ')}
    keepalive 64;
  }
  map $http_upgrade $lectern_connection { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${ports.proxy};
    client_max_body_size 2m;
    location / {
      proxy_pass http://lectern;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $lectern_connection;
      proxy_read_timeout 1h;
    }
  }
}
`

/** The same from one start to the next. */
const keep = (name: string) => {
  const file = join(folder, name)
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

const start = async () => {
  mkdirSync(folder, { recursive: true })
  const [secret, masterKey] = [keep('livekit.secret'), keep('master.key')]
  const databaseUrl = await startPostgres()
  run('redis-server', [
    ...['--port', String(ports.redis), '--bind', '127.0.0.1'],
    ...['--dir', folder, '--save', '', '--loglevel', 'warning'],
  ])
  tiers.push([])
  await startLiveKit(secret)
  tiers.push([])
  for (const [index, port] of ports.nodes.entries()) {
    const data = join(folder, `node-${index + 1}`)
    mkdirSync(data, { recursive: true, mode: 0o700 })
    const settings = {
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      LECTERN_DATA: data,
      LECTERN_MASTER_KEY: masterKey,
      LECTERN_PUBLIC_URL: publicUrl,
      LECTERN_TRUSTED_PROXIES: '127.0.0.1',
      LECTERN_LIVEKIT_URL: ports.livekit.map(port => `http://127.0.0.1:${port}`).join(','),
      LECTERN_LIVEKIT_API_KEY: 'lectern',
      LECTERN_LIVEKIT_API_SECRET: secret,
      LECTERN_DRAIN_SECONDS: process.env.LECTERN_DRAIN_SECONDS ?? '',
      LECTERN_LOG_LEVEL: 'warn',
    }
    const program = join(import.meta.dirname, '../bin/lectern.js')
    // Started again when it ends, as systemd does it: so one can be restarted while the other serves.
    const startNode = () => {
      const { pid } = run(process.execPath, [program, 'start'], { env: settings, isShown: true, onEnd: startNode })
      console.log(`Node ${index + 1} is process ${pid}.`)
    }
    startNode()
    await until(`node ${index + 1}`, () => answers(`http://127.0.0.1:${port}/readyz`))
  }
  writeFileSync(join(folder, 'nginx.conf'), nginx)
  run('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')])
  await until('nginx', () => answers(`${publicUrl}/readyz`))
  if (!isStopping) console.log(`\nTwo nodes serve ${publicUrl}. Data is in ${folder}. Press Ctrl+C to stop.`)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
start().catch(async error => {
  console.error(error.message)
  process.exitCode = 1
  await stop()
})
