import { hash, verify } from '@node-rs/argon2'
import PQueue from 'p-queue'
import { Problem } from '../http/problem.ts'

/** Argon2id with the memory and time OWASP asks for. */
const USUAL_COST = { memoryCost: 19456, timeCost: 2, parallelism: 1 }

const MAX_WAITING = 200

const SIGN_IN = 1
const ACCOUNT = 0

/**
 * At most two hashes at a time: each takes a thread of the pool that DNS and file access share, so a crowd would
 * otherwise stall everything else. Sign-ins go before new accounts, and past a limit more are refused.
 */
const createHashing = () => {
  const queue = new PQueue({ concurrency: 2 })
  return <T>(priority: number, work: () => Promise<T>): Promise<T> => {
    if (queue.sizeBy({ priority }) >= MAX_WAITING)
      throw new Problem('unavailable', 'The server is busy. Try again in a moment.', {
        headers: { 'retry-after': '5' },
      })
    return queue.add(work, { priority })
  }
}

export interface Passwords {
  hash: (password: string) => Promise<string>
  /** With no hash to compare to, takes as long as with one and says no: nobody learns which accounts exist. */
  verify: (passwordHash: string | undefined, password: string) => Promise<boolean>
}

export const createPasswords = (cost = USUAL_COST): Passwords => {
  const inTurn = createHashing()
  let decoy: Promise<string> | undefined
  return {
    hash: password => inTurn(ACCOUNT, () => hash(password, cost)),
    async verify(passwordHash, password) {
      decoy ??= hash('nobody', cost)
      const right = await decoy.then(other => inTurn(SIGN_IN, () => verify(passwordHash ?? other, password)))
      return right && passwordHash !== undefined
    },
  }
}
