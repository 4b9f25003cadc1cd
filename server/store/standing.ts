import { sql } from 'kysely'
import { isAlias, isId } from '../ids.ts'
import {
  type GuestCaller,
  isLinkInForce,
  isPlanActive,
  type RoomStanding,
  type SpaceStanding,
  type UserStanding,
} from '../rules.ts'
import { banOf, banOfExternalUser } from './bans.ts'
import { wantedIn } from './events.ts'
import { isAmong } from './json.ts'
import { type FlatMaker, makerColumns, makerFrom } from './links.ts'
import { scopesFrom } from './personalTokens.ts'
import { prepared } from './prepared.ts'
import type { Db, Row } from './tables.ts'
import { admissionOf } from './waiting.ts'

/*
 * One query finds the caller, the space, the room and what the caller is in them. A standing is only found for a
 * session or guest that still stands, so whatever ends one ends its tokens with it.
 */

type Flat<T, P extends string> = { [K in keyof T & string as `${P}${K}`]: T[K] }

const userColumns = [
  'sessions.id as sessionId',
  'sessions.kind as kind',
  'sessions.name as tokenName',
  'sessions.scopes as scopes',
  'users.id as userId',
  'users.username as username',
  'users.displayName as displayName',
  'users.isOperator as isOperator',
] as const

const spaceColumns = [
  'spaces.id as space_id',
  'spaces.name as space_name',
  'spaces.description as space_description',
  'spaces.logo as space_logo',
  'spaces.isPublic as space_isPublic',
  'spaces.plan as space_plan',
  'spaces.planActiveUntil as space_planActiveUntil',
  'spaces.createdAt as space_createdAt',
  'spaces.externalId as space_externalId',
  'spaces.metadata as space_metadata',
  'spaces.updatedAt as space_updatedAt',
  wantedIn('spaces.id'),
] as const

const roomColumns = [
  'rooms.id as room_id',
  'rooms.spaceId as room_spaceId',
  'rooms.alias as room_alias',
  'rooms.channelId as room_channelId',
  'rooms.name as room_name',
  'rooms.type as room_type',
  'rooms.isPublic as room_isPublic',
  'rooms.isChatAllowed as room_isChatAllowed',
  'rooms.isScreensharingAllowed as room_isScreensharingAllowed',
  'rooms.isFloorAllowed as room_isFloorAllowed',
  'rooms.waitingRoomAudience as room_waitingRoomAudience',
  'rooms.isLocked as room_isLocked',
  'rooms.isMicrophonePublishingAllowed as room_isMicrophonePublishingAllowed',
  'rooms.isCameraPublishingAllowed as room_isCameraPublishingAllowed',
  'rooms.isScreenMediaPublishingAllowed as room_isScreenMediaPublishingAllowed',
  'rooms.isHandRaisingAllowed as room_isHandRaisingAllowed',
  'rooms.isSelfRenamingAllowed as room_isSelfRenamingAllowed',
  'rooms.isRecordAllowed as room_isRecordAllowed',
  'rooms.isAutoRecordingAllowed as room_isAutoRecordingAllowed',
  'rooms.creatorId as room_creatorId',
  'rooms.createdAt as room_createdAt',
  'rooms.externalId as room_externalId',
  'rooms.metadata as room_metadata',
  'rooms.updatedAt as room_updatedAt',
] as const

type FlatSpace = Flat<Row<'spaces'>, 'space_'> & Pick<SpaceStanding, 'wantedEvents'>
type FlatRoom = Flat<Row<'rooms'>, 'room_'>
interface FlatBan {
  banId: string | null
  admission: RoomStanding['admission']
}
interface FlatUser {
  sessionId: string
  kind: Row<'sessions'>['kind']
  tokenName: string | null
  scopes: string | null
  userId: string
  username: string
  displayName: string | null
  isOperator: boolean
}

const userFrom = (row: FlatUser): UserStanding => {
  const isPersonal = row.kind === 'personal'
  return {
    caller: {
      kind: row.kind === 'client' ? 'client' : 'user',
      sessionId: row.sessionId,
      tokenName: row.tokenName,
      scopes: isPersonal ? scopesFrom(row.scopes) : null,
      userId: row.userId,
      name: row.displayName ?? row.username,
      isOperator: row.isOperator && !isPersonal,
    },
  }
}

const spaceFrom = (row: FlatSpace): Row<'spaces'> => ({
  id: row.space_id,
  name: row.space_name,
  description: row.space_description,
  logo: row.space_logo,
  isPublic: row.space_isPublic,
  plan: row.space_plan,
  planActiveUntil: row.space_planActiveUntil,
  createdAt: row.space_createdAt,
  externalId: row.space_externalId,
  metadata: row.space_metadata,
  updatedAt: row.space_updatedAt,
})

const roomFrom = (row: FlatRoom): Row<'rooms'> => ({
  id: row.room_id,
  spaceId: row.room_spaceId,
  alias: row.room_alias,
  channelId: row.room_channelId,
  name: row.room_name,
  type: row.room_type,
  isPublic: row.room_isPublic,
  isChatAllowed: row.room_isChatAllowed,
  isScreensharingAllowed: row.room_isScreensharingAllowed,
  isFloorAllowed: row.room_isFloorAllowed,
  waitingRoomAudience: row.room_waitingRoomAudience,
  isLocked: row.room_isLocked,
  isMicrophonePublishingAllowed: row.room_isMicrophonePublishingAllowed,
  isCameraPublishingAllowed: row.room_isCameraPublishingAllowed,
  isScreenMediaPublishingAllowed: row.room_isScreenMediaPublishingAllowed,
  isHandRaisingAllowed: row.room_isHandRaisingAllowed,
  isSelfRenamingAllowed: row.room_isSelfRenamingAllowed,
  isRecordAllowed: row.room_isRecordAllowed,
  isAutoRecordingAllowed: row.room_isAutoRecordingAllowed,
  creatorId: row.room_creatorId,
  createdAt: row.room_createdAt,
  externalId: row.room_externalId,
  metadata: row.room_metadata,
  updatedAt: row.room_updatedAt,
})

const personKey = sql<string>`'user:' || users.id`

const userInRoomColumns = [
  'members.role as spaceRole',
  'roomRoles.role as roomRole',
  banOf(personKey).as('banId'),
  admissionOf(personKey).as('admission'),
] as const

const roomStandingFrom = (row: FlatRoomStanding): RoomStanding => ({
  ...userFrom(row),
  space: spaceFrom(row),
  spaceRole: row.spaceRole,
  room: roomFrom(row),
  roomRole: row.roomRole,
  isRoomCreator: row.room_creatorId === row.userId,
  isBanned: row.banId !== null,
  admission: row.admission,
  wantedEvents: row.wantedEvents,
})

interface SessionParams {
  sessionId: string
  now: number
}

const fromSession = (db: Db, param: <K extends keyof SessionParams>(name: K) => SessionParams[K]) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .where('sessions.id', '=', param('sessionId'))
    .where('sessions.expiresAt', '>', param('now'))

const selectUser = prepared<SessionParams, FlatUser>((db, param) => fromSession(db, param).select(userColumns))

const selectSpace = prepared<
  SessionParams & { spaceId: string },
  FlatUser & Partial<FlatSpace> & Pick<SpaceStanding, 'spaceRole'>
>(
  (db, param) =>
    fromSession(db, param)
      .leftJoin('spaces', on => on.on('spaces.id', '=', param('spaceId')))
      .leftJoin('members', on => on.onRef('members.spaceId', '=', 'spaces.id').onRef('members.userId', '=', 'users.id'))
      .select(userColumns)
      .select(spaceColumns)
      .select('members.role as spaceRole') as never,
)

type RoomParams = SessionParams & { spaceId: string; room: string }
type FlatRoomStanding = FlatUser & FlatSpace & FlatRoom & Pick<RoomStanding, 'spaceRole' | 'roomRole'> & FlatBan

const selectRoomBy = (column: 'rooms.id' | 'rooms.alias') =>
  prepared<RoomParams, FlatRoomStanding>(
    (db, param) =>
      fromSession(db, param)
        .leftJoin('rooms', on => on.on(column, '=', param('room')).on('rooms.spaceId', '=', param('spaceId')))
        .leftJoin('spaces', 'spaces.id', 'rooms.spaceId')
        .leftJoin('members', on =>
          on.onRef('members.spaceId', '=', 'rooms.spaceId').onRef('members.userId', '=', 'users.id'),
        )
        .leftJoin('roomRoles', on =>
          on.onRef('roomRoles.roomId', '=', 'rooms.id').onRef('roomRoles.userId', '=', 'users.id'),
        )
        .select(userColumns)
        .select(spaceColumns)
        .select(roomColumns)
        .select(userInRoomColumns) as never,
  )
const selectRoomById = selectRoomBy('rooms.id')
const selectRoomByAlias = selectRoomBy('rooms.alias')

const selectRoomOfUsers = prepared<{ userIds: string; room: string }, FlatRoomStanding>(
  (db, param) =>
    db
      .selectFrom('users')
      .innerJoin('rooms', on => on.on('rooms.id', '=', param('room')))
      .innerJoin('spaces', 'spaces.id', 'rooms.spaceId')
      .leftJoin('members', on =>
        on.onRef('members.spaceId', '=', 'rooms.spaceId').onRef('members.userId', '=', 'users.id'),
      )
      .leftJoin('roomRoles', on =>
        on.onRef('roomRoles.roomId', '=', 'rooms.id').onRef('roomRoles.userId', '=', 'users.id'),
      )
      .where(isAmong(db, 'users.id', param('userIds')))
      .select(['users.id as userId', 'users.username', 'users.displayName', 'users.isOperator'])
      .select(spaceColumns)
      .select(roomColumns)
      .select(userInRoomColumns) as never,
)

interface GuestParams {
  guestId: string
  now: number
}
type FlatGuest = Omit<GuestCaller, 'kind'> & FlatSpace & FlatRoom & FlatBan & FlatMaker

const fromGuests = (db: Db, now: number) =>
  db
    .selectFrom('guests')
    .innerJoin('links', 'links.id', 'guests.linkId')
    .innerJoin('rooms', 'rooms.id', 'links.roomId')
    .innerJoin('spaces', 'spaces.id', 'rooms.spaceId')
    .where('guests.expiresAt', '>', now)
    .where('links.revokedAt', 'is', null)
    .select([
      'guests.id as guestId',
      'links.id as linkId',
      'guests.name as name',
      'links.username as linkName',
      'links.role as guestRole',
      'links.externalUserId as externalUserId',
    ])
    .select(makerColumns)
    .select(spaceColumns)
    .select(roomColumns)
    .select(
      sql<string | null>`coalesce(${banOf(sql`'guest:' || guests.id`, sql`'link:' || links.id`)},
        ${banOfExternalUser(sql`links."externalUserId"`)})`.as('banId'),
    )
    .select(admissionOf(sql`'guest:' || guests.id`, sql`links."externalUserId"`).as('admission'))

const selectGuest = prepared<GuestParams, FlatGuest>(
  (db, param) => fromGuests(db, param('now')).where('guests.id', '=', param('guestId')) as never,
)

const selectGuests = prepared<{ guestIds: string; now: number }, FlatGuest>(
  (db, param) => fromGuests(db, param('now')).where(isAmong(db, 'guests.id', param('guestIds'))) as never,
)

/** null: the session has ended. */
export const findUserStanding = async (db: Db, sessionId: string, now: number): Promise<UserStanding | null> => {
  const {
    rows: [row],
  } = await selectUser(db, { sessionId, now })
  return row ? userFrom(row) : null
}

/** `space` null: there is no such space. */
export const findSpaceStanding = async (
  db: Db,
  sessionId: string,
  spaceId: string,
  now: number,
): Promise<UserStanding | SpaceStanding | null> => {
  if (!isId(spaceId)) return findUserStanding(db, sessionId, now)
  const {
    rows: [row],
  } = await selectSpace(db, { sessionId, spaceId, now })
  if (!row) return null
  if (row.space_id === null) return userFrom(row)
  const { spaceRole, wantedEvents = null } = row
  const space = spaceFrom(row as FlatSpace)
  return { ...userFrom(row), space, spaceRole, hasActivePlan: isPlanActive(space, now), wantedEvents }
}

export const findRoomStanding = async (
  db: Db,
  sessionId: string,
  spaceId: string,
  roomRef: string,
  now: number,
): Promise<UserStanding | RoomStanding | null> => {
  const select = isId(roomRef) ? selectRoomById : isAlias(roomRef) ? selectRoomByAlias : null
  if (!select || !isId(spaceId)) return findUserStanding(db, sessionId, now)
  const {
    rows: [row],
  } = await select(db, { sessionId, spaceId, room: roomRef, now })
  if (!row) return null
  return row.room_id === null ? userFrom(row) : roomStandingFrom(row)
}

const guestStandingFrom = (row: FlatGuest): RoomStanding | null => {
  if (!isLinkInForce(makerFrom(row))) return null
  const { guestId: id, linkId, name, linkName, guestRole, externalUserId } = row
  return {
    caller: { kind: 'guest', guestId: id, linkId, name, linkName, guestRole, externalUserId },
    space: spaceFrom(row),
    spaceRole: null,
    room: roomFrom(row),
    roomRole: null,
    isRoomCreator: false,
    isBanned: row.banId !== null,
    admission: row.admission,
    wantedEvents: row.wantedEvents,
  }
}

/** A guest stands in one room: that of the link. */
export const findGuestStanding = async (db: Db, guestId: string, now: number): Promise<RoomStanding | null> => {
  const {
    rows: [row],
  } = await selectGuest(db, { guestId, now })
  return row ? guestStandingFrom(row) : null
}

/** What users are in a room, whatever session they came with, by their ids. */
const findStandingsOf = async (db: Db, userIds: string[], roomId: string): Promise<[string, RoomStanding][]> => {
  if (userIds.length === 0) return []
  const { rows } = await selectRoomOfUsers(db, { userIds: JSON.stringify(userIds), room: roomId })
  return rows.map(row => [
    row.userId,
    { ...roomStandingFrom(row), caller: { ...userFrom(row).caller, kind: 'user', sessionId: '', tokenName: null } },
  ])
}

const findGuestStandings = async (
  db: Db,
  guestIds: string[],
  now: number,
): Promise<[string, RoomStanding | null][]> => {
  if (guestIds.length === 0) return []
  const { rows } = await selectGuests(db, { guestIds: JSON.stringify(guestIds), now })
  return rows.map(row => [row.guestId, guestStandingFrom(row)])
}

type Enrolled = Pick<Row<'participants'>, 'userId' | 'guestId' | 'roomId'>

/** What participants of one room are in it, each in its place; null: the account, the guest or the room has ended. */
export const findParticipantStandings = async (
  db: Db,
  roomId: string,
  participants: Enrolled[],
  now: number,
): Promise<(RoomStanding | null)[]> => {
  const idsIn = (column: 'userId' | 'guestId') => [...new Set(participants.flatMap(each => each[column] ?? []))]
  const ofUsers = new Map(await findStandingsOf(db, idsIn('userId'), roomId))
  const ofGuests = new Map(await findGuestStandings(db, idsIn('guestId'), now))
  return participants.map(({ userId, guestId }) => (userId ? ofUsers.get(userId) : ofGuests.get(guestId ?? '')) ?? null)
}

export const findParticipantStanding = async (
  db: Db,
  participant: Enrolled,
  now: number,
): Promise<RoomStanding | null> =>
  (await findParticipantStandings(db, participant.roomId, [participant], now))[0] ?? null
