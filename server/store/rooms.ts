import type { InsertResult } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import type { NewRoom, RoomPatch } from '../../contract/rooms.ts'
import { isAlias, newAlias, newId } from '../ids.ts'
import { closeChannels } from './channels.ts'
import { cut, DEFAULT_LIMIT, page } from './page.ts'
import { prepared } from './prepared.ts'
import { type Db, isTrue, type Row, type Trx } from './tables.ts'

const insertRoom = prepared<Row<'rooms'>, InsertResult>((db, param) =>
  db
    .insertInto('rooms')
    .values({
      id: param('id'),
      spaceId: param('spaceId'),
      alias: param('alias'),
      channelId: param('channelId'),
      name: param('name'),
      type: param('type'),
      isPublic: param('isPublic'),
      isChatAllowed: param('isChatAllowed'),
      isScreensharingAllowed: param('isScreensharingAllowed'),
      isFloorAllowed: param('isFloorAllowed'),
      creatorId: param('creatorId'),
      createdAt: param('createdAt'),
    })
    .onConflict(conflict => conflict.column('alias').doNothing()),
)

export const createRoom = async (trx: Trx, spaceId: string, creatorId: string, room: NewRoom, now: number) => {
  for (;;) {
    const row = {
      id: newId(now),
      spaceId,
      alias: newAlias(),
      channelId: newId(now),
      name: room.name.trim(),
      type: room.type ?? ('lesson' as const),
      isPublic: room.isPublic ?? false,
      isChatAllowed: room.isChatAllowed ?? true,
      isScreensharingAllowed: room.isScreensharingAllowed ?? true,
      isFloorAllowed: room.isFloorAllowed ?? false,
      creatorId,
      createdAt: now,
    }
    // None is inserted in the rare case that the alias is taken: try another.
    if ((await insertRoom(trx, row)).numAffectedRows === 1n)
      return { alias: row.alias, id: row.id, channelId: row.channelId }
  }
}

export const listRooms = (db: Db, spaceId: string, query: PageQuery) =>
  page(db.selectFrom('rooms').selectAll().where('spaceId', '=', spaceId), 'rooms.id', 'desc', query, room => room.id)

/**
 * The rooms a plain user may join: public ones, those with a role of theirs, those they created. In SQL what
 * `entryRefusal` in rules.ts decides; change both. Each part is read by an index of its own and no further than one page.
 */
export const listJoinableRooms = async (
  db: Db,
  spaceId: string,
  userId: string,
  { limit = DEFAULT_LIMIT, cursor }: PageQuery,
) => {
  // Above any id in whatever order the database sorts text by.
  const before = cursor ?? 'g'
  const part = () => db.selectFrom('rooms').where('rooms.spaceId', '=', spaceId).where('rooms.id', '<', before)
  const publicRooms = part()
    .where('rooms.isPublic', '=', isTrue)
    .select('rooms.id')
    .orderBy('rooms.id', 'desc')
    .limit(limit + 1)
  const ownRooms = part()
    .where('rooms.creatorId', '=', userId)
    .select('rooms.id')
    .orderBy('rooms.id', 'desc')
    .limit(limit + 1)
  const roleRooms = db
    .selectFrom('roomRoles')
    .where('userId', '=', userId)
    .where('spaceId', '=', spaceId)
    .where('roomId', '<', before)
    .select('roomId as id')
    .orderBy('roomId', 'desc')
    .limit(limit + 1)
  const ids = db
    .selectFrom(publicRooms.as('public'))
    .select('public.id as id')
    .union(db.selectFrom(ownRooms.as('own')).select('own.id as id'))
    .union(db.selectFrom(roleRooms.as('role')).select('role.id as id'))
  const rooms = await db
    .selectFrom('rooms')
    .selectAll('rooms')
    .where('rooms.id', 'in', ids)
    .orderBy('rooms.id', 'desc')
    .limit(limit + 1)
    .execute()
  return cut(rooms, limit, room => room.id)
}

export const updateRoom = (trx: Trx, id: string, change: RoomPatch): Promise<Row<'rooms'>> =>
  trx
    .updateTable('rooms')
    .set({
      ...change,
      ...(change.name !== undefined && { name: change.name.trim() }),
      // An empty change is no syntax error.
      id,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteRoom = async (trx: Trx, id: string, now: number) => {
  await closeChannels(trx, { column: 'id', value: id }, now)
  await trx.deleteFrom('rooms').where('id', '=', id).execute()
}

export const findRoomByAlias = async (db: Db, alias: string) =>
  isAlias(alias)
    ? db
        .selectFrom('rooms')
        .innerJoin('spaces', 'spaces.id', 'rooms.spaceId')
        .select(['rooms.id', 'rooms.spaceId', 'rooms.type', 'rooms.name', 'rooms.isPublic'])
        .select(['spaces.name as spaceName', 'spaces.logo', 'spaces.isPublic as isSpacePublic'])
        .where('rooms.alias', '=', alias)
        .executeTakeFirst()
    : undefined
