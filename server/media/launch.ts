import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { randomToken } from '../identity/keys.ts'
import { tiedToUs } from './tied.ts'

export interface LaunchOptions {
  program: string
  /** Keeps the engine's settings and the number of its process. One engine for one folder. */
  folder: string
  /** The address clients reach the media at. */
  mediaIp: string
  /** TCP and UDP port for media; any free ones if null. */
  mediaPorts: { tcp: number; udp: number } | null
  /** Where the engine reports what happens. */
  eventsUrl: string
  log: FastifyBaseLogger
  onState: (state: 'starting' | 'ready', access: EngineAccess) => void
}

/** Where it was first started; where it is now, `onState` says. */
export interface LaunchedEngine extends EngineAccess {
  stop: () => Promise<void>
}

const LOOK_EVERY_MS = 2000
const UNHEALTHY_AFTER = 3
const READY_WITHIN_MS = 30_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
const STOP_WITHIN_MS = 3000

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

const configFileIn = (folder: string) => join(folder, 'livekit.yaml')

export interface EngineAccess {
  /** Signalling and control, on this machine only. */
  url: string
  apiKey: string
  apiSecret: string
}

/** The engine that runs, or ran last, with the settings of this folder; null: none has. */
export const readAccess = (folder: string): (EngineAccess & { media: MediaAddress }) | null => {
  try {
    const { port, keys, rtc } = JSON.parse(readFileSync(configFileIn(folder), 'utf8'))
    const [[apiKey, apiSecret]] = Object.entries<string>(keys) as [[string, string]]
    const media = { ip: rtc.node_ip, tcp: rtc.tcp_port, udp: rtc.udp_port }
    return { url: `http://127.0.0.1:${port}`, apiKey, apiSecret, media }
  } catch {
    return null
  }
}

export interface MediaAddress {
  ip: string
  tcp: number
  udp: number
}

/** JSON is YAML, so the engine takes it. */
const engineConfig = async (
  { mediaIp, mediaPorts, eventsUrl }: LaunchOptions,
  port: number,
  { apiKey, apiSecret }: EngineAccess,
) => ({
  port,
  bind_addresses: ['127.0.0.1'],
  keys: { [apiKey]: apiSecret },
  rtc: {
    tcp_port: mediaPorts?.tcp ?? (await freePort()),
    udp_port: mediaPorts?.udp ?? (await freePort()),
    use_external_ip: false,
    node_ip: mediaIp,
    enable_loopback_candidate: mediaIp === '127.0.0.1',
  },
  // Rooms are made by joining through us alone: nobody can bring back one that was ended.
  room: { auto_create: false, empty_timeout: 60, departure_timeout: 20 },
  webhook: { api_key: apiKey, urls: [eventsUrl] },
  logging: { json: true, level: 'warn' },
})

const outputs: SpawnOptions = { stdio: ['ignore', 'pipe', 'pipe'] }

const isAlive = async (url: string) => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1000) })).ok
  } catch {
    return false
  }
}

/** The process an earlier start of ours left behind, if it still runs with the settings of this folder. */
const endLeftOver = (pidFile: string, configFile: string) => {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8'))
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(configFile)) process.kill(pid, 'SIGKILL')
  } catch {
    // There is none.
  }
}

const levels: Record<string, 'debug' | 'info' | 'warn' | 'error'> = {
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
}

/** Its lines become ours. */
const foldLogs = (child: ChildProcess, log: FastifyBaseLogger) => {
  for (const output of [child.stdout, child.stderr])
    if (output)
      createInterface({ input: output }).on('line', line => {
        try {
          const { level, msg, error, room, participant } = JSON.parse(line)
          log[levels[level] ?? 'info']({ engine: { error, room, participant } }, `engine: ${msg}`)
        } catch {
          log.info(`engine: ${line}`)
        }
      })
}

/** Runs the engine as a child of ours, and runs it again whenever it ends or does not answer. */
export const launchEngine = async (options: LaunchOptions): Promise<LaunchedEngine> => {
  const { program, folder, log, onState } = options
  const configFile = configFileIn(folder)
  const pidFile = join(folder, 'livekit.pid')
  const keys = { apiKey: 'lectern', apiSecret: randomToken() }
  const configure = async (): Promise<EngineAccess> => {
    const port = await freePort()
    const access = { url: `http://127.0.0.1:${port}`, ...keys }
    writeFileSync(configFile, JSON.stringify(await engineConfig(options, port, access), null, 2), { mode: 0o600 })
    return access
  }
  const first = await configure()
  endLeftOver(pidFile, configFile)

  const stopping = new AbortController()
  let child: ChildProcess | undefined
  let access = first

  const runOnce = async () => {
    const running = spawn(...tiedToUs(program, ['--config', configFile], outputs))
    child = running
    const ended = new Promise<string>(resolve => {
      running.once('error', error => resolve(error.message))
      running.once('exit', (code, signal) => resolve(signal ? `ended by ${signal}` : `ended with code ${code}`))
    })
    if (running.pid) writeFileSync(pidFile, String(running.pid), { mode: 0o600 })
    foldLogs(running, log)
    const watch = new AbortController()
    let wasReady = false
    const onReady = () => {
      wasReady = true
      onState('ready', access)
    }
    const reason = await Promise.race([ended, watchOver(access.url, watch.signal, onReady)])
    watch.abort()
    running.kill('SIGKILL')
    await ended
    return { reason, wasReady }
  }

  const keepRunning = async () => {
    let pause = FIRST_PAUSE_MS
    onState('starting', access)
    while (!stopping.signal.aborted) {
      const started = Date.now()
      const { reason, wasReady } = await runOnce()
      if (stopping.signal.aborted) break
      // Somebody may have taken one of its ports before it could.
      if (!wasReady) access = await configure().catch(() => access)
      if (Date.now() - started > 60_000) pause = FIRST_PAUSE_MS
      onState('starting', access)
      log.error(`the media engine ${reason}; restarting it in ${pause / 1000} s`)
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {})
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
  }
  const over = keepRunning()

  return {
    ...first,
    async stop() {
      stopping.abort()
      // Once asks it to wait for everyone to leave, twice to end.
      child?.kill('SIGTERM')
      child?.kill('SIGTERM')
      const killer = setTimeout(() => child?.kill('SIGKILL'), STOP_WITHIN_MS)
      await over
      clearTimeout(killer)
      rmSync(pidFile, { force: true })
    },
  }
}

/** Resolves with what is wrong once the engine does not answer any more. */
const watchOver = async (url: string, signal: AbortSignal, onReady: () => void): Promise<string> => {
  const deadline = Date.now() + READY_WITHIN_MS
  while (!(await isAlive(url))) {
    if (Date.now() > deadline) return `was not ready within ${READY_WITHIN_MS / 1000} s`
    if (signal.aborted) return 'was stopped'
    await sleep(100)
  }
  onReady()
  for (let failures = 0; failures < UNHEALTHY_AFTER && !signal.aborted; ) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
    failures = (await isAlive(url)) ? 0 : failures + 1
  }
  return 'does not respond'
}
