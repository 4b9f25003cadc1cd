import { type InsertResult, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { SearchQuery } from '../../contract/common.ts'
import type { NewRoom, RoomPatch, RoomSort, RoomType } from '../../contract/rooms.ts'
import type { SpaceRole } from '../../contract/spaces.ts'
import { isAlias, newAlias, newId } from '../ids.ts'
import { closeChannels } from './channels.ts'
import { isPostgres } from './dialect.ts'
import { keepMessages } from './messages.ts'
import { nameKey } from './nameKeys.ts'
import { beginsWith, cut, cutNamed, DEFAULT_LIMIT, page, pageNamed, placeAt, wantedKey, whereNamed } from './page.ts'
import { type Build, prepared, preparedForNext } from './prepared.ts'
import { deleteRecordsOf } from './records.ts'
import { metadataText, unlessTaken } from './references.ts'
import { stopStreamsOf } from './streams.ts'
import { type Db, isTrue, type Row, type Tables, type Trx } from './tables.ts'

type NewRow = Row<'rooms'> & { nameKey: string }

const insertRow: Build<NewRow, InsertResult> = (db, param) =>
  db.insertInto('rooms').values({
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
    waitingRoomAudience: param('waitingRoomAudience'),
    isLocked: param('isLocked'),
    isMicrophonePublishingAllowed: param('isMicrophonePublishingAllowed'),
    isCameraPublishingAllowed: param('isCameraPublishingAllowed'),
    isScreenMediaPublishingAllowed: param('isScreenMediaPublishingAllowed'),
    isHandRaisingAllowed: param('isHandRaisingAllowed'),
    isSelfRenamingAllowed: param('isSelfRenamingAllowed'),
    isRecordAllowed: param('isRecordAllowed'),
    isAutoRecordingAllowed: param('isAutoRecordingAllowed'),
    creatorId: param('creatorId'),
    createdAt: param('createdAt'),
    externalId: param('externalId'),
    metadata: param('metadata'),
    updatedAt: param('updatedAt'),
    nameKey: param('nameKey'),
  })

const insertRoom = preparedForNext(insertRow)
/** Fails at once, if it does. */
const insertNamedRoom = prepared(insertRow)

/** The room of the space that another system knows by this id. */
const findByExternalId = (db: Db, spaceId: string, externalId: string) =>
  db.selectFrom('rooms').selectAll().where('spaceId', '=', spaceId).where('externalId', '=', externalId)

export const createRoom = async (trx: Trx, spaceId: string, creatorId: string, room: NewRoom, now: number) => {
  const { externalId = null } = room
  const findOther = externalId === null ? null : () => findByExternalId(trx, spaceId, externalId).executeTakeFirst()
  return unlessTaken(findOther, () => insert(trx, spaceId, creatorId, room, externalId, now))
}

const insert = async (
  trx: Trx,
  spaceId: string,
  creatorId: string,
  room: NewRoom,
  externalId: string | null,
  now: number,
) => {
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
    waitingRoomAudience: room.waitingRoomAudience ?? ('nobody' as const),
    isLocked: room.isLocked ?? false,
    isMicrophonePublishingAllowed: room.isMicrophonePublishingAllowed ?? true,
    isCameraPublishingAllowed: room.isCameraPublishingAllowed ?? true,
    isScreenMediaPublishingAllowed: room.isScreenMediaPublishingAllowed ?? true,
    isHandRaisingAllowed: room.isHandRaisingAllowed ?? true,
    isSelfRenamingAllowed: room.isSelfRenamingAllowed ?? true,
    isRecordAllowed: room.isRecordAllowed ?? true,
    isAutoRecordingAllowed: room.isAutoRecordingAllowed ?? false,
    creatorId,
    createdAt: now,
    externalId,
    metadata: metadataText(room.metadata) ?? null,
    updatedAt: now,
    nameKey: nameKey(room.name),
  }
  await (externalId === null ? insertRoom : insertNamedRoom)(trx, row)
  return { alias: row.alias, id: row.id, channelId: row.channelId }
}

const byName = { key: 'rooms.nameKey', id: 'rooms.id' }
const placeOf = ({ nameKey, id }: { nameKey: string | null; id: string }) => ({ key: nameKey ?? '', id })

interface RoomQuery extends SearchQuery {
  externalId?: string
  type?: RoomType
  live?: 'true' | 'false'
  sort?: RoomSort
}

/** What is asked for: by which names, in which order. */
const orderOf = (query: RoomQuery) => {
  const wanted = wantedKey(query)
  const { sort = wanted === null ? '-createdAt' : 'name' } = query
  const order = sort.startsWith('-') ? ('desc' as const) : ('asc' as const)
  return { wanted: wanted ?? '', isByName: wanted !== null || sort.endsWith('name'), order }
}

const filtered = <O>(
  rooms: SelectQueryBuilder<Tables, 'rooms', O>,
  db: Db,
  spaceId: string,
  { type, live, ...query }: RoomQuery,
) => {
  let found = rooms
  // By name, those of one type are in no index: it has them in another order.
  if (type !== undefined)
    found = orderOf(query).isByName
      ? found.where(sql<boolean>`coalesce(rooms.type, '') = ${type}`)
      : found.where('rooms.type', '=', type)
  if (live === undefined) return found
  const inCall = db.selectFrom('calls').select('roomId').where('spaceId', '=', spaceId).where('endedAt', 'is', null)
  return found.where('rooms.id', live === 'true' ? 'in' : 'not in', inCall)
}

export const listRooms = (db: Db, spaceId: string, { externalId, ...query }: RoomQuery) => {
  const { wanted, isByName, order } = orderOf(query)
  const ofSpace =
    externalId === undefined
      ? db.selectFrom('rooms').selectAll().where('rooms.spaceId', '=', spaceId)
      : findByExternalId(db, spaceId, externalId)
  const rooms = filtered(ofSpace, db, spaceId, query)
  return isByName
    ? pageNamed(rooms, byName, order, wanted, query, placeOf)
    : page(rooms, 'rooms.id', order, query, room => room.id)
}

/**
 * The rooms a plain user may join: public ones, those with a role of theirs, those they created. In SQL what
 * `entryRefusal` in rules.ts decides; change both. Each part is read by an index of its own and no further than one page.
 */
export const listJoinableRooms = async (db: Db, spaceId: string, userId: string, query: RoomQuery) => {
  const { limit = DEFAULT_LIMIT, cursor } = query
  const { wanted, isByName, order } = orderOf(query)
  const after = order === 'asc' ? '>' : '<'
  const from = cursor === undefined ? null : placeAt(cursor).id
  const part = () => {
    const rooms = filtered(db.selectFrom('rooms').where('rooms.spaceId', '=', spaceId), db, spaceId, query)
    if (isByName) return whereNamed(rooms, byName, order, wanted, cursor)
    return from === null ? rooms : rooms.where('rooms.id', after, from)
  }
  const sorted = <O>(rooms: SelectQueryBuilder<Tables, 'rooms', O>) =>
    (isByName ? rooms.orderBy('rooms.nameKey', order) : rooms).orderBy('rooms.id', order).limit(limit + 1)
  const withRole = db.selectFrom('roomRoles').where('userId', '=', userId).where('spaceId', '=', spaceId)
  const roomIds = from === null ? withRole : withRole.where('roomId', after, from)
  const isPlain = !isByName && query.type === undefined && query.live === undefined
  const roleRooms = isPlain
    ? roomIds
        .select('roomId as id')
        .orderBy('roomId', order)
        .limit(limit + 1)
    : sorted(part().where('rooms.id', 'in', withRole.select('roomId'))).select('rooms.id')
  const publicRooms = sorted(part().where('rooms.isPublic', '=', isTrue)).select('rooms.id')
  const ownRooms = sorted(part().where('rooms.creatorId', '=', userId)).select('rooms.id')
  const ids = db
    .selectFrom(publicRooms.as('public'))
    .select('public.id as id')
    .union(db.selectFrom(ownRooms.as('own')).select('own.id as id'))
    .union(db.selectFrom(roleRooms.as('role')).select('role.id as id'))
  const rooms = await sorted(db.selectFrom('rooms').where('rooms.id', 'in', ids))
    .selectAll('rooms')
    .execute()
  return isByName ? cutNamed(rooms, limit, placeOf) : cut(rooms, limit, room => room.id)
}

/**
 * The rooms of all spaces of a member that are named so, as `listRooms` and `listJoinableRooms` give them, and those of
 * public spaces they have a role in. No more than one page is read of each space.
 */
export const searchRooms = async (
  db: Db,
  userId: string,
  { q, limit = DEFAULT_LIMIT, cursor }: SearchQuery & { q: string },
) => {
  const wanted = nameKey(q)
  const after = cursor === undefined ? null : placeAt(cursor)
  const count = sql.lit(limit + 1)
  const key = sql.ref<string>('part.nameKey')
  // In no index: where others find fewer.
  const plainKey = sql<string>`coalesce(${key}, '')`
  const isNamed = (name: RawBuilder<string>) =>
    after
      ? sql`${beginsWith(name, wanted)} and (${name}, part.id) > (${after.key}, ${after.id})`
      : beginsWith(name, wanted)
  /** Of each space in which they have one of the roles: its first rooms of this kind. */
  const firstOfEach = (roles: SpaceRole[], name: RawBuilder<string>, isOfKind = sql<boolean>`1 = 1`) => {
    const first = sql`select part.id from rooms as part
      where part."spaceId" = members."spaceId" and ${isOfKind} and ${isNamed(name)}
      order by ${name}, part.id limit ${count}`
    const joined = isPostgres(db)
      ? sql`cross join lateral (${first}) as found`
      : sql`inner join rooms as found on found.id in (${first})`
    return sql`select found.id from members ${joined}
      where members."userId" = ${userId} and members.role in (${sql.join(roles.map(role => sql.lit(role)))})`
  }
  const { rows } = await sql<Row<'rooms'> & { spaceName: string; nameKey: string | null }>`
    select rooms.*, spaces.name as "spaceName" from rooms inner join spaces on spaces.id = rooms."spaceId"
    where rooms.id in (
      ${firstOfEach(['role_space_owner', 'role_space_moderator'], key)}
      union ${firstOfEach(['role_space_user'], key, sql`part."isPublic" = ${isTrue}`)}
      union ${firstOfEach(['role_space_user'], plainKey, sql`part."creatorId" = ${userId}`)}
      union select part.id from "roomRoles"
        inner join rooms as part on part.id = "roomRoles"."roomId"
        inner join spaces as theirs on theirs.id = part."spaceId"
        left join members on members."spaceId" = part."spaceId" and members."userId" = ${userId}
        where "roomRoles"."userId" = ${userId} and (theirs."isPublic" = ${isTrue} or members.id is not null)
          and ${isNamed(plainKey)}
    )
    order by rooms."nameKey", rooms.id limit ${count}`.execute(db)
  return cutNamed(rows, limit, placeOf)
}

/** A change as it is stored. */
export const roomChange = ({ name, metadata, ...change }: RoomPatch) => ({
  ...change,
  ...(name !== undefined && { name: name.trim() }),
  ...(metadata !== undefined && { metadata: metadataText(metadata) ?? null }),
})

export const updateRoom = async (
  trx: Trx,
  { id, spaceId, externalId: earlier }: Row<'rooms'>,
  change: ReturnType<typeof roomChange>,
  now: number,
): Promise<Row<'rooms'> | 'external_id_taken'> => {
  const { externalId } = change
  const isNew = externalId != null && externalId !== earlier
  return unlessTaken(isNew ? () => findByExternalId(trx, spaceId, externalId).executeTakeFirst() : null, async () => {
    const { nameKey: _, ...room } = await trx
      .updateTable('rooms')
      .set({ ...change, ...(change.name !== undefined && { nameKey: nameKey(change.name) }), updatedAt: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return room
  })
}

/** Undefined: it was not locked. */
export const unlockRoom = (trx: Trx, id: string, now: number) =>
  trx
    .updateTable('rooms')
    .set({ isLocked: false, updatedAt: now })
    .where('id', '=', id)
    .where('isLocked', '=', true)
    .returning(['id', 'name', 'externalId'])
    .executeTakeFirst()

export const deleteRoom = async (trx: Trx, id: string, now: number) => {
  await closeChannels(trx, { column: 'id', value: id }, now)
  await keepMessages(trx, id)
  await deleteRecordsOf(trx, { column: 'roomId', value: id }, now)
  await stopStreamsOf(trx, { column: 'roomId', value: id }, now)
  await trx.deleteFrom('rooms').where('id', '=', id).execute()
}

export const findRoomByAlias = async (db: Db, alias: string) =>
  isAlias(alias)
    ? db
        .selectFrom('rooms')
        .innerJoin('spaces', 'spaces.id', 'rooms.spaceId')
        .select(['rooms.id', 'rooms.spaceId', 'rooms.type', 'rooms.name', 'rooms.isPublic'])
        .select(['rooms.isRecordAllowed', 'rooms.isAutoRecordingAllowed'])
        .select(['spaces.name as spaceName', 'spaces.logo', 'spaces.isPublic as isSpacePublic'])
        .where('rooms.alias', '=', alias)
        .executeTakeFirst()
    : undefined
