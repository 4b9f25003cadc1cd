import { stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GrantType, Tokens } from '../../contract/tokens.ts'
import type { Audit } from '../http/audit.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { goneSignal } from '../http/gone.ts'
import { invalid, Problem } from '../http/problem.ts'
import { verifyCaptcha } from '../identity/captcha.ts'
import {
  ACCESS_COOKIE,
  REFRESH_COOKIE,
  readCookie,
  refuseCrossSite,
  refuseForeignPage,
} from '../identity/credentials.ts'
import { hashToken } from '../identity/keys.ts'
import { isPersonalToken } from '../identity/personalTokens.ts'
import { ACCESS_TOKEN_SECONDS } from '../identity/tokens.ts'
import { anyone } from '../rules.ts'
import { findClient, hasClient } from '../store/clients.ts'
import { transact } from '../store/db.ts'
import { endGuest } from '../store/links.ts'
import { hold } from '../store/lock.ts'
import { deletePersonalToken, findPersonalToken } from '../store/personalTokens.ts'
import {
  endSession,
  findSession,
  findSessionOfRefreshToken,
  rotateRefreshToken,
  SESSION_SECONDS,
  type SessionTokens,
  signIn,
  signInClient,
} from '../store/sessions.ts'
import { findUserStanding } from '../store/standing.ts'
import type { Trx } from '../store/tables.ts'
import { findUser, findUserByLogin, loginKey, nameOfUser } from '../store/users.ts'

const refreshPath = '/v1/auth/session'

/** `serveForms`: for the operations of OAuth alone. */
export const tokenRoutes = (serve: Serve, serveForms: Serve, context: Context) => {
  const { config, db, keys, limits, live, mint, now, passwords, publicOrigin } = context

  /** Equal answer and equal time for an unknown user and a wrong password; counts failures. */
  const signInWithPassword = async (
    { username, password, captchaToken }: { username: string; password: string; captchaToken?: string | undefined },
    clientId: string | null,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  ): Promise<SessionTokens> => {
    const found = await findUserByLogin(db, username)
    // One account, whichever of its names is tried.
    const by = { account: found?.id ?? loginKey(username), address: request.ip, gone: goneSignal(reply) }
    const user = await limits.login.attempt(by, async captchaDue => {
      if (captchaDue) await verifyCaptcha(config, captchaToken, request.ip)
      return (await passwords.verify(found?.passwordHash, password)) && found ? found : null
    })
    if (!user) throw new Problem('credentials_invalid', 'Incorrect username or password.')
    return transact(db, async trx => {
      // The password may have been changed, or the account deleted, while the old one was being checked.
      await hold(trx, 'users', user.id)
      const current = await findUser(trx, user.id)
      if (current?.passwordHash !== user.passwordHash)
        throw new Problem('credentials_invalid', 'Incorrect username or password.')
      if (clientId !== null && !(await hold(trx, 'clients', clientId))) throw wrongClient()
      const userAgent = request.headers['user-agent']?.slice(0, 200) ?? null
      return signIn(trx, { userId: user.id, clientId, userAgent }, now())
    })
  }

  const answer = ({ sessionId, refreshToken }: SessionTokens): Tokens => ({
    token_type: 'Bearer',
    access_token: mint.access('user', sessionId),
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token: refreshToken,
  })

  const rotate = async (token: string, clientId: string | null) => {
    const next = await transact(db, trx =>
      rotateRefreshToken(trx, { token, clientId, successor: keys.successor }, now()),
    )
    if (next === 'wrong_client') throw issuedToAnother(clientId)
    if (!next) throw new Problem('credentials_invalid', 'The refresh token is no longer valid. Sign in again.')
    return next
  }

  /**
   * The API client, which may be named with any grant and must then be right. A program that is none of ours may name
   * itself without a secret (RFC 6749 §3.2.1), which changes nothing.
   */
  const authenticateClient = async ({ client_id, client_secret }: ClientCredentials) => {
    if (!client_id && !client_secret) return null
    if (!client_secret && !(await hasClient(db, client_id ?? ''))) return null
    const client = await findClient(db, client_id ?? '', client_secret ?? '')
    if (!client) throw wrongClient()
    return client
  }

  serveForms(
    'createToken',
    anyone,
    async ({ body, request, reply }) => {
      // RFC 6749 §5.1, for caches that know nothing newer; `cache-control` is on every answer.
      reply.header('pragma', 'no-cache')
      const client = await authenticateClient(credentialsOf(request, body))
      const require = (field: 'username' | 'password' | 'refresh_token') =>
        // RFC 6749 §3.2: a parameter without a value is as if it were not there.
        body[field] || refuseMissing(field, body.grant_type)
      switch (body.grant_type satisfies GrantType) {
        case 'password': {
          const credentials = {
            username: require('username'),
            password: require('password'),
            captchaToken: body.captchaToken,
          }
          return answer(await signInWithPassword(credentials, client?.id ?? null, { request, reply }))
        }
        case 'refresh_token':
          return answer(await rotate(require('refresh_token'), client?.id ?? null))
        case 'client_credentials': {
          if (!client && (body.client_id || request.headers.authorization)) throw wrongClient()
          if (!client) return refuseMissing('client_id', body.grant_type)
          const sessionId = await transact(db, async trx => {
            // It may have been deleted since its secret was compared.
            if (!(await hold(trx, 'clients', client.id))) throw wrongClient()
            return signInClient(trx, client, ACCESS_TOKEN_SECONDS, now())
          })
          return {
            token_type: 'Bearer',
            access_token: mint.access('client', sessionId),
            expires_in: ACCESS_TOKEN_SECONDS,
          }
        }
      }
    },
    { oauth: true },
  )

  serveForms(
    'revokeToken',
    anyone,
    async ({ body, commit }) => {
      if (isPersonalToken(body.token)) {
        await commit((trx, _at, audit) => endPersonalToken(trx, body.token, audit))
        return {}
      }
      const claims = mint.read(body.token)
      const roomId = claims?.kind === 'guest' ? await endGuest(db, claims.id) : null
      if (roomId) live.rightsChanged({ roomId })
      const session = claims ? await findSession(db, claims.id) : await findSessionOfRefreshToken(db, body.token)
      if (session) await endSession(db, session.userId, session.id)
      return {}
    },
    { oauth: true },
  )

  // Cookies, for pages of this origin.

  const setCookie = (reply: FastifyReply, cookie: { name: string; value: string; path: string; maxAge: number }) => {
    const secure = publicOrigin().startsWith('https:')
    reply.header('set-cookie', stringifySetCookie({ ...cookie, httpOnly: true, sameSite: 'lax', secure }))
  }

  const setCookies = (reply: FastifyReply, { sessionId, refreshToken, userId }: SessionTokens) => {
    const accessToken = mint.access('user', sessionId)
    setCookie(reply, { name: ACCESS_COOKIE, value: accessToken, path: '/', maxAge: ACCESS_TOKEN_SECONDS })
    setCookie(reply, { name: REFRESH_COOKIE, value: refreshToken, path: refreshPath, maxAge: SESSION_SECONDS })
    return { id: userId }
  }

  serve('createSession', anyone, async ({ body, request, reply }) => {
    refuseForeignPage(request, publicOrigin())
    return setCookies(reply, await signInWithPassword(body, null, { request, reply }))
  })

  serve('getSession', anyone, async ({ request }) => {
    const token = readCookie(request, REFRESH_COOKIE)
    const session = token && (await findSessionOfRefreshToken(db, token))
    const standing = session && (await findUserStanding(db, session.id, now()))
    return { id: standing ? session.userId : null }
  })

  serve('refreshSession', anyone, async ({ request, reply }) => {
    refuseCrossSite(request, publicOrigin())
    const token = readCookie(request, REFRESH_COOKIE)
    if (!token) throw new Problem('token_required', 'There is no session to renew. Sign in first.')
    return setCookies(reply, await rotate(token, null))
  })

  serve('deleteSession', anyone, async ({ request, reply }) => {
    refuseCrossSite(request, publicOrigin())
    const token = readCookie(request, REFRESH_COOKIE)
    const session = token && (await findSessionOfRefreshToken(db, token))
    if (session) await endSession(db, session.userId, session.id)
    setCookie(reply, { name: ACCESS_COOKIE, value: '', path: '/', maxAge: 0 })
    setCookie(reply, { name: REFRESH_COOKIE, value: '', path: refreshPath, maxAge: 0 })
    return {}
  })
}

/** Whoever holds it may end it, also a finder. */
const endPersonalToken = async (trx: Trx, token: string, audit: Audit<'token.deleted'>) => {
  const known = await findPersonalToken(trx, hashToken(token))
  const user = known && (await findUser(trx, known.userId))
  if (!user || !(await deletePersonalToken(trx, user.id, known.id))) return
  const { id, name } = known
  await audit({
    action: 'token.deleted',
    by: { id: user.id, name: nameOfUser(user) },
    target: { type: 'token', id, name },
  })
}

const wrongClient = () => new Problem('token_invalid', 'Incorrect client_id or client_secret.')

/** RFC 6749 §5.2: without credentials the client is not authenticated; with them, the grant is another client's. */
const issuedToAnother = (clientId: string | null) =>
  clientId === null
    ? new Problem(
        'token_invalid',
        'This refresh token was issued to an API client. Send its client_id and client_secret too.',
      )
    : new Problem('credentials_invalid', 'This refresh token was not issued to this API client.')

const refuseMissing = (field: string, grant: GrantType): never => {
  throw invalid(`/${field}`, 'required', `is required for grant_type ${grant}`)
}

interface ClientCredentials {
  client_id?: string
  client_secret?: string
}

/** RFC 6749 §2.3: by one of two ways, and not two clients at once. */
const credentialsOf = (request: FastifyRequest, { client_id, client_secret }: ClientCredentials): ClientCredentials => {
  const basic = basicCredentials(request)
  if (!basic.client_id) return { ...(client_id && { client_id }), ...(client_secret && { client_secret }) }
  const differs = (given: string | undefined, known: string | undefined) => given && given !== known
  if (differs(client_id, basic.client_id) || differs(client_secret, basic.client_secret))
    throw invalid('/client_id', 'invalid', 'differs from the one in the Authorization header')
  return basic
}

/** RFC 6749 §2.3.1: a client may send its credentials as HTTP Basic. */
const basicCredentials = (request: FastifyRequest): ClientCredentials => {
  const encoded = /^Basic +(.*)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!encoded) return {}
  // Who tried to authenticate is told that it failed, and not taken for somebody else.
  if (!/^[A-Za-z0-9+/]+=*$/.test(encoded)) throw wrongClient()
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':', 2)
  try {
    return { client_id: decodeURIComponent(id), client_secret: decodeURIComponent(secret) }
  } catch {
    return { client_id: id, client_secret: secret }
  }
}
