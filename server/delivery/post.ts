import { lookup as dnsLookup } from 'node:dns'
import type { FastifyBaseLogger } from 'fastify'
import type { Agent, Dispatcher } from 'undici'
import type { AttemptOutcome, FailureReason } from '../../contract/webhooks.ts'
import { reasonOf } from '../store/deliveries.ts'
import { BlockedAddress, guarded, type Lookup, namesForbiddenAddress } from './addresses.ts'

export const TIMEOUT_MS = 10_000
const ANSWER_LIMIT = 16 * 1024
/** Of that, what is worth keeping in the log. */
const DETAIL_LIMIT = 1024
/** Not which: who owns a webhook could learn from it what names stand for in our network. */
const NOT_PUBLIC = 'The URL points to an address that is not public.'

export interface PostResult {
  outcome: Exclude<AttemptOutcome, 'sending' | 'interrupted'>
  status: number | null
  reason: FailureReason | null
  detail: string | null
  durationMs: number
}

/** One POST, without following redirects, over in ten seconds. Never throws: a failure is a PostResult. */
type Post = (headers: Record<string, string>, payload: string, cancelled: AbortSignal) => Promise<PostResult>

export interface Poster {
  /**
   * What the address itself decides is looked at once, however many callbacks go there. An address that nothing can be
   * sent to is found out by sending, as a PostResult of that webhook alone.
   */
  to: (url: string) => Post
  close: () => Promise<void>
}

interface PosterOptions {
  log?: Pick<FastifyBaseLogger, 'info'>
  // Replaced in tests.
  lookup?: Lookup
  importUndici?: () => Promise<{ Agent: typeof Agent }>
}

export const createPoster = (
  allowPrivate: boolean,
  { log, lookup = dnsLookup, importUndici = () => import('undici') }: PosterOptions = {},
): Poster => {
  const guardedLookup = guarded(lookup, (host, address) =>
    log?.info({ host, address }, 'a webhook was not sent: its host is not at a public address'),
  )
  let agent: Agent | undefined
  let loading: Promise<Agent> | undefined
  // Many installations never send one: loaded for the first.
  const load = async () => {
    const { Agent } = await importUndici()
    // No limit for each origin: many spaces may share one, and each webhook has a limit of its own.
    agent = new Agent({
      keepAliveTimeout: 10_000,
      // Our own clock runs over all of it; one that ends at the same moment would hide which of them did.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: TIMEOUT_MS + 1000, ...(!allowPrivate && { lookup: guardedLookup as never }) },
    })
    return agent
  }

  const loaded = () => {
    loading ??= load().catch(error => {
      // The next callback tries again.
      loading = undefined
      throw error
    })
    return loading
  }

  const to = (text: string): Post => {
    // The connector never asks the lookup about literal addresses.
    if (!allowPrivate && namesForbiddenAddress(text))
      return failing('blocked_address', 'address_not_allowed', NOT_PUBLIC)
    const target = targetOf(new URL(text))
    const unable = failing('connection', 'not_sent', 'The request could not be sent.')
    return (headers, payload, cancelled) =>
      agent
        ? send(agent, target, headers, payload, cancelled)
        : loaded().then(it => send(it, target, headers, payload, cancelled), unable)
  }

  return {
    to(url) {
      try {
        return to(url)
      } catch {
        return failing('connection', 'url_unusable', 'The URL is not valid.')
      }
    },
    async close() {
      await loading?.catch(() => {})
      await agent?.destroy()
    },
  }
}

const failing =
  (outcome: PostResult['outcome'], reason: FailureReason, detail: string) => async (): Promise<PostResult> => ({
    outcome,
    status: null,
    reason,
    detail,
    durationMs: 0,
  })

const targetOf = (url: URL) => ({
  origin: url.origin,
  path: url.pathname + url.search,
  headers: { 'content-type': 'application/json', 'user-agent': 'Lectern', ...authorization(url) },
})

/** On undici's lowest level: its `request` makes a stream and two abort signals for each, which cost as much again. */
const send = (
  agent: Agent,
  target: ReturnType<typeof targetOf>,
  headers: Record<string, string>,
  payload: string,
  cancelled: AbortSignal,
): Promise<PostResult> =>
  new Promise(resolve => {
    const started = performance.now()
    const answer: Buffer[] = []
    let length = 0
    let status: number | null = null
    let request: Dispatcher.DispatchController | undefined
    let isOver = false
    const isSuccess = () => status !== null && status >= 200 && status < 300

    const end = (outcome: PostResult['outcome'], detail: string | null, reason = reasonOf(outcome, status)) => {
      if (isOver) return
      isOver = true
      clearTimeout(timeout)
      cancelled.removeEventListener('abort', cancel)
      resolve({ outcome, status, reason, detail, durationMs: Math.round(performance.now() - started) })
    }
    const succeedOrFail = () => end(isSuccess() ? 'success' : 'status', startOf(answer))
    /** With a 2xx status line it is a success, whatever the body then does. */
    const fail = (outcome: PostResult['outcome'], detail: string, reason?: FailureReason) =>
      isSuccess() ? end('success', null) : end(outcome, detail, reason)
    const failToConnect = (error: unknown) =>
      isBlocked(error) ? fail('blocked_address', NOT_PUBLIC) : fail('connection', ...explain(error))
    const cut = (outcome: PostResult['outcome'], detail: string) => {
      fail(outcome, detail)
      request?.abort(new Error(detail))
    }
    const cancel = () => cut('cancelled', 'The webhook was turned off or deleted.')
    const timeout = setTimeout(() => cut('timeout', 'No complete response within 10 seconds.'), TIMEOUT_MS)
    if (cancelled.aborted) return cancel()
    cancelled.addEventListener('abort', cancel, { once: true })

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        request = controller
        // Over before there was a connection: it must not go out any more.
        if (isOver) controller.abort(new Error('cancelled'))
      },
      onResponseStart(_controller, statusCode) {
        if (statusCode >= 200) status = statusCode
      },
      onResponseData(controller, chunk) {
        answer.push(chunk)
        length += chunk.length
        if (length < ANSWER_LIMIT) return
        // Longer than we keep: stop reading.
        succeedOrFail()
        controller.abort(new Error('enough'))
      },
      onResponseEnd: succeedOrFail,
      onResponseError: (_controller, error) => failToConnect(error),
    }
    try {
      agent.dispatch({ ...target, method: 'POST', headers: { ...target.headers, ...headers }, body: payload }, handler)
    } catch (error) {
      failToConnect(error)
    }
  })

/** Credentials in the url are sent the way browsers do. */
const authorization = ({ username, password }: URL): Record<string, string> =>
  username === '' && password === ''
    ? {}
    : {
        authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
      }

const startOf = (answer: Buffer[]): string | null => {
  if (answer.length === 0) return null
  // What PostgreSQL cannot store is not worth keeping.
  const text = Buffer.concat(answer).toString().replaceAll('\0', '').slice(0, DETAIL_LIMIT).toWellFormed()
  return text === '' ? null : text
}

const isBlocked = (error: unknown): boolean =>
  error instanceof BlockedAddress || (error instanceof Error && error.cause !== undefined && isBlocked(error.cause))

const UNREACHABLE = ['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']
/** As Node and OpenSSL name what is wrong with a certificate or a handshake. */
const TLS = /^ERR_(SSL|TLS)_|CERT|^UNABLE_TO_|^EPROTO$/

/** Without addresses, theirs or ours, which the system's own words would have. */
export const explain = (error: unknown): [detail: string, reason: FailureReason] => {
  const { code = '', syscall, message } = error as { code?: string; syscall?: string; message?: string }
  if (code === 'ECONNREFUSED') return ['The connection was refused.', 'connection_refused']
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET')
    return ['The connection was closed before a response arrived.', 'connection_closed']
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return ['The host name could not be resolved.', 'name_not_found']
  if (UNREACHABLE.includes(code)) return ['The host could not be reached.', 'unreachable']
  const said = syscall === undefined && message
  return [said || code || 'The connection failed.', TLS.test(code) ? 'tls' : 'connection_failed']
}
