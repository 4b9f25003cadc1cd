import type { PageQuery } from '../../contract/common.ts'
import type { NewUser } from '../../contract/users.ts'
import { invalid, Problem } from '../http/problem.ts'
import { newId } from '../ids.ts'
import { deleteClients } from './clients.ts'
import { brokenUnique } from './failures.ts'
import { lockAccounts, lockSpaces } from './lock.ts'
import { page } from './page.ts'
import { endSessions } from './sessions.ts'
import type { Db, Row, Trx } from './tables.ts'
import { withdrawFrom } from './withdraw.ts'

/** How e-mail addresses and usernames are compared: ignoring case and ways to write the same letter. */
export const loginKey = (text: string) => text.trim().normalize('NFKC').toLowerCase()

const requireFreeOfAt = (username: string, email: string) => {
  // As it is compared: some other characters count as an @ there.
  const key = loginKey(username)
  if (key.includes('@') && key !== loginKey(email))
    throw invalid('/username', 'may contain an @ only when it is the e-mail address of the same user')
}

const taken = (field: 'email' | 'username') =>
  field === 'email'
    ? new Problem('email_taken', 'There is an account with this e-mail address already.')
    : new Problem('username_taken', 'There is an account with this username already.')

/** Before the costly part: the answer would be no anyway. Whether it still is free is settled when it is stored. */
export const refuseTaken = async (db: Db, { email, username }: Pick<NewUser, 'email' | 'username'>) => {
  requireFreeOfAt(username, email)
  const find = (column: 'emailKey' | 'usernameKey', key: string) =>
    db.selectFrom('users').select('id').where(column, '=', key).executeTakeFirst()
  if (await find('emailKey', loginKey(email))) throw taken('email')
  if (await find('usernameKey', loginKey(username))) throw taken('username')
}

export const createUser = async (
  trx: Trx,
  { email, username, phone }: Omit<NewUser, 'password'>,
  passwordHash: string,
  now: number,
  isOperator: 0 | 1 = 0,
): Promise<string> => {
  requireFreeOfAt(username, email)
  const row = await trx
    .insertInto('users')
    .values({
      id: newId(),
      email,
      emailKey: loginKey(email),
      username: username.trim(),
      usernameKey: loginKey(username),
      passwordHash,
      displayName: null,
      phone: phone ?? null,
      isOperator,
      createdAt: now,
    })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row) return row.id
  const other = await trx.selectFrom('users').select('id').where('emailKey', '=', loginKey(email)).executeTakeFirst()
  throw taken(other ? 'email' : 'username')
}

export const findUser = (db: Db, id: string) =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

/** By e-mail address or username: a username with an @ is its user's own address, so the two never cross. */
export const findUserByLogin = (db: Db, login: string) => {
  const key = loginKey(login)
  return db
    .selectFrom('users')
    .selectAll()
    .where(key.includes('@') ? 'emailKey' : 'usernameKey', '=', key)
    .executeTakeFirst()
}

export const listUsers = (db: Db, query: PageQuery) =>
  page(db.selectFrom('users').selectAll(), 'users.id', 'asc', query, user => user.id)

export const hasUsers = async (db: Db) =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined

export type UserChange = Partial<Pick<Row<'users'>, 'email' | 'username' | 'displayName' | 'phone'>>

export const updateUser = async (trx: Trx, id: string, change: UserChange): Promise<Row<'users'>> => {
  const before = await trx.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const after = { ...before, ...change }
  requireFreeOfAt(after.username, after.email)
  const keys = { emailKey: loginKey(after.email), usernameKey: loginKey(after.username) }
  const clash = await trx
    .selectFrom('users')
    .select('id')
    .where('id', '!=', id)
    .where(or => or.or([or('emailKey', '=', keys.emailKey), or('usernameKey', '=', keys.usernameKey)]))
    .executeTakeFirst()
  if (clash) {
    const mail = await trx.selectFrom('users').select('id').where('emailKey', '=', keys.emailKey).executeTakeFirst()
    throw taken(mail && mail.id !== id ? 'email' : 'username')
  }
  try {
    return await trx
      .updateTable('users')
      .set({ ...change, ...keys, username: after.username.trim() })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  } catch (error) {
    // On PostgreSQL another account may have become it since we looked.
    const broken = brokenUnique(error)
    throw broken ? taken(broken.includes('emailKey') ? 'email' : 'username') : error
  }
}

export const setPassword = async (trx: Trx, id: string, passwordHash: string): Promise<boolean> =>
  (await trx.updateTable('users').set({ passwordHash }).where('id', '=', id).returning('id').executeTakeFirst()) !==
  undefined

/** By someone else than the user: whoever knew the old one is out. False: there is no such user. */
export const resetPassword = async (
  trx: Trx,
  id: string,
  passwordHash: string,
  { endClients }: { endClients: boolean },
): Promise<boolean> => {
  await lockAccounts(trx)
  if (!(await setPassword(trx, id, passwordHash))) return false
  await endSessions(trx, id, 'user')
  // After the sessions: nobody makes another by then.
  if (endClients) await deleteClients(trx, id)
  return true
}

/**
 * Removes the account and its standing everywhere, and gives the spaces where rights have ended with it; null: there is
 * no such account. Refused while it owns spaces, and for the last operator.
 */
export const deleteUser = async (trx: Trx, id: string, now: number): Promise<{ spaceIds: string[] } | null> => {
  await lockAccounts(trx)
  // First of all: on PostgreSQL this waits for changes the user is making right now.
  await trx.deleteFrom('sessions').where('userId', '=', id).execute()
  const user = await findUser(trx, id)
  if (!user) return null
  const listMemberships = () => trx.selectFrom('members').select(['spaceId', 'role']).where('userId', '=', id).execute()
  const spaceIds = (await listMemberships()).map(({ spaceId }) => spaceId)
  await lockSpaces(trx, spaceIds)
  // Once more: an owner may have handed the space over to them just before.
  const memberships = await listMemberships()
  if (memberships.some(({ role }) => role === 'role_space_owner'))
    throw new Problem('owns_spaces', 'The user still owns spaces. Delete them or hand them over first.')
  if (user.isOperator === 1) {
    const operators = await trx.selectFrom('users').select('id').where('isOperator', '=', 1).limit(2).execute()
    if (operators.length < 2) throw new Problem('last_operator', 'The last operator cannot be deleted.')
  }
  const spacesBeyond = await listSpacesBeyondMembership(trx, id)
  for (const { spaceId } of memberships) await withdrawFrom(trx, spaceId, id, now)
  await trx.deleteFrom('users').where('id', '=', id).execute()
  return { spaceIds: [...new Set([...spaceIds, ...spacesBeyond])] }
}

/** Where they have a role or are in a call, a member or not. */
const listSpacesBeyondMembership = async (trx: Trx, userId: string): Promise<string[]> => {
  const withRole = trx.selectFrom('roomRoles').select('spaceId').where('userId', '=', userId)
  const inCall = trx
    .selectFrom('calls')
    .innerJoin('stays', 'stays.callId', 'calls.id')
    .select('calls.spaceId')
    .where('calls.endedAt', 'is', null)
    .where('stays.leftAt', 'is', null)
    .where('stays.userId', '=', userId)
  return (await withRole.union(inCall).execute()).map(({ spaceId }) => spaceId)
}
