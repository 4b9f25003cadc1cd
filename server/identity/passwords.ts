import { hash, verify } from '@node-rs/argon2'
import { Problem } from '../http/problem.ts'

/** Argon2id with the memory and time OWASP asks for. */
const USUAL_COST = { memoryCost: 19456, timeCost: 2, parallelism: 1 }

const MOST_WAITING = 200

/**
 * At most two hashes at a time: each takes a thread of the pool that DNS and file access share, so a crowd would
 * otherwise stall everything else. Who signs in goes before who makes accounts, and a crowd too large is told so.
 */
const createQueue = () => {
  let free = 2
  const waiting = { signIn: [] as (() => void)[], account: [] as (() => void)[] }
  return async <T>(line: keyof typeof waiting, work: () => Promise<T>): Promise<T> => {
    if (waiting[line].length >= MOST_WAITING)
      throw new Problem('unavailable', 'Too many passwords are being checked right now. Try again in a moment.', {
        headers: { 'retry-after': '5' },
      })
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting[line].push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.signIn.shift() ?? waiting.account.shift()
      if (next) next()
      else free++
    }
  }
}

export interface Passwords {
  hash: (password: string) => Promise<string>
  /** With no hash to compare to, takes as long as with one and says no: nobody learns which accounts exist. */
  verify: (passwordHash: string | undefined, password: string) => Promise<boolean>
}

export const createPasswords = (cost = USUAL_COST): Passwords => {
  const inTurn = createQueue()
  let decoy: Promise<string> | undefined
  return {
    hash: password => inTurn('account', () => hash(password, cost)),
    async verify(passwordHash, password) {
      decoy ??= hash('nobody', cost)
      const right = await decoy.then(other => inTurn('signIn', () => verify(passwordHash ?? other, password)))
      return right && passwordHash !== undefined
    },
  }
}
