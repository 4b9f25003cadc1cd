import type { PageQuery } from '../../contract/common.ts'
import type { RoomRole } from '../../contract/roles.ts'
import { newId } from '../ids.ts'
import { page } from './page.ts'
import type { Db, Row, Trx } from './tables.ts'

/** False: they had it already. */
export const grantRole = async (
  trx: Trx,
  room: Row<'rooms'>,
  userId: string,
  role: RoomRole,
  now: number,
): Promise<boolean> =>
  (await trx
    .insertInto('roomRoles')
    .values({ id: newId(now), spaceId: room.spaceId, roomId: room.id, userId, role, createdAt: now })
    .onConflict(conflict =>
      conflict.columns(['roomId', 'userId']).doUpdateSet({ role, updatedAt: now }).where('roomRoles.role', '!=', role),
    )
    .returning('id')
    .executeTakeFirst()) !== undefined

const rolesIn = (db: Db, roomId: string) =>
  db
    .selectFrom('roomRoles')
    .innerJoin('users', 'users.id', 'roomRoles.userId')
    .select(['roomRoles.id', 'roomRoles.userId', 'roomRoles.role', 'roomRoles.createdAt', 'roomRoles.updatedAt'])
    .select(['users.username', 'users.displayName'])
    .where('roomRoles.roomId', '=', roomId)

export const listRoles = (db: Db, roomId: string, { role, ...query }: PageQuery & { role?: RoomRole }) => {
  const all = rolesIn(db, roomId)
  const roles = role === undefined ? all : all.where('roomRoles.role', '=', role)
  return page(roles, 'roomRoles.id', 'asc', query, role => role.id)
}

export const findRole = (db: Db, roomId: string, userId: string) =>
  rolesIn(db, roomId).where('roomRoles.userId', '=', userId).executeTakeFirst()

/** What it was; undefined: the user has none. */
export const revokeRole = (trx: Trx, roomId: string, userId: string) =>
  trx
    .deleteFrom('roomRoles')
    .where('roomId', '=', roomId)
    .where('userId', '=', userId)
    .returning('role')
    .executeTakeFirst()
