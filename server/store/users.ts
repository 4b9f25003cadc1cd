import { sql } from 'kysely'
import type { SearchQuery } from '../../contract/common.ts'
import type { NewUser } from '../../contract/users.ts'
import { newId } from '../ids.ts'
import { accountDeletionRefusal } from '../rules.ts'
import { deleteClients } from './clients.ts'
import { isPostgres } from './dialect.ts'
import { brokenUnique } from './failures.ts'
import { lockAccounts, lockSpaces } from './lock.ts'
import { nameKey } from './nameKeys.ts'
import { beginsWith, cutNamed, DEFAULT_LIMIT, page, placeAt, wantedKey } from './page.ts'
import { deletePersonalTokens } from './personalTokens.ts'
import { endSessions } from './sessions.ts'
import type { Db, Row, Trx } from './tables.ts'
import { endOtherRoles, withdrawFrom } from './withdraw.ts'

/** How e-mail addresses and usernames are compared: ignoring case and ways to write the same letter. */
export const loginKey = (text: string) => text.trim().normalize('NFKC').toLowerCase()

/** Why an account cannot be made, changed or deleted. */
export type AccountRefusal = NamesRefusal | DeletionRefusal
type DeletionRefusal = NonNullable<ReturnType<typeof accountDeletionRefusal>>
type NamesRefusal = 'at_in_username' | 'email_taken' | 'username_taken' | 'external_id_taken'

/** An @ is for the user's own address. As it is compared: some other characters count as an @ there. */
const hasForeignAt = (username: string, email: string) => {
  const key = loginKey(username)
  return key.includes('@') && key !== loginKey(email)
}

/** Before the costly part: the answer would be no anyway. Whether it still is free is decided when it is stored. */
export const accountRefusal = async (
  db: Db,
  { email, username }: Pick<NewUser, 'email' | 'username'>,
): Promise<NamesRefusal | null> => {
  if (hasForeignAt(username, email)) return 'at_in_username'
  const find = (column: 'emailKey' | 'usernameKey', key: string) =>
    db.selectFrom('users').select('id').where(column, '=', key).executeTakeFirst()
  if (await find('emailKey', loginKey(email))) return 'email_taken'
  return (await find('usernameKey', loginKey(username))) ? 'username_taken' : null
}

export const createUser = async (
  trx: Trx,
  { email, username, phone }: Omit<NewUser, 'password'>,
  passwordHash: string,
  now: number,
  isOperator = false,
): Promise<{ id: string } | NamesRefusal> => {
  if (hasForeignAt(username, email)) return 'at_in_username'
  const row = await trx
    .insertInto('users')
    .values({
      id: newId(now),
      email,
      emailKey: loginKey(email),
      username: username.trim(),
      usernameKey: loginKey(username),
      passwordHash,
      displayName: null,
      phone: phone ?? null,
      isOperator,
      createdAt: now,
      externalId: null,
      metadata: null,
      updatedAt: now,
      nameKey: nameKey(username),
    })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row) return row
  const other = await trx.selectFrom('users').select('id').where('emailKey', '=', loginKey(email)).executeTakeFirst()
  return other ? 'email_taken' : 'username_taken'
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

/** What others know them by. */
export const nameOfUser = ({ displayName, username }: Pick<Row<'users'>, 'displayName' | 'username'>) =>
  displayName ?? username

export const listUsers = (
  db: Db,
  { externalId, email, ...query }: SearchQuery & { externalId?: string; email?: string },
) => {
  let users = db.selectFrom('users').selectAll()
  if (externalId !== undefined) users = users.where('externalId', '=', externalId)
  if (email !== undefined) users = users.where('emailKey', '=', loginKey(email))
  if (wantedKey(query) !== null) {
    if (externalId === undefined && email === undefined) return searchUsers(db, query)
    users = users.where(or => or.or(waysTo(db, query).map(({ key, wanted }) => beginsWith(key, wanted))))
  }
  return page(users, 'users.id', 'asc', query, user => user.id)
}

/** In byte order on PostgreSQL too, as their indexes are. */
const inBytes = (db: Db, column: string) =>
  isPostgres(db) ? sql<string>`${sql.ref(column)} collate "C"` : sql.ref<string>(column)

/** By which columns a user is found. */
const waysTo = (db: Db, { q = '' }: SearchQuery) =>
  [
    { column: 'nameKey', key: sql.ref<string>('nameKey'), wanted: nameKey(q) },
    { column: 'usernameKey', key: inBytes(db, 'usernameKey'), wanted: loginKey(q) },
    { column: 'emailKey', key: inBytes(db, 'emailKey'), wanted: loginKey(q) },
  ] as const

/**
 * Those whose name begins so, then those whose username does, then those whose e-mail address does; nobody twice. Each is
 * read in the order of its index. The place of a cursor begins with which of them it is in.
 */
const searchUsers = async (db: Db, { q = '', limit = DEFAULT_LIMIT, cursor }: SearchQuery) => {
  const ways = waysTo(db, { q })
  const last = cursor === undefined ? null : placeAt(cursor)
  const first = last ? Math.max(0, '012'.indexOf(last.key.charAt(0))) : 0
  const found: { user: Row<'users'>; place: string }[] = []
  for (const [way, { column, key, wanted }] of ways.entries()) {
    const left = limit + 1 - found.length
    if (way < first || left === 0) continue
    let users = db.selectFrom('users').selectAll().where(beginsWith(key, wanted))
    for (const before of ways.slice(0, way))
      users = users.where(sql<boolean>`not ${beginsWith(sql`coalesce(${before.key}, '')`, before.wanted)}`)
    if (last && way === first) users = users.where(sql<boolean>`(${key}, id) > (${last.key.slice(1)}, ${last.id})`)
    const rows = await users.orderBy(key).orderBy('id').limit(left).execute()
    found.push(...rows.map(user => ({ user, place: `${way}${user[column] ?? ''}` })))
  }
  const { items, nextCursor } = cutNamed(found, limit, ({ user, place }) => ({ key: place, id: user.id }))
  return { items: items.map(({ user }) => user), nextCursor }
}

export const hasUsers = async (db: Db) =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined

type UserChange = Partial<
  Pick<Row<'users'>, 'email' | 'username' | 'displayName' | 'phone' | 'externalId' | 'metadata'>
>

export const updateUser = async (
  trx: Trx,
  id: string,
  change: UserChange,
  now: number,
): Promise<Row<'users'> | NamesRefusal> => {
  const before = await trx.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const after = { ...before, ...change }
  if (hasForeignAt(after.username, after.email)) return 'at_in_username'
  const keys = { emailKey: loginKey(after.email), usernameKey: loginKey(after.username) }
  const clash = await trx
    .selectFrom('users')
    .select('id')
    .where('id', '!=', id)
    .where(or => or.or([or('emailKey', '=', keys.emailKey), or('usernameKey', '=', keys.usernameKey)]))
    .executeTakeFirst()
  if (clash) {
    const mail = await trx.selectFrom('users').select('id').where('emailKey', '=', keys.emailKey).executeTakeFirst()
    return mail && mail.id !== id ? 'email_taken' : 'username_taken'
  }
  if (after.externalId !== null && after.externalId !== before.externalId) {
    const other = trx.selectFrom('users').select('id').where('externalId', '=', after.externalId)
    if (await other.executeTakeFirst()) return 'external_id_taken'
  }
  const username = after.username.trim()
  const key = nameKey(nameOfUser({ ...after, username }))
  try {
    const user = await trx
      .updateTable('users')
      .set({ ...change, ...keys, username, nameKey: key, updatedAt: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (key !== before.nameKey)
      await trx.updateTable('members').set({ nameKey: key }).where('userId', '=', id).execute()
    return user
  } catch (error) {
    // On PostgreSQL another account may have become it since we looked.
    const broken = brokenUnique(error)
    if (!broken) throw error
    if (broken === 'users_external') return 'external_id_taken'
    return broken.includes('emailKey') ? 'email_taken' : 'username_taken'
  }
}

export const setPassword = (trx: Trx, id: string, passwordHash: string) =>
  trx
    .updateTable('users')
    .set({ passwordHash })
    .where('id', '=', id)
    .returning(['displayName', 'username'])
    .executeTakeFirst()

/** By someone else than the user: sessions opened with the old password end. undefined: there is no such user. */
export const resetPassword = async (
  trx: Trx,
  id: string,
  passwordHash: string,
  { endClients }: { endClients: boolean },
) => {
  await lockAccounts(trx)
  const user = await setPassword(trx, id, passwordHash)
  if (!user) return undefined
  await endSessions(trx, id, ['user'])
  // After the sessions: nobody makes another by then.
  if (endClients) {
    await deleteClients(trx, id)
    await deletePersonalTokens(trx, id)
  }
  return user
}

/**
 * Removes the account and its standing everywhere, and gives its name and the spaces where rights have ended with it;
 * null: there is no such account.
 */
export const deleteUser = async (
  trx: Trx,
  id: string,
  now: number,
  wake: (webhookId: string) => void,
): Promise<{ name: string; spaceIds: string[] } | DeletionRefusal | null> => {
  await lockAccounts(trx)
  // First of all: on PostgreSQL this waits for changes the user is making right now.
  await trx.deleteFrom('sessions').where('userId', '=', id).execute()
  const user = await findUser(trx, id)
  if (!user) return null
  const listMemberships = () => trx.selectFrom('members').select(['spaceId', 'role']).where('userId', '=', id).execute()
  const spaceIds = (await listMemberships()).map(({ spaceId }) => spaceId)
  await lockSpaces(trx, spaceIds)
  // Once more: an owner may have transferred the space to them just before.
  const memberships = await listMemberships()
  const spaceRoles = memberships.map(({ role }) => role)
  const refusal = accountDeletionRefusal(spaceRoles, user.isOperator && (await isLastOperator(trx)))
  if (refusal) return refusal
  const spacesBeyond = await listSpacesBeyondMembership(trx, id)
  for (const { spaceId, role } of memberships) await withdrawFrom(trx, spaceId, { userId: id, role }, now, wake)
  await endOtherRoles(trx, id, now, wake)
  await trx.deleteFrom('users').where('id', '=', id).execute()
  return { name: nameOfUser(user), spaceIds: [...new Set([...spaceIds, ...spacesBeyond])] }
}

/** Asked of an operator. */
const isLastOperator = async (trx: Trx): Promise<boolean> =>
  (await trx.selectFrom('users').select('id').where('isOperator', '=', true).limit(2).execute()).length < 2

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
