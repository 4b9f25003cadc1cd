import { timingSafeEqual } from 'node:crypto'
import type { Keys } from '../identity/keys.ts'

/** Links that work without a token until they expire. What is signed says which link it is, so that none stands for another. */
export const createSignedLinks = (keys: Pick<Keys, 'fingerprint'>, now: () => number) => {
  const sign = (what: string, expires: number) => keys.fingerprint(`${what} until ${expires}`)
  return {
    /** What the address has behind its path. */
    queryFor: (what: string, expires: number) => `expires=${expires}&signature=${sign(what, expires)}`,

    isSigned(what: string, { expires, signature }: { expires?: unknown; signature?: unknown }) {
      if (typeof expires !== 'string' || typeof signature !== 'string' || !/^\d{1,15}$/.test(expires)) return false
      const [given, expected] = [Buffer.from(signature), Buffer.from(sign(what, Number(expires)))]
      return given.length === expected.length && timingSafeEqual(given, expected) && Number(expires) > now()
    },
  }
}
