import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { FastifyReply } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { IRateLimiterOptions, RateLimiterAbstract } from 'rate-limiter-flexible'
// Each by itself: the package loads thirty files for databases that we don't have.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import RateLimiterPostgres from 'rate-limiter-flexible/lib/RateLimiterPostgres.js'
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import type { LimitsClient } from '../store/rateLimits.ts'
import { createLoginQueues } from './loginQueue.ts'
import { Problem } from './problem.ts'

/** `points` in `duration` seconds. Generous: they stop a runaway script, not a busy integrator. */
const requestLimits = {
  token: { points: 6000, duration: 60 },
  address: { points: 1200, duration: 60 },
  /** Accounts made by one person or from one address: each costs a hash. */
  account: { points: 120, duration: 60 },
  /** Members added by e-mail address by one person, who sees in the list of members which addresses have an account. */
  member: { points: 120, duration: 60 },
  /** Chat messages of one person: each goes to everyone in the call. */
  chat: { points: 20, duration: 10 },
  /** Of all guests of one link: a link for many makes a new person at each use. */
  'chat-link': { points: 100, duration: 10 },
  /** From one address, of all people: a whole school may be behind it. */
  'chat-address': { points: 200, duration: 10 },
  /** Of one person. Those of a moment are sent together, however many applaud, and must not keep anyone from writing. */
  reaction: { points: 20, duration: 10 },
}
type RequestLimit = keyof typeof requestLimits
const sharedLimits: readonly string[] = ['account', 'member'] satisfies RequestLimit[]

const loginLimits = {
  /** An account guessed at from one address; elsewhere its owner still gets in. */
  accountAndAddress: { points: 10, duration: 15 * 60 },
  /** One address trying many accounts. No lock, since a whole school may be behind it: past this it is slowed down. */
  address: { points: 100, duration: 60 * 60, secondsEach: 1, maxWaiting: 20 },
  /** One account tried from many addresses: no lock, but past this a captcha, where there is one. */
  account: { points: 100, duration: 60 * 60 },
}

/** A holder of one IPv6 address has the whole /64, so that is what counts. */
export const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address
  const parsed = ipaddr.process(address.replace(/%.*$/, ''))
  return parsed instanceof ipaddr.IPv6
    ? ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`).toString()
    : parsed.toString()
}

/** As many as a few large schools have. */
const MAX_KNOWN_PAIRS = 20_000

/** All nodes count together. While the database does not, each counts for itself. */
class SharedLimiter extends RateLimiterPostgres {
  constructor(storeClient: LimitsClient, options: IRateLimiterOptions) {
    super({
      ...options,
      storeClient,
      storeType: 'client',
      tableName: 'rateLimits',
      tableCreated: true,
      // Housekeeping does.
      clearExpiredByTimeout: false,
      insuranceLimiter: new RateLimiterMemory(options),
    })
  }

  /** Whatever somebody has typed as a name is not to be read in the database. */
  override getKey(key: string | number) {
    return createHash('sha256').update(super.getKey(key)).digest('base64url')
  }
}

const limiter = (options: IRateLimiterOptions, shared: LimitsClient | null): RateLimiterAbstract =>
  shared ? new SharedLimiter(shared, options) : new RateLimiterMemory(options)

const rateLimitProblem = (limit: Pick<RateLimiterRes, 'msBeforeNext'>, policy: string, detail: string) => {
  const seconds = Math.max(1, Math.ceil(limit.msBeforeNext / 1000))
  return new Problem('rate_limited', `${detail} Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds), ratelimit: `"${policy}";r=0;t=${seconds}` },
  })
}

export interface Limits {
  /** Counts a request for a token, or for an address when it carries none. A raw upgrade has no reply to put headers on. */
  request: (by: RequestLimit, key: string, reply?: FastifyReply) => Promise<void> | undefined
  /** Counts a chat message for all it comes from: the person, the link they came by, if any, and the address. */
  message: (from: { person: string; linkId: string | null; address: string }, reply: FastifyReply) => Promise<void>
  login: LoginLimits
}

export interface LoginLimits {
  /**
   * Runs `check`, which gives null for a wrong password, and counts the failures; refuses when there are too many.
   * Attempts from one address wait in a queue, so that a burst gets no further than one attempt after another would.
   */
  attempt: <T>(
    by: { account: string; address: string; gone?: AbortSignal },
    check: (captchaDue: boolean) => Promise<T | null>,
  ) => Promise<T | null>
}

/** `shared`: where all nodes count sign-ins, new accounts and added members. Requests and messages each node counts for itself. */
export const createLimits = (enabled: boolean, shared: LimitsClient | null): Limits => {
  const perRequest = Object.fromEntries(
    Object.entries(requestLimits).map(([keyPrefix, limit]) => [
      keyPrefix,
      limiter({ ...limit, keyPrefix }, sharedLimits.includes(keyPrefix) ? shared : null),
    ]),
  ) as Record<RequestLimit, RateLimiterAbstract>
  return {
    request: (by, key, reply) => (enabled ? count([[by, key]], reply, 'Too many requests.') : undefined),
    async message({ person, linkId, address }, reply) {
      if (!enabled) return
      const link: [RequestLimit, string][] = linkId === null ? [] : [['chat-link', linkId]]
      await count([['chat', person], ...link, ['chat-address', address]], reply, 'Too many messages.')
    },
    login: createLoginLimits(enabled, shared),
  }

  /** All or none: what one limit refuses takes nothing from the others, which may be other people's too. */
  async function count(limits: [RequestLimit, string][], reply: FastifyReply | undefined, detail: string) {
    const policy = ([by]: [RequestLimit, string]) =>
      `"${by}";q=${requestLimits[by].points};w=${requestLimits[by].duration}`
    reply?.header('ratelimit-policy', limits.map(policy).join(', '))
    const left: string[] = []
    for (const [index, [by, key]] of limits.entries()) {
      try {
        const { remainingPoints, msBeforeNext } = await perRequest[by].consume(networkOf(key))
        left.push(`"${by}";r=${remainingPoints};t=${Math.ceil(msBeforeNext / 1000)}`)
      } catch (limit) {
        if (!(limit instanceof RateLimiterRes)) throw limit
        const counted = limits.slice(0, index + 1)
        await Promise.all(counted.map(([name, whose]) => perRequest[name].reward(networkOf(whose))))
        throw rateLimitProblem(limit, by, detail)
      }
    }
    reply?.header('ratelimit', left.join(', '))
  }
}

const createLoginLimits = (enabled: boolean, shared: LimitsClient | null): LoginLimits => {
  const { points: failures, duration, secondsEach, maxWaiting } = loginLimits.address
  const pairs = limiter({ ...loginLimits.accountAndAddress, keyPrefix: 'login' }, shared)
  const accounts = limiter({ ...loginLimits.account, keyPrefix: 'login account' }, shared)
  const inQueue = createLoginQueues({
    failures,
    windowMs: duration * 1000,
    turnMs: secondsEach * 1000,
    maxWaiting,
    tooManyWaiting: () =>
      rateLimitProblem(
        { msBeforeNext: maxWaiting * secondsEach * 1000 },
        'login',
        'Too many sign-ins from your IP address.',
      ),
  })
  /** Accounts with the addresses they have signed in from, the latest last. */
  const knownPairs = new Set<string>()
  const remember = (pair: string) => {
    knownPairs.delete(pair)
    knownPairs.add(pair)
    for (const oldest of knownPairs) {
      if (knownPairs.size <= MAX_KNOWN_PAIRS) break
      knownPairs.delete(oldest)
    }
  }
  const tooMany = (failed: RateLimiterRes) => rateLimitProblem(failed, 'login', 'Too many failed sign-ins.')
  /** Whether some have failed. */
  const refuseTooMany = async (pair: string): Promise<boolean> => {
    const failed = await pairs.get(pair)
    if (failed && failed.consumedPoints >= loginLimits.accountAndAddress.points) throw tooMany(failed)
    return failed !== null && failed.consumedPoints > 0
  }
  /** Counted before it is known: another node may be trying the same at this moment. */
  const take = (pair: string) =>
    pairs.consume(pair).catch(failed => {
      throw failed instanceof RateLimiterRes ? tooMany(failed) : failed
    })
  return {
    async attempt({ account, address: from, gone }, check) {
      if (!enabled) return check(false)
      const address = networkOf(from)
      const pair = `${address} ${account}`
      const hasFailed = await refuseTooMany(pair)
      // Made-up names do not get in front of accounts that have signed in from there before.
      const rank = hasFailed ? 2 : knownPairs.has(pair) ? 0 : 1
      return inQueue(address, { name: account, rank, gone }, async fail => {
        await take(pair)
        try {
          const tried = await accounts.get(account)
          const result = await check(tried !== null && tried.consumedPoints >= loginLimits.account.points)
          if (result !== null) {
            await pairs.delete(pair)
            remember(pair)
          } else {
            fail()
            await accounts.penalty(account)
          }
          return result
        } catch (error) {
          await pairs.reward(pair)
          // A captcha that is not right counts, a failure of ours does not.
          if (error instanceof Problem && error.status < 500) fail()
          throw error
        }
      })
    },
  }
}
