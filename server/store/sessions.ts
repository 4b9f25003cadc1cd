import { sql } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import { hashToken, type Keys, randomToken } from '../identity/keys.ts'
import { newId } from '../ids.ts'
import { deleteSome } from './batches.ts'
import { hold } from './lock.ts'
import { page } from './page.ts'
import type { Db, Row, Trx } from './tables.ts'

/** Since it was last used. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60
/** However much it is used. */
const LONGEST_SESSION_SECONDS = 365 * 24 * 60 * 60
/** Two tabs may refresh with the same token at once. */
const TWIN_GRACE_MS = 10_000

interface NewSession {
  userId: string
  kind: 'user' | 'client'
  clientId: string | null
  userAgent: string | null
  seconds: number
}

const createSession = async (trx: Trx, { seconds, ...session }: NewSession, now: number): Promise<string> => {
  const id = newId(now)
  await trx
    .insertInto('sessions')
    .values({
      id,
      ...session,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: now + seconds * 1000,
      name: null,
      tokenHash: null,
      scopes: null,
    })
    .execute()
  return id
}

const storeRefreshToken = async (trx: Trx, sessionId: string, token: string): Promise<string> => {
  await trx
    .insertInto('refreshTokens')
    .values({ hash: hashToken(token), sessionId, rotatedAt: null })
    .execute()
  return token
}

export interface SessionTokens {
  sessionId: string
  userId: string
  refreshToken: string
}

export const signIn = async (
  trx: Trx,
  session: Pick<NewSession, 'userId' | 'clientId' | 'userAgent'>,
  now: number,
): Promise<SessionTokens> => {
  const sessionId = await createSession(trx, { ...session, kind: 'user', seconds: SESSION_SECONDS }, now)
  return { sessionId, userId: session.userId, refreshToken: await storeRefreshToken(trx, sessionId, randomToken()) }
}

export const signInClient = (trx: Trx, client: Row<'clients'>, seconds: number, now: number) =>
  createSession(trx, { userId: client.userId, kind: 'client', clientId: client.id, userAgent: null, seconds }, now)

interface Rotation {
  token: string
  /** The client whose credentials came with it, if any. */
  clientId: string | null
  successor: Keys['successor']
}

/**
 * Takes a refresh token and gives the next one. Two callers who use it within the grace are given the same one, as long as it
 * has not been used itself; later a token used before means that two parties hold it, and the session ends for both.
 * A token is valid only for the client it was issued to: with other credentials (`wrong_client`) nothing happens to its session.
 * null: it is not good any more.
 */
export const rotateRefreshToken = async (
  trx: Trx,
  { token, clientId, successor }: Rotation,
  now: number,
): Promise<SessionTokens | 'wrong_client' | null> => {
  const known = await trx
    .selectFrom('refreshTokens')
    .innerJoin('sessions', 'sessions.id', 'refreshTokens.sessionId')
    .select(['sessions.id as sessionId', 'sessions.userId', 'sessions.clientId', 'sessions.createdAt'])
    .where('refreshTokens.hash', '=', hashToken(token))
    .where('sessions.expiresAt', '>', now)
    .executeTakeFirst()
  if (!known) return null
  if (known.clientId !== clientId) return 'wrong_client'
  const { sessionId, userId } = known
  // The session first, then its tokens: ending a session locks them in this order.
  if (!(await hold(trx, 'sessions', sessionId))) return null

  const next = successor(token)
  if (await markRotated(trx, token, now)) await storeRefreshToken(trx, sessionId, next)
  else if (!(await wasRotatedSince(trx, token, now - TWIN_GRACE_MS))) {
    await endSession(trx, userId, sessionId)
    return null
  } else if (!(await isUnused(trx, next))) return null
  const expiresAt = Math.min(now + SESSION_SECONDS * 1000, known.createdAt + LONGEST_SESSION_SECONDS * 1000)
  await trx.updateTable('sessions').set({ lastUsedAt: now, expiresAt }).where('id', '=', sessionId).execute()
  return { sessionId, userId, refreshToken: next }
}

/** False: it has been before. */
const markRotated = async (trx: Trx, token: string, now: number): Promise<boolean> =>
  (await trx
    .updateTable('refreshTokens')
    .set({ rotatedAt: now })
    .where('hash', '=', hashToken(token))
    .where('rotatedAt', 'is', null)
    .returning('hash')
    .executeTakeFirst()) !== undefined

const findRefreshToken = (trx: Trx, token: string) =>
  trx.selectFrom('refreshTokens').select('hash').where('hash', '=', hashToken(token))

const wasRotatedSince = async (trx: Trx, token: string, time: number): Promise<boolean> =>
  (await findRefreshToken(trx, token).where('rotatedAt', '>', time).executeTakeFirst()) !== undefined

const isUnused = async (trx: Trx, token: string): Promise<boolean> =>
  (await findRefreshToken(trx, token).where('rotatedAt', 'is', null).executeTakeFirst()) !== undefined

export const findSessionOfRefreshToken = (db: Db, token: string) =>
  db
    .selectFrom('refreshTokens')
    .innerJoin('sessions', 'sessions.id', 'refreshTokens.sessionId')
    .select(['sessions.id as id', 'sessions.userId as userId'])
    .where('hash', '=', hashToken(token))
    .executeTakeFirst()

export const findSession = (db: Db, id: string) =>
  db.selectFrom('sessions').select(['id', 'userId']).where('id', '=', id).executeTakeFirst()

export const listSessions = (db: Db, userId: string, now: number, query: PageQuery) =>
  page(
    db
      .selectFrom('sessions')
      .selectAll()
      .where('userId', '=', userId)
      .where('kind', '=', 'user')
      .where('expiresAt', '>', now),
    'sessions.id',
    'desc',
    query,
    session => session.id,
  )

export const endSession = async (trx: Db, userId: string, id: string): Promise<boolean> =>
  (await trx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('kind', '!=', 'personal')
    .returning('id')
    .executeTakeFirst()) !== undefined

/** Those of the user and of API clients, but no personal access tokens; with `but`, that one stays. */
export const endSessions = async (trx: Trx, userId: string, kinds: readonly ('user' | 'client')[], but?: string) => {
  let sessions = trx.deleteFrom('sessions').where('userId', '=', userId).where('kind', 'in', kinds)
  if (but) sessions = sessions.where('id', '!=', but)
  await sessions.execute()
}

/**
 * Their refresh tokens first: in a month one session has thousands. Of a session that goes on, those that were used so
 * long ago are as good as unknown.
 */
export const forgetExpiredSessions = async (db: Db, now: number, batch?: number) => {
  const ofExpired = sql`"sessionId" in (select "id" from "sessions" where "expiresAt" <= ${now})`
  // A personal access token is listed for a while longer, so that its user sees why it stopped working.
  const hasExpired = sql`"expiresAt" <= ${now} and ("kind" <> 'personal' or "expiresAt" <= ${now - SESSION_SECONDS * 1000})`
  const usedLongAgo = sql`"rotatedAt" <= ${now - SESSION_SECONDS * 1000}`
  return (
    (await deleteSome(db, 'refreshTokens', 'hash', usedLongAgo, batch)) ||
    (await deleteSome(db, 'refreshTokens', 'hash', ofExpired, batch)) ||
    deleteSome(db, 'sessions', 'id', hasExpired, batch)
  )
}
