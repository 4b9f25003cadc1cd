import { hash, verify } from '@node-rs/argon2'

// Argon2id by default, with the memory and time OWASP asks for.
const cost = { memoryCost: 19456, timeCost: 2, parallelism: 1 }

/**
 * At most two hashes at a time: each takes a thread of the pool that DNS and file access share, so a crowd of
 * sign-ins would otherwise stall everything else.
 */
const atMostTwo = (() => {
  let free = 2
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
})()

export const hashPassword = (password: string) => atMostTwo(() => hash(password, cost))

let decoy: Promise<string> | undefined

/** With no hash to compare to, takes as long as with one and says no: nobody learns which accounts exist. */
export const verifyPassword = async (passwordHash: string | undefined, password: string): Promise<boolean> => {
  decoy ??= hashPassword('nobody')
  const right = await decoy.then(other => atMostTwo(() => verify(passwordHash ?? other, password)))
  return right && passwordHash !== undefined
}
