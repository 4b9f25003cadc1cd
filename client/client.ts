import { LecternError } from './error.ts'
import { operations, type Target } from './operations.ts'
import type { Answers, Inputs, Tokens } from './types.ts'

export interface ClientOptions {
  /** URL of Lectern, like https://lectern.example */
  baseUrl: string
  /** A personal access token, or an access token. Without it, only operations that require no token work, until `signIn`. */
  token?: string
  /** If given, the client renews an expired access token automatically. */
  refreshToken?: string
  /** An API client. It signs users in, and only it can renew their tokens. Without a user's token, it acts for itself. */
  clientId?: string
  clientSecret?: string
  /** Called with every new pair of tokens. Store them: a refresh token can be used once. */
  onTokens?: (tokens: Tokens) => void
  /** How many seconds a request may wait in all when the service limits the rate (429), 60 unless given; 0: it fails at once. */
  maxWaitSeconds?: number
  fetch?: typeof fetch
}

export interface RequestOptions {
  /** Makes retries safe: a repeated request with the same key returns the same answer. */
  idempotencyKey?: string
  /** How long the service may hold back an answer that depends on a decision of somebody (`Prefer: wait`). */
  waitSeconds?: number
  signal?: AbortSignal
}

/** One page if awaited; all items from there on with `for await`, which gets the next pages as it comes to them. */
export interface Listing<Page extends { items: unknown[] }>
  extends Promise<Page>,
    AsyncIterable<Page['items'][number]> {}

interface Paged {
  items: unknown[]
  nextCursor: string | null
}

type Result<A> = [A] extends [Paged] ? Listing<A> : Promise<A>

/** An operation that can also return a file, for any `format` except json. */
interface FileMethod<I, F, A> {
  (input: I & { format: Exclude<F, 'json' | undefined> }, options?: RequestOptions): Promise<Blob>
  (input: I & { format?: 'json' }, options?: RequestOptions): Result<A>
}

type PlainMethod<I, A> =
  Record<never, never> extends I
    ? (input?: I, options?: RequestOptions) => Result<A>
    : (input: I, options?: RequestOptions) => Result<A>

type Method<I, A> = 'format' extends keyof I ? FileMethod<I, I['format'], A> : PlainMethod<I, A>

/** One method for each operation of the API, under its operationId. */
export type Client = { readonly [K in keyof Inputs]: Method<Inputs[K], Answers[K]> } & {
  /** Gets tokens with an email address or username and a password, and uses them from then on. */
  signIn(username: string, password: string): Promise<Tokens>
}

type Input = Record<string, unknown>

const sleep = (seconds: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, seconds * 1000)
    signal?.addEventListener('abort', stop, { once: true })
  })

/** The URL, and what is left of the input for the body. */
const address = (base: string, { path, hasQuery }: Target, input: Input) => {
  const rest = { ...input }
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(rest[name] ?? '')
    // A URL would lead elsewhere with these, however they are encoded: `..` as the room, to the same of the space.
    if (['', '.', '..'].includes(value)) throw new TypeError(`${name} is not an ID: ${JSON.stringify(rest[name])}`)
    delete rest[name]
    return encodeURIComponent(value)
  })
  const url = new URL(base + filled)
  if (hasQuery)
    for (const [name, value] of Object.entries(rest)) if (value !== undefined) url.searchParams.set(name, String(value))
  return { url, rest }
}

const answerOf = async (response: Response, { files }: Target) => {
  if (response.ok && files.includes(response.headers.get('content-type') ?? '')) return response.blob()
  // What is cut off, or not from the service, is no answer.
  if (response.ok) return response.json()
  throw new LecternError(response, await response.json().catch(() => undefined))
}

export const createClient = (options: ClientOptions): Client => {
  const { clientId, clientSecret, maxWaitSeconds = 60 } = options
  const base = options.baseUrl.replace(/\/+$/, '')
  const request = options.fetch ?? fetch
  let { token, refreshToken } = options
  let actsForItself = token === undefined
  let renewing: Promise<unknown> | undefined

  const obtain = async (grant: Input) => {
    const credentials = { client_id: clientId, client_secret: clientSecret }
    const tokens = (await call(operations.createToken, { ...grant, ...credentials }, {})) as Tokens
    token = tokens.access_token
    actsForItself = grant.grant_type === 'client_credentials'
    refreshToken = tokens.refresh_token ?? refreshToken
    options.onTokens?.(tokens)
    return tokens
  }

  /** A user's session that has ended is never replaced by the API client itself. */
  const grant = () => {
    if (refreshToken) return { grant_type: 'refresh_token', refresh_token: refreshToken }
    return actsForItself && clientId && clientSecret ? { grant_type: 'client_credentials' } : null
  }

  /** Requests that find the token expired at the same time share one renewal; later ones find it done. False: there is no way. */
  const renew = async (used: string | undefined) => {
    if (token !== used) return true
    const means = grant()
    if (!means) return false
    renewing ??= obtain(means).finally(() => {
      renewing = undefined
    })
    await renewing
    return true
  }

  const send = async (target: Target, input: Input, { idempotencyKey, waitSeconds, signal }: RequestOptions) => {
    const { url, rest } = address(base, target, input)
    const file = target.takesFile ? (rest.file as Blob) : null
    const headers: Record<string, string> = {}
    if (target.needsToken && token) headers.authorization = `Bearer ${token}`
    if (idempotencyKey) headers['idempotency-key'] = idempotencyKey
    if (waitSeconds !== undefined) headers.prefer = `wait=${waitSeconds}`
    if (target.hasBody) headers['content-type'] = 'application/json'
    if (file) headers['content-type'] = file.type
    const body = file ?? (target.hasBody ? JSON.stringify(rest) : null)
    const response = await request(url, { method: target.method, headers, body, signal: signal ?? null })
    return answerOf(response, target)
  }

  /** What was refused for its rate has changed nothing, so it can be sent again. */
  const sendInTime = async (target: Target, input: Input, requestOptions: RequestOptions) => {
    for (let left = maxWaitSeconds; ; ) {
      try {
        return await send(target, input, requestOptions)
      } catch (error) {
        const seconds = error instanceof LecternError && error.status === 429 ? error.retryAfter : null
        if (seconds === null || seconds > left) throw error
        left -= seconds
        await sleep(seconds, requestOptions.signal)
      }
    }
  }

  const call = async (target: Target, input: Input, requestOptions: RequestOptions) => {
    if (target.needsToken && !token) await renew(undefined)
    const used = token
    try {
      return await sendInTime(target, input, requestOptions)
    } catch (error) {
      const isExpired = error instanceof LecternError && error.code === 'token_invalid' && target.needsToken
      if (!isExpired || !(await renew(used))) throw error
      return sendInTime(target, input, requestOptions)
    }
  }

  const list = (target: Target, input: Input, requestOptions: RequestOptions) => {
    const first = call(target, input, requestOptions) as Promise<Paged>
    async function* items() {
      for (let page = await first; ; ) {
        yield* page.items
        if (page.nextCursor === null) return
        page = (await call(target, { ...input, cursor: page.nextCursor }, requestOptions)) as Paged
      }
    }
    return Object.assign(first, { [Symbol.asyncIterator]: items })
  }

  const methods = Object.entries(operations).map(([name, target]) => [
    name,
    (input: Input = {}, requestOptions: RequestOptions = {}) =>
      (target.isPaged ? list : call)(target, input, requestOptions),
  ])
  return {
    ...Object.fromEntries(methods),
    signIn: (username: string, password: string) => obtain({ grant_type: 'password', username, password }),
  } as Client
}
