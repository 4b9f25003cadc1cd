import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Client, createClient } from '../client/client.ts'

export interface Service {
  url: string
  token: string
  /** For the connections, in turn; without it all have the one. */
  tokens?: string[]
  child: ChildProcess
  stop: () => Promise<void>
}

const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** Runs a program and waits for the first line that `found` recognises. */
const runProgram = async <T>(
  program: string,
  args: string[],
  environment: Record<string, string>,
  found: (line: string) => T | null,
) => {
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  const stop = async () => {
    children.delete(child)
    child.kill()
    await new Promise(resolve => child.once('exit', resolve))
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const result = found(line)
    if (result === null) continue
    child.stdout.resume()
    return { child, stop, result }
  }
  throw new Error(`${program} ${args.join(' ')} ended before it was ready`)
}

/** Runs a script of this package. */
const run = <T>(args: string[], environment: Record<string, string>, found: (line: string) => T | null) =>
  runProgram(process.execPath, args, environment, found)

/** As `npm start` runs it. */
export const SERVICE_FLAGS = ['--max-semi-space-size=4']

export const temporaryFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** `where` it stores: a file for SQLite, or the address of a database of PostgreSQL. */
export const startBare = async (where: string, ...kinds: ('shared' | 'indexed')[]): Promise<Service> => {
  const { child, stop, result } = await run(['bench/bare.ts', where, ...kinds], {}, line => JSON.parse(line))
  return { ...result, child, stop }
}

export const startReceiver = async () => {
  const { stop, result } = await run(['bench/receiver.ts'], {}, line => JSON.parse(line) as { url: string })
  return { ...result, stop }
}

/** Redis as BullMQ is to be run: what was confirmed is on disk a second later. */
export const startRedis = async () => {
  const folder = temporaryFolder()
  const socket = join(folder, 'redis.sock')
  const settings = { port: '0', unixsocket: socket, dir: folder, save: '', appendonly: 'yes', appendfsync: 'everysec' }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const { child, stop } = await runProgram('redis-server', args, {}, line => /ready to accept/i.test(line) || null)
  return { socket, child, stop }
}

export const startBullmq = async (socket: string, receiver: string): Promise<Service> => {
  const { child, stop, result } = await run(['bench/bullmq.ts', socket, receiver], {}, line => JSON.parse(line))
  return { ...result, child, stop }
}

/** Runs a script to its end and gives what it printed. */
export const runOnce = async <T>(args: string[]): Promise<T> => {
  const { child, result } = await run(args, {}, line => JSON.parse(line) as T)
  children.delete(child)
  return result
}

export const OPERATOR = { username: 'operator', password: 'bench password' }

/** The service as it is shipped, but for the limits, which would end the benchmark after a second. */
export const startLectern = async (
  data: string,
  more: Record<string, string> = {},
): Promise<Service & { client: Client; readyAt: number }> => {
  const environment = {
    PORT: '0',
    LECTERN_DATA: data,
    LECTERN_ADMIN_PASSWORD: OPERATOR.password,
    LECTERN_RATE_LIMITS: 'off',
    LECTERN_MEDIA: 'off',
    MALLOC_ARENA_MAX: '2',
    MALLOC_TRIM_THRESHOLD_: '131072',
    ...more,
  }
  const {
    child,
    stop,
    result: url,
  } = await run(
    [...SERVICE_FLAGS, 'bin/lectern.js', 'start'],
    environment,
    line => /Console +(\S+)/.exec(line)?.[1] ?? null,
  )
  const readyAt = performance.now()
  const client = createClient({ baseUrl: url })
  const { access_token } = await client.signIn(OPERATOR.username, OPERATOR.password)
  return { url, token: access_token, client, child, stop, readyAt }
}

/** As many sessions, so that no two requests at one moment need be those of one. */
export const signIn = async ({ url }: Pick<Service, 'url'>, count: number): Promise<string[]> => {
  const tokens: string[] = []
  for (let n = 0; n < count; n++) {
    const { access_token } = await createClient({ baseUrl: url }).signIn(OPERATOR.username, OPERATOR.password)
    tokens.push(access_token)
  }
  return tokens
}

/** Resident memory in MB. */
export const residentMemory = ({ pid }: ChildProcess) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** CPU time spent so far, in milliseconds: user and system, in ticks of which Linux shows a hundred a second. */
export const cpuTime = ({ pid }: ChildProcess) => {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return ((user ?? 0) + (system ?? 0)) * 10
}
