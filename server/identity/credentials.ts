import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { isPersonalToken } from './personalTokens.ts'
import type { Claims, TokenMint } from './tokens.ts'

export const ACCESS_COOKIE = 'accessToken'
export const REFRESH_COOKIE = 'refreshToken'

/** Parsed only where one is asked for: most requests carry a token in the header instead. */
export const readCookie = ({ headers }: FastifyRequest, name: string): string | undefined =>
  headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[name]

const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/**
 * The claims of the token in the Authorization header or, without one, in the console's cookie; or the personal access
 * token in that header, which is yet to be found. null: it carries no token. With both, the header alone counts.
 */
export const readCredential = (
  request: FastifyRequest,
  mint: TokenMint,
  publicOrigin: string,
): Claims | PersonalToken | null => {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const token = bearer.exec(authorization)?.[1]
    if (!token) throw new Problem('token_invalid', 'The Authorization header must be: Bearer <ACCESS_TOKEN>.')
    return isPersonalToken(token) ? { personalToken: token } : genuine(mint.read(token))
  }
  const cookie = readCookie(request, ACCESS_COOKIE)
  if (cookie === undefined) return null
  const claims = genuine(mint.read(cookie))
  if (request.method !== 'GET' && request.method !== 'HEAD') refuseCrossSite(request, publicOrigin)
  return claims
}

interface PersonalToken {
  personalToken: string
}

/** For what limits itself by the address: the gate counts the request in between. */
export const readClaims = async (
  request: FastifyRequest,
  { mint, personalTokens, publicOrigin }: Pick<Context, 'mint' | 'personalTokens' | 'publicOrigin'>,
): Promise<Claims | null> => {
  const credential = readCredential(request, mint, publicOrigin())
  if (!credential || !('personalToken' in credential)) return credential
  return genuine(await personalTokens.find(credential.personalToken))
}

export const genuine = (claims: Claims | null): Claims => {
  if (!claims)
    throw new Problem(
      'token_invalid',
      'The access token is invalid, expired or revoked. Get a new one from /v1/auth/token.',
    )
  return claims
}

/**
 * A browser sends cookies with requests that other sites make it send. Those tell their origin; a request that tells
 * none does not come from a page of ours, which always does.
 */
export const refuseCrossSite = (request: FastifyRequest, publicOrigin: string) => {
  const { origin, 'sec-fetch-site': site } = request.headers
  const sameOrigin =
    origin !== undefined ? origin === publicOrigin || origin === ownOrigin(request) : site === 'same-origin'
  if (!sameOrigin || (site !== undefined && site !== 'same-origin'))
    throw new Problem(
      'cross_site_request',
      'Requests with cookies must come from this origin. Use the Authorization header instead.',
    )
}

/** Signing in needs no cookie yet, so a program that is no browser may; a page of another site may not. */
export const refuseForeignPage = (request: FastifyRequest, publicOrigin: string) => {
  if (request.headers.origin !== undefined || request.headers['sec-fetch-site'] !== undefined)
    refuseCrossSite(request, publicOrigin)
}

const ownOrigin = (request: FastifyRequest) => `${request.protocol}://${request.host}`
