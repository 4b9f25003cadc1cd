import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { inject } from 'vitest'
import { type Client, createClient } from '../../client/client.ts'
import { LecternError } from '../../client/error.ts'
import { type Config, readConfig } from '../../server/config.ts'
import { createPasswords } from '../../server/identity/passwords.ts'
import type { MediaEngine } from '../../server/media/engine.ts'
import { type Running, type StartOptions, start } from '../../server/start.ts'
import { startBalancer } from './balancer.ts'
import { closeAtTheEnd } from './closing.ts'
import { createPostgresDatabase } from './databases.ts'
import { describedFetch } from './described.ts'

export interface Person extends Client {
  id: string
  username: string
  password: string
  token: string
}

export interface Lectern {
  url: string
  config: Config
  /** The service itself, for what cannot be seen or brought about from outside. */
  running: Running
  now: () => number
  /** Moves the service's clock. */
  advance: (milliseconds: number) => void
  /** A client without a token. */
  anonymous: Client
  operator: Person
  /** A new user, signed in. */
  user: (name?: string) => Promise<Person>
  /** A client with any token. */
  withToken: (token: string) => Client
  /** A bare request, for what the typed client would never send. */
  request: (
    method: string,
    path: string,
    options?: {
      token?: string
      headers?: Record<string, string>
      body?: unknown
      raw?: string | Uint8Array<ArrayBuffer>
    },
    // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape, for the test to look into
  ) => Promise<{ status: number; headers: Headers; body: any }>
  /** What the service asks of the engine, to spy on. Another one after the engine has been started again. */
  engine: () => MediaEngine
  /** Only for a test of stopping, or for a port that another needs: it is stopped anyway. */
  stop: () => Promise<void>
}

const OPERATOR_PASSWORD = 'operator password'
/** Most of what a test would take is accounts for its people. */
const CHEAP = { memoryCost: 64, timeCost: 1, parallelism: 1 }

/** For what each node does by itself (it counts requests and messages alone), or a balancer keeps from it. */
export const isOneNode = inject('database') !== 'nodes'

/**
 * The real service on a free port, over the database of the project the test runs in. It is stopped with the test that
 * has started it, or if a hook has, with the file.
 */
export const startLectern = async (
  environment: Record<string, string> = {},
  options: StartOptions = {},
): Promise<Lectern> => {
  const data = mkdtempSync(join(tmpdir(), 'lectern-test-'))
  const databaseUrl =
    environment.DATABASE_URL ?? (inject('database') === 'sqlite' ? '' : await createPostgresDatabase())
  if (!databaseUrl && !environment.LECTERN_DATA) copyFileSync(inject('migrated').file, join(data, 'lectern.db'))
  // A test that has a port or a database of its own is about one node.
  const balancer = isOneNode || environment.PORT || environment.DATABASE_URL ? null : await startBalancer()
  const config = readConfig({
    PORT: '0',
    LECTERN_DATA: data,
    LECTERN_ADMIN_PASSWORD: OPERATOR_PASSWORD,
    LECTERN_RATE_LIMITS: 'off',
    LECTERN_MEDIA: 'off',
    ...(balancer && { LECTERN_PUBLIC_URL: balancer.url }),
    ...environment,
    DATABASE_URL: databaseUrl,
  })
  let ahead = 0
  const now = () => Date.now() + ahead
  const startNode = () =>
    start(config, pino({ level: 'silent' }), {
      now,
      passwords: createPasswords(CHEAP),
      ...options,
    })
  const running = await startNode()
  const second = balancer ? await startNode() : null
  for (const node of [running, second]) if (node) balancer?.add(node.localUrl)
  let stopped: Promise<void> | undefined
  const stop = async () => {
    await Promise.all([running.stop(), second?.stop()])
    rmSync(data, { recursive: true, force: true })
  }
  const stopOnce = () => {
    stopped ??= stop()
    return stopped
  }
  closeAtTheEnd(stopOnce)
  // What is public may be another address.
  const url = balancer?.url ?? running.localUrl

  // What is refused for its rate is what a test is about: it doesn't wait.
  const clientOf = (options: { token?: string }) =>
    createClient({ baseUrl: url, maxWaitSeconds: 0, fetch: describedFetch, ...options })
  const signedIn = async (id: string, username: string, password: string): Promise<Person> => {
    const client = clientOf({})
    const { access_token } = await client.signIn(username, password)
    return { ...client, id, username, password, token: access_token }
  }
  const operator = await signedIn('', 'operator', OPERATOR_PASSWORD)
  operator.id = (await operator.getMe()).id

  return {
    url,
    config,
    running,
    now,
    advance: milliseconds => {
      ahead += milliseconds
    },
    anonymous: clientOf({}),
    operator,
    async user(name = `user ${randomUUID().slice(0, 8)}`) {
      const password = `${name} password`
      const { id } = await operator.createUser({
        email: `${name.replaceAll(' ', '.')}@example.com`,
        username: name,
        password,
      })
      return signedIn(id, name, password)
    },
    withToken: token => clientOf({ token }),
    async request(method, path, { token, headers = {}, body, raw } = {}) {
      const response = await describedFetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(raw !== undefined && { body: raw }),
      })
      const text = await response.text()
      let parsed: unknown = text
      try {
        parsed = JSON.parse(text)
      } catch {}
      return { status: response.status, headers: response.headers, body: parsed }
    },
    engine() {
      const engine = running.media.engine()
      if (!engine) throw new Error('there is no engine yet')
      return engine.control
    },
    stop: stopOnce,
  }
}

/** The status and code of a refusal, for `expect(await refusal(…)).toEqual([403, 'not_allowed'])`. */
export const refusal = async (promise: Promise<unknown>): Promise<[number, string]> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof LecternError) return [error.status, error.code]
    throw error
  }
  throw new Error('it was not refused')
}
