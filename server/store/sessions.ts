import type { PageQuery } from '../../contract/common.ts'
import { newId } from '../ids.ts'
import { hashToken, randomToken } from '../keys.ts'
import { hold } from './lock.ts'
import { page } from './page.ts'
import type { Db, Row, Trx } from './tables.ts'

export const SESSION_SECONDS = 30 * 24 * 60 * 60
/** Two tabs may refresh at the same moment with the same token; the second one is no thief. */
const TWIN_GRACE_MS = 10_000

export interface NewSession {
  userId: string
  kind: 'user' | 'client'
  clientId: string | null
  userAgent: string | null
  seconds: number
}

const createSession = async (trx: Trx, { seconds, ...session }: NewSession, now: number): Promise<string> => {
  const id = newId()
  await trx
    .insertInto('sessions')
    .values({ id, ...session, createdAt: now, lastUsedAt: now, expiresAt: now + seconds * 1000 })
    .execute()
  return id
}

const createRefreshToken = async (trx: Trx, sessionId: string): Promise<string> => {
  const token = randomToken()
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
  return { sessionId, userId: session.userId, refreshToken: await createRefreshToken(trx, sessionId) }
}

export const signInClient = (trx: Trx, client: Row<'clients'>, seconds: number, now: number) =>
  createSession(trx, { userId: client.userId, kind: 'client', clientId: client.id, userAgent: null, seconds }, now)

/**
 * Takes a refresh token and gives the next one. A token used before means that two parties hold it: the session ends
 * for both. null: it is not good any more.
 */
export const rotateRefreshToken = async (trx: Trx, token: string, now: number): Promise<SessionTokens | null> => {
  const hash = hashToken(token)
  const known = await trx
    .selectFrom('refreshTokens')
    .innerJoin('sessions', 'sessions.id', 'refreshTokens.sessionId')
    .select(['sessions.id as sessionId', 'sessions.userId as userId'])
    .where('refreshTokens.hash', '=', hash)
    .where('sessions.expiresAt', '>', now)
    .executeTakeFirst()
  // The session first: whoever ends it takes it, then its tokens.
  if (!known || !(await hold(trx, 'sessions', known.sessionId))) return null
  const rotated = await trx
    .updateTable('refreshTokens')
    .set({ rotatedAt: now })
    .where('hash', '=', hash)
    .where('rotatedAt', 'is', null)
    .returning('hash')
    .executeTakeFirst()
  if (!rotated) {
    const twin = await trx
      .selectFrom('refreshTokens')
      .select('rotatedAt')
      .where('hash', '=', hash)
      .where('rotatedAt', '>', now - TWIN_GRACE_MS)
      .executeTakeFirst()
    if (!twin) {
      await endSession(trx, known.userId, known.sessionId)
      return null
    }
  }
  await trx.updateTable('sessions').set({ lastUsedAt: now }).where('id', '=', known.sessionId).execute()
  return { ...known, refreshToken: await createRefreshToken(trx, known.sessionId) }
}

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
    .returning('id')
    .executeTakeFirst()) !== undefined

/** Of both kinds; with `but`, that one stays. */
export const endSessions = async (trx: Trx, userId: string, kind?: 'user', but?: string) => {
  let sessions = trx.deleteFrom('sessions').where('userId', '=', userId)
  if (kind) sessions = sessions.where('kind', '=', kind)
  if (but) sessions = sessions.where('id', '!=', but)
  await sessions.execute()
}

export const forgetExpiredSessions = (db: Db, now: number) =>
  db.deleteFrom('sessions').where('expiresAt', '<=', now).execute()
