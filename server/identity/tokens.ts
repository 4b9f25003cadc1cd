import { createSigner, createVerifier, TokenError } from 'fast-jwt'
import type { TokenKind } from '../../contract/operation.ts'
import type { Keys } from './keys.ts'

export const ACCESS_TOKEN_SECONDS = 15 * 60
export const GUEST_TOKEN_SECONDS = 24 * 60 * 60

/** `id` is the session (user, client) or the guest (guest) that must still stand when the token is used. */
export interface Claims {
  kind: TokenKind
  id: string
}

export interface TokenMint {
  access: (kind: 'user' | 'client', sessionId: string) => string
  guest: (guestId: string) => string
  /** The claims of a genuine token that has not expired, else null. */
  read: (token: string) => Claims | null
}

const algorithm = 'HS256'
const issuer = 'lectern'
const MAX_REMEMBERED = 1000

export const createTokenMint = (keys: Keys, now: () => number): TokenMint => {
  // The clock is ours, so `exp` is set and checked here and the library's own clock stays out of it.
  const sign = createSigner({
    key: keys.signing,
    algorithm,
    header: { alg: algorithm, typ: 'at+jwt' },
    noTimestamp: true,
  })
  const verify = createVerifier({
    key: keys.signing,
    algorithms: [algorithm],
    checkTyp: 'at+jwt',
    allowedIss: issuer,
    requiredClaims: ['sub', 'aud', 'iss', 'exp'],
    ignoreExpiration: true,
  })
  // A token is used many times: its signature is checked once. Whether it has expired is asked each time. The library's
  // own cache also keeps what it refused, so a flood of wrong tokens would push the genuine ones out.
  const genuine = new Map<string, Claims & { exp: number }>()
  const open = (token: string) => {
    const { aud, sub, exp } = verify(token)
    const known = aud === 'user' || aud === 'client' || aud === 'guest'
    if (!known || typeof sub !== 'string' || typeof exp !== 'number') return null
    const claims = { kind: aud, id: sub, exp }
    if (genuine.size >= MAX_REMEMBERED) genuine.clear()
    genuine.set(token, claims)
    return claims
  }
  const mint = (kind: TokenKind, id: string, seconds: number) => {
    return sign({ iss: issuer, aud: kind, sub: id, exp: Math.floor(now() / 1000) + seconds })
  }
  return {
    access: (kind, sessionId) => mint(kind, sessionId, ACCESS_TOKEN_SECONDS),
    guest: guestId => mint('guest', guestId, GUEST_TOKEN_SECONDS),
    read(token) {
      try {
        const claims = genuine.get(token) ?? open(token)
        return claims && claims.exp * 1000 > now() ? claims : null
      } catch (error) {
        if (error instanceof TokenError) return null
        throw error
      }
    },
  }
}
