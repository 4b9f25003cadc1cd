import type { SearchQuery } from '../../contract/common.ts'
import type { SpaceRole } from '../../contract/spaces.ts'
import { newId } from '../ids.ts'
import { shared } from './lock.ts'
import { nameKey } from './nameKeys.ts'
import { page, pageNamed, wantedKey } from './page.ts'
import type { Db, Trx } from './tables.ts'

interface MemberQuery extends SearchQuery {
  role?: SpaceRole
}

export const listMembers = (db: Db, spaceId: string, { role, ...query }: MemberQuery) => {
  const all = db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .select([
      'members.id',
      'members.userId',
      'members.role',
      'members.joinedAt',
      'members.updatedAt',
      'members.nameKey',
    ])
    .select(['users.username', 'users.displayName'])
    .where('members.spaceId', '=', spaceId)
  const members = role === undefined ? all : all.where('members.role', '=', role)
  const wanted = wantedKey(query)
  if (wanted === null) return page(members, 'members.id', 'asc', query, member => member.id)
  const place = { key: 'members.nameKey', id: 'members.id' }
  return pageNamed(members, place, 'asc', wanted, query, ({ nameKey, id }) => ({ key: nameKey ?? '', id }))
}

export const findMember = (db: Db, spaceId: string, userId: string) =>
  db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .select(['members.userId', 'members.role', 'users.username', 'users.displayName'])
    .where('members.spaceId', '=', spaceId)
    .where('members.userId', '=', userId)
    .executeTakeFirst()

/** By the event that tells of it. */
export type MemberChange = 'member_joined' | 'member_role_changed'

/** The user keeps the name until the transaction ends: who renames them then finds the member. */
export const keyOfUser = async (trx: Trx, userId: string): Promise<string> => {
  const user = trx
    .selectFrom('users')
    .select(of => of.fn.coalesce('displayName', 'username').as('name'))
    .where('id', '=', userId)
  return nameKey((await shared(trx, user).executeTakeFirstOrThrow()).name)
}

/**
 * Makes the user a member, or a user a moderator; never lowers a role. Gives the role they now have, and what became of
 * them; null: nothing.
 */
export const addMember = async (
  trx: Trx,
  spaceId: string,
  userId: string,
  role: Exclude<SpaceRole, 'role_space_owner'>,
  now: number,
): Promise<{ role: SpaceRole; change: MemberChange | null }> => {
  const id = newId(now)
  const raised = await trx
    .insertInto('members')
    .values({ id, spaceId, userId, role, joinedAt: now, nameKey: await keyOfUser(trx, userId) })
    .onConflict(conflict =>
      conflict
        .columns(['spaceId', 'userId'])
        .doUpdateSet({ role, updatedAt: now })
        .where('members.role', '=', 'role_space_user')
        .where('excluded.role', '!=', 'role_space_user'),
    )
    .returning(['id', 'role'])
    .executeTakeFirst()
  if (raised) return { role: raised.role, change: raised.id === id ? 'member_joined' : 'member_role_changed' }
  const { role: held } = await trx
    .selectFrom('members')
    .select('role')
    .where('spaceId', '=', spaceId)
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  return { role: held, change: null }
}

/** Of one who is a member. */
export const setMemberRole = async (trx: Trx, spaceId: string, userId: string, role: SpaceRole, now: number) => {
  await trx
    .updateTable('members')
    .set({ role, updatedAt: now })
    .where('spaceId', '=', spaceId)
    .where('userId', '=', userId)
    .execute()
}

/** Swaps owner and member. Unowned for a moment between the two statements: one owner is all the index allows. */
export const transferOwnership = async (trx: Trx, spaceId: string, from: string, to: string, now: number) => {
  await setMemberRole(trx, spaceId, from, 'role_space_moderator', now)
  await setMemberRole(trx, spaceId, to, 'role_space_owner', now)
}
