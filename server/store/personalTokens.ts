import type { PageQuery } from '../../contract/common.ts'
import { PERSONAL_TOKEN_PREFIX } from '../../contract/personalTokens.ts'
import { scopes as allScopes, type Scope } from '../../contract/scopes.ts'
import { hashToken, randomToken } from '../identity/keys.ts'
import { newId } from '../ids.ts'
import { page } from './page.ts'
import type { Db, Row, Trx } from './tables.ts'

/*
 * A personal access token is a session of its own kind: whatever ends the user's sessions for good ends it too, and it
 * is looked at with every request. Only its hash is stored.
 */

/** Later than any time a caller can give. */
const NEVER = Number.MAX_SAFE_INTEGER

/** How often a use is written down at most. */
export const USE_INTERVAL_MS = 60_000

interface NewToken {
  userId: string
  name: string
  /** undefined: all there are, also those of later releases. */
  scopes?: Scope[] | undefined
  /** null: never. */
  expiresAt: number | null
}

export const createPersonalToken = async (trx: Trx, { userId, name, scopes, expiresAt }: NewToken, now: number) => {
  const id = newId(now)
  const token = PERSONAL_TOKEN_PREFIX + randomToken()
  await trx
    .insertInto('sessions')
    .values({
      id,
      userId,
      kind: 'personal',
      clientId: null,
      userAgent: null,
      createdAt: now,
      lastUsedAt: 0,
      expiresAt: expiresAt ?? NEVER,
      name: name.trim(),
      tokenHash: hashToken(token),
      scopes: scopes ? JSON.stringify(scopes) : null,
    })
    .execute()
  return { id, token }
}

export const scopesFrom = (stored: string | null): readonly Scope[] =>
  stored === null ? allScopes : JSON.parse(stored)

export const personalTokenFrom = ({ id, name, scopes, createdAt, lastUsedAt, expiresAt }: Row<'sessions'>) => ({
  id,
  name: name ?? '',
  scopes: [...scopesFrom(scopes)],
  createdAt,
  lastUsedAt: lastUsedAt === 0 ? null : lastUsedAt,
  expiresAt: expiresAt === NEVER ? null : expiresAt,
})

export const findPersonalToken = (db: Db, hash: string) =>
  db.selectFrom('sessions').select(['id', 'userId', 'name']).where('tokenHash', '=', hash).executeTakeFirst()

export const listPersonalTokens = (db: Db, userId: string, query: PageQuery) =>
  page(
    db.selectFrom('sessions').selectAll().where('userId', '=', userId).where('kind', '=', 'personal'),
    'sessions.id',
    'desc',
    query,
    token => token.id,
  )

/** What it was; undefined: the user has no such token. */
export const deletePersonalToken = (trx: Trx, userId: string, id: string) =>
  trx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('kind', '=', 'personal')
    .returning(['id', 'name'])
    .executeTakeFirst()

/** All of the user. */
export const deletePersonalTokens = async (trx: Trx, userId: string) => {
  await trx.deleteFrom('sessions').where('userId', '=', userId).where('kind', '=', 'personal').execute()
}

/** Unless another node has just done so. */
export const recordUse = async (db: Db, id: string, now: number) => {
  await db
    .updateTable('sessions')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where('lastUsedAt', '<=', now - USE_INTERVAL_MS)
    .execute()
}
