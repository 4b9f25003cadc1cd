import type { FastifyRequest } from 'fastify'
import { keepAnswer, peekAnswer, recallAnswer } from '../store/idempotency.ts'
import type { Trx } from '../store/tables.ts'
import type { Context } from './context.ts'
import { Problem } from './problem.ts'

/** A request with an `Idempotency-Key`: the same key and body get the same answer. */
export interface Repeatable {
  /** What it was answered before, or null. */
  earlier: () => Promise<{ answer: unknown } | null>
  /** Refuses a twin while the first is still under way. */
  alone: <T>(work: () => Promise<T>) => Promise<T>
  /** Inside the change's transaction: works unless it was done before, and keeps the answer. */
  once: <T>(trx: Trx, work: () => Promise<T>) => Promise<T>
}

const DAY_SECONDS = 24 * 60 * 60

export const createIdempotency = ({ db, keys, now }: Pick<Context, 'db' | 'keys' | 'now'>) => {
  const running = new Set<string>()

  /** null: it carries no key. `person` is whose key it is, where no token says so. */
  const read = (request: FastifyRequest, person: string | undefined, seconds = DAY_SECONDS): Repeatable | null => {
    const key = request.headers['idempotency-key']
    if (key === undefined) return null
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
      throw new Problem(
        'invalid_request',
        'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.',
      )
    const kept = {
      key: keys.fingerprint(
        JSON.stringify([person ?? callerId(request), request.method, request.routeOptions.url, request.params, key]),
      ),
      // Keyed, since a body may hold a password; the order of the fields does not matter.
      request: keys.fingerprint(JSON.stringify(Object.entries(request.body ?? {}).sort())),
      expiresAt: now() + seconds * 1000,
    }
    return {
      earlier: async () => unlessMismatch(await peekAnswer(db, keys, kept, now())),
      async alone(work) {
        if (running.has(kept.key))
          throw new Problem(
            'idempotency_in_progress',
            'A request with this Idempotency-Key is still in progress. Try again in a moment.',
          )
        running.add(kept.key)
        try {
          return await work()
        } finally {
          running.delete(kept.key)
        }
      },
      async once<T>(trx: Trx, work: () => Promise<T>) {
        const earlier = unlessMismatch(await recallAnswer(trx, keys, kept, now()))
        // The same operation gave it.
        if (earlier) return earlier.answer as T
        const answer = await work()
        await keepAnswer(trx, keys, kept.key, answer)
        return answer
      },
    }
  }
  return { read }
}

/** Of the person behind the token, so that a key outlives the token. */
const callerId = ({ standing }: FastifyRequest) => {
  const caller = standing?.caller
  return caller?.kind === 'guest' ? caller.guestId : caller?.userId
}

const unlessMismatch = <T>(earlier: T | 'mismatch'): T => {
  if (earlier === 'mismatch')
    throw new Problem(
      'idempotency_mismatch',
      'This Idempotency-Key was already used with a different request. Use a new key.',
    )
  return earlier
}
