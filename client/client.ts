import type { ErrorCode, FieldError, Problem, RuleName } from '../contract/errors.ts'
import type { Answer, Body, Operation, PathParams, Query } from '../contract/operation.ts'
import { type OperationName, type Operations, operations } from '../contract/operations.ts'
import type { Tokens } from '../contract/tokens.ts'

export interface ClientOptions {
  /** URL of Lectern, like https://lectern.example */
  baseUrl: string
  /** An access token. Without it, only operations that require no token work, until `signIn`. */
  token?: string
  /** If given, the client renews an expired access token automatically. */
  refreshToken?: string
  /** An API client that signs users in. Only it can renew the tokens issued to it. */
  clientId?: string
  clientSecret?: string
  /** Called with every new pair of tokens. Store them: a refresh token can be used once. */
  onTokens?: (tokens: Tokens) => void
  fetch?: typeof fetch
}

export interface RequestOptions {
  /** Makes retries safe: a repeated request with the same key returns the same answer. */
  idempotencyKey?: string
  /** How long the service may hold back an answer that depends on a decision of somebody (`Prefer: wait`). */
  waitSeconds?: number
  signal?: AbortSignal
}

/** Sent with the content type that it has. */
type Uploaded<O extends Operation> = O extends { upload: readonly string[] } ? { file: Blob } : unknown

/** Path, query and body in one object: their names never collide. */
type Input<O extends Operation> = PathParams<O['path']> & Query<O> & Body<O> & Uploaded<O>

/** An operation that can also return a file, for any `format` except json. */
interface FileMethod<O extends Operation, F extends string> {
  (input: Input<O> & { format: Exclude<F, 'json'> }, options?: RequestOptions): Promise<Blob>
  (input: Input<O> & { format?: 'json' }, options?: RequestOptions): Promise<Answer<O>>
}

type Method<O extends Operation> = [O, Query<O>] extends [
  { files: readonly string[] },
  { format?: infer F extends string },
]
  ? FileMethod<O, F>
  : PlainMethod<O>

type PlainMethod<O extends Operation> =
  Record<never, never> extends Input<O>
    ? (input?: Input<O>, options?: RequestOptions) => Promise<Answer<O>>
    : (input: Input<O>, options?: RequestOptions) => Promise<Answer<O>>

/** One method for each operation of the contract, under its operationId. */
export type Client = { readonly [K in OperationName]: Method<Operations[K]> } & {
  /** Gets tokens with an email address or username and a password, and uses them from then on. */
  signIn(username: string, password: string): Promise<Tokens>
}

type OAuthError =
  | 'invalid_grant'
  | 'invalid_client'
  | 'invalid_request'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'

/** Any response that is not a success. */
export class LecternError extends Error {
  override name = 'LecternError'
  readonly status: number
  readonly code: ErrorCode | OAuthError | 'unknown'
  /** The rule that refused, if the code is `not_allowed`. */
  readonly rule: RuleName | null
  /** Errors of the request by field. */
  readonly errors: FieldError[]
  /** Seconds to wait before retrying, if the service said so. */
  readonly retryAfter: number | null

  constructor(response: Response, body: unknown) {
    const { detail, code, rule, errors, error, error_description } = (body ?? {}) as Partial<Problem> & {
      error?: OAuthError
      error_description?: string
    }
    super(detail ?? error_description ?? `${response.status} ${response.statusText}`)
    this.status = response.status
    this.code = code ?? error ?? 'unknown'
    this.rule = rule ?? null
    this.errors = errors ?? []
    this.retryAfter = Number(response.headers.get('retry-after')) || null
  }
}

export const createClient = (options: ClientOptions): Client => {
  const base = options.baseUrl.replace(/\/+$/, '')
  const request = options.fetch ?? fetch
  let { token, refreshToken } = options
  let renewing: Promise<void> | undefined
  const credentials = { client_id: options.clientId, client_secret: options.clientSecret }

  const keep = (tokens: Tokens) => {
    token = tokens.access_token
    refreshToken = tokens.refresh_token ?? refreshToken
    options.onTokens?.(tokens)
    return tokens
  }

  const renew = async (refresh_token: string) => {
    const grant = { grant_type: 'refresh_token', refresh_token, ...credentials }
    keep((await call(operations.createToken, grant, {})) as Tokens)
  }

  const call = async (
    operation: Operation,
    input: Record<string, unknown>,
    { idempotencyKey, waitSeconds, signal }: RequestOptions,
  ) => {
    const rest = { ...input }
    const path = operation.path.replace(/:(\w+)/g, (_, name: string) => {
      const value = String(rest[name])
      delete rest[name]
      return encodeURIComponent(value)
    })
    const url = new URL(base + path)
    if (operation.query)
      for (const [name, value] of Object.entries(rest))
        if (value !== undefined) url.searchParams.set(name, String(value))

    const send = async () => {
      const headers: Record<string, string> = {}
      if (operation.tokens.length > 0 && token) headers.authorization = `Bearer ${token}`
      if (idempotencyKey) headers['idempotency-key'] = idempotencyKey
      if (waitSeconds !== undefined) headers.prefer = `wait=${waitSeconds}`
      if (operation.body) headers['content-type'] = 'application/json'
      const file = operation.upload ? (rest.file as Blob) : undefined
      if (file) headers['content-type'] = file.type
      const response = await request(url, {
        method: operation.method,
        headers,
        ...(operation.body && { body: JSON.stringify(rest) }),
        ...(file && { body: file }),
        ...(signal && { signal }),
      })
      const isFile = operation.files?.includes(response.headers.get('content-type') ?? '')
      if (response.ok && isFile) return response.blob()
      const body = await response.json().catch(() => undefined)
      if (!response.ok) throw new LecternError(response, body)
      return body
    }

    const usedToken = token
    try {
      return await send()
    } catch (error) {
      const expired = error instanceof LecternError && error.code === 'token_invalid' && operation.tokens.length > 0
      if (!expired || !refreshToken) throw error
      // Requests that find the token expired at the same time share one renewal; later ones find it done.
      if (token === usedToken)
        renewing ??= renew(refreshToken).finally(() => {
          renewing = undefined
        })
      await renewing
      return send()
    }
  }

  const methods = Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (input: Record<string, unknown> = {}, requestOptions: RequestOptions = {}) =>
        call(operation, input, requestOptions),
    ]),
  )
  return {
    ...methods,
    async signIn(username: string, password: string) {
      const grant = { grant_type: 'password', username, password, ...credentials }
      return keep((await call(operations.createToken, grant, {})) as Tokens)
    },
  } as unknown as Client
}
