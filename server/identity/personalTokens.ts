import { PERSONAL_TOKEN_PREFIX } from '../../contract/personalTokens.ts'
import { findPersonalToken, recordUse, USE_INTERVAL_MS } from '../store/personalTokens.ts'
import type { Db } from '../store/tables.ts'
import { hashToken } from './keys.ts'
import type { Claims } from './tokens.ts'

const MAX_REMEMBERED = 10_000

export const isPersonalToken = (token: string) => token.startsWith(PERSONAL_TOKEN_PREFIX)

/** Whether a token still stands is asked with each request, as for every session; only which one it is, is remembered. */
export interface PersonalTokens {
  /** Of a token that was found before, else null. */
  recall: (token: string) => Claims | null
  find: (token: string) => Promise<Claims | null>
  /** Writes the use down, at most once a minute. */
  used: (id: string) => Promise<void> | undefined
}

export const createPersonalTokens = (db: Db, now: () => number): PersonalTokens => {
  const idsByHash = new Map<string, string>()
  const usedAt = new Map<string, number>()
  const remember = <T>(memory: Map<string, T>, key: string, value: T) => {
    if (memory.size >= MAX_REMEMBERED) memory.clear()
    memory.set(key, value)
  }
  const claims = (id: string | undefined): Claims | null => (id === undefined ? null : { kind: 'user', id })
  return {
    recall: token => claims(idsByHash.get(hashToken(token))),
    async find(token) {
      const hash = hashToken(token)
      const found = await findPersonalToken(db, hash)
      if (found) remember(idsByHash, hash, found.id)
      return claims(found?.id)
    },
    used(id) {
      if (now() - (usedAt.get(id) ?? 0) < USE_INTERVAL_MS) return undefined
      remember(usedAt, id, now())
      return recordUse(db, id, now())
    },
  }
}
