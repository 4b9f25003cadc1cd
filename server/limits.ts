import type { FastifyReply } from 'fastify'
import { type IRateLimiterOptions, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Problem } from './problem.ts'

/** `points` in `duration` seconds. Generous: they stop a runaway script, not a busy integrator. */
const requestLimits = {
  token: { points: 6000, duration: 60 },
  address: { points: 1200, duration: 60 },
}

const loginLimits = {
  /** An account guessed at from one address; elsewhere its owner still gets in. */
  accountAndAddress: { points: 10, duration: 15 * 60 },
  /** One address trying many accounts. */
  address: { points: 100, duration: 60 * 60 },
  /** One account tried from many addresses: no lock, but past this a captcha, where there is one. */
  account: { points: 100, duration: 60 * 60 },
}

const limiter = (options: IRateLimiterOptions) => new RateLimiterMemory(options)

const refusal = (limit: RateLimiterRes, policy: string, detail: string) => {
  const seconds = Math.max(1, Math.ceil(limit.msBeforeNext / 1000))
  return new Problem('rate_limited', `${detail} Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds), ratelimit: `"${policy}";r=0;t=${seconds}` },
  })
}

export interface Limits {
  /** Counts a request for a token, or for an address when it carries none. */
  request: (by: 'token' | 'address', key: string, reply: FastifyReply) => Promise<void>
  login: LoginLimits
}

export interface LoginLimits {
  /**
   * Runs `check`, which gives null for a wrong password, and counts the failures; refuses when there are too many.
   * For one account and address the attempts take turns, so that a burst gets no further than a row of them would.
   */
  attempt: <T>(account: string, address: string, check: (captchaDue: boolean) => Promise<T | null>) => Promise<T | null>
}

export const createLimits = (enabled: boolean): Limits => {
  const perRequest = {
    token: limiter({ ...requestLimits.token, keyPrefix: 'token' }),
    address: limiter({ ...requestLimits.address, keyPrefix: 'address' }),
  }
  return {
    async request(by, key, reply) {
      if (!enabled) return
      const { points, duration } = requestLimits[by]
      reply.header('ratelimit-policy', `"${by}";q=${points};w=${duration}`)
      try {
        const left = await perRequest[by].consume(key)
        reply.header('ratelimit', `"${by}";r=${left.remainingPoints};t=${Math.ceil(left.msBeforeNext / 1000)}`)
      } catch (limit) {
        if (!(limit instanceof RateLimiterRes)) throw limit
        throw refusal(limit, by, 'Too many requests.')
      }
    },
    login: createLoginLimits(enabled),
  }
}

const createLoginLimits = (enabled: boolean): LoginLimits => {
  const pairs = limiter({ ...loginLimits.accountAndAddress, keyPrefix: 'login' })
  const addresses = limiter({ ...loginLimits.address, keyPrefix: 'login address' })
  const accounts = limiter({ ...loginLimits.account, keyPrefix: 'login account' })
  const refuseTooMany = async (pair: string, address: string) => {
    const [both, from] = await Promise.all([pairs.get(pair), addresses.get(address)])
    const detail = 'Too many sign-ins have failed.'
    if (both && both.consumedPoints >= loginLimits.accountAndAddress.points) throw refusal(both, 'login', detail)
    if (from && from.consumedPoints >= loginLimits.address.points) throw refusal(from, 'login', detail)
  }
  const takeTurns = createTurns()
  return {
    attempt(account, address, check) {
      if (!enabled) return check(false)
      const pair = `${address} ${account}`
      return takeTurns(pair, async () => {
        await refuseTooMany(pair, address)
        const tried = await accounts.get(account)
        const result = await check(tried !== null && tried.consumedPoints >= loginLimits.account.points)
        if (result === null)
          await Promise.all([pairs.penalty(pair), addresses.penalty(address), accounts.penalty(account)])
        else await pairs.delete(pair)
        return result
      })
    },
  }
}

/** Runs one at a time for each key, in the order they came. */
const createTurns = () => {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = Promise.resolve(last.get(key)).then(work)
    const over = mine.catch(() => {})
    last.set(key, over)
    try {
      return await mine
    } finally {
      if (last.get(key) === over) last.delete(key)
    }
  }
}
