import type { Agent } from 'undici'
import type { AttemptOutcome } from '../../contract/webhooks.ts'
import { BlockedAddress, guardedLookup, namesForbiddenAddress } from './addresses.ts'

export const TIMEOUT_MS = 10_000
const ANSWER_LIMIT = 16 * 1024
/** Of that, what is worth keeping in the log. */
const DETAIL_LIMIT = 1024

export interface PostResult {
  outcome: Exclude<AttemptOutcome, 'sending' | 'interrupted'>
  status: number | null
  detail: string | null
  durationMs: number
}

export interface Poster {
  /** One POST, never followed elsewhere, over in ten seconds. Fails with words, never with an exception. */
  post: (url: string, headers: Record<string, string>, payload: string, cancelled: AbortSignal) => Promise<PostResult>
  close: () => Promise<void>
}

export const createPoster = (allowPrivate: boolean): Poster => {
  // Many installations never send one: loaded for the first.
  let agent: Promise<Agent> | undefined
  const load = async () => {
    const { Agent } = await import('undici')
    // No limit for each origin: many spaces may share one, and each webhook has a limit of its own.
    return new Agent({
      keepAliveTimeout: 10_000,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      connect: { timeout: TIMEOUT_MS, ...(!allowPrivate && { lookup: guardedLookup as never }) },
    })
  }

  return {
    async post(text, headers, payload, cancelled) {
      const started = performance.now()
      const finish = (outcome: PostResult['outcome'], status: number | null, detail: string | null): PostResult => ({
        outcome,
        status,
        detail,
        durationMs: Math.round(performance.now() - started),
      })
      const timer = new AbortController()
      const timeout = setTimeout(() => timer.abort(), TIMEOUT_MS)
      const cancel = () => timer.abort()
      cancelled.addEventListener('abort', cancel, { once: true })
      if (cancelled.aborted) cancel()
      let status: number | null = null
      try {
        // The connector never asks the lookup about literal addresses.
        if (!allowPrivate && namesForbiddenAddress(text))
          return finish('blocked_address', null, 'The url names an address that is not public.')
        const url = new URL(text)
        agent ??= load()
        const response = await (await agent).request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': 'Lectern', ...authorization(url), ...headers },
          body: payload,
          signal: timer.signal,
        })
        status = response.statusCode
        const answer = await readStart(response.body)
        return status >= 200 && status < 300 ? finish('success', status, answer) : finish('status', status, answer)
      } catch (error) {
        // With a 2xx status line it is a success, whatever the body then does.
        if (status !== null && status >= 200 && status < 300) return finish('success', status, null)
        if (cancelled.aborted) return finish('cancelled', status, 'The webhook was switched off or deleted meanwhile.')
        if (timer.signal.aborted) return finish('timeout', status, 'There was no full answer within 10 seconds.')
        return finish(isBlocked(error) ? 'blocked_address' : 'connection', status, explain(error))
      } finally {
        clearTimeout(timeout)
        cancelled.removeEventListener('abort', cancel)
      }
    },
    async close() {
      await (await agent)?.destroy()
    },
  }
}

/** Credentials in the url are sent the way browsers do. */
const authorization = ({ username, password }: URL): Record<string, string> =>
  username === '' && password === ''
    ? {}
    : {
        authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
      }

/** No more than the limit; a connection with more to say is closed. */
const readStart = async (
  body: AsyncIterable<Buffer> & { destroy: () => void; on: (event: 'error', listener: () => void) => unknown },
) => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= ANSWER_LIMIT) {
      body.on('error', () => {})
      body.destroy()
      break
    }
  }
  // What PostgreSQL cannot store is not worth keeping.
  const text = Buffer.concat(chunks).toString().replaceAll('\0', '').slice(0, DETAIL_LIMIT).toWellFormed()
  return text === '' ? null : text
}

const isBlocked = (error: unknown): boolean =>
  error instanceof BlockedAddress || (error instanceof Error && error.cause !== undefined && isBlocked(error.cause))

const explain = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string }
  if (code === 'ECONNREFUSED') return 'The connection was refused.'
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'The connection was closed before an answer came.'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name could not be resolved.'
  return message || code || 'The connection failed.'
}
