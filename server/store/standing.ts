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
import { part } from './parts.ts'
import { scopesFrom } from './personalTokens.ts'
import { prepared, preparedToFind } from './prepared.ts'
import type { Db, Row } from './tables.ts'
import { admissionOf, findAdmission } from './waiting.ts'

/*
 * One query finds the caller, the space, the room and what the caller is in them; one more, where the room is not open to
 * all, whether they have been admitted. A standing is only found for a session or guest that still stands, so whatever
 * ends one ends its tokens with it.
 */

interface FoundUser {
  sessionId: string
  kind: Row<'sessions'>['kind']
  tokenName: string | null
  scopes: string | null
  userId: string
  username: string
  displayName: string | null
  isOperator: boolean
}

const users = part<FoundUser>('user', {
  sessionId: 'sessions.id',
  kind: 'sessions.kind',
  tokenName: 'sessions.name',
  scopes: 'sessions.scopes',
  userId: 'users.id',
  username: 'users.username',
  displayName: 'users.displayName',
  isOperator: 'users.isOperator',
})

const spaces = part<Row<'spaces'>>('space', {
  id: 'spaces.id',
  name: 'spaces.name',
  description: 'spaces.description',
  logo: 'spaces.logo',
  isPublic: 'spaces.isPublic',
  plan: 'spaces.plan',
  planActiveUntil: 'spaces.planActiveUntil',
  createdAt: 'spaces.createdAt',
  externalId: 'spaces.externalId',
  metadata: 'spaces.metadata',
  updatedAt: 'spaces.updatedAt',
})

const rooms = part<Row<'rooms'>>('room', {
  id: 'rooms.id',
  spaceId: 'rooms.spaceId',
  alias: 'rooms.alias',
  channelId: 'rooms.channelId',
  name: 'rooms.name',
  type: 'rooms.type',
  isPublic: 'rooms.isPublic',
  isChatAllowed: 'rooms.isChatAllowed',
  isScreensharingAllowed: 'rooms.isScreensharingAllowed',
  isFloorAllowed: 'rooms.isFloorAllowed',
  waitingRoomAudience: 'rooms.waitingRoomAudience',
  isLocked: 'rooms.isLocked',
  isMicrophonePublishingAllowed: 'rooms.isMicrophonePublishingAllowed',
  isCameraPublishingAllowed: 'rooms.isCameraPublishingAllowed',
  isScreenMediaPublishingAllowed: 'rooms.isScreenMediaPublishingAllowed',
  isHandRaisingAllowed: 'rooms.isHandRaisingAllowed',
  isSelfRenamingAllowed: 'rooms.isSelfRenamingAllowed',
  isRecordAllowed: 'rooms.isRecordAllowed',
  isAutoRecordingAllowed: 'rooms.isAutoRecordingAllowed',
  creatorId: 'rooms.creatorId',
  createdAt: 'rooms.createdAt',
  externalId: 'rooms.externalId',
  metadata: 'rooms.metadata',
  updatedAt: 'rooms.updatedAt',
})

/*
 * What is one value is a subselect of its own: PostgreSQL sets up a join, at each execution, for all columns that come
 * through it.
 */

/** Of `users` in `spaces`. */
const inSpace = [
  'spaces.id as foundId' as const,
  wantedIn(sql`spaces.id`),
  sql<SpaceStanding['spaceRole']>`(
    select role from members where members."spaceId" = spaces.id and members."userId" = users.id)`.as('spaceRole'),
]

const personKey = sql<string>`'user:' || users.id`

/** Of `users` in `rooms` of `spaces`. */
const inRoom = (db: Db) => [
  ...inSpace,
  'spaces.isPublic as isSpacePublic' as const,
  ...rooms.select(db),
  sql<RoomStanding['roomRole']>`(
    select role from "roomRoles" where "roomRoles"."roomId" = rooms.id and "roomRoles"."userId" = users.id)`.as(
    'roomRole',
  ),
  banOf(personKey).as('banId'),
]

/* With the parts that are read of them. */

interface Found {
  /** null: there is no such space, or no such room in it. */
  foundId: string | null
}

type FoundSpace = Found & Pick<SpaceStanding, 'spaceRole' | 'wantedEvents'>
type FoundRoom = FoundSpace & Pick<RoomStanding, 'roomRole'> & { isSpacePublic: boolean; banId: string | null }

const userFrom = (row: FoundUser): UserStanding => {
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

const roomStandingFrom = (
  user: UserStanding,
  row: FoundRoom,
  room: Row<'rooms'>,
  admission: RoomStanding['admission'],
): RoomStanding => ({
  ...user,
  space: { id: room.spaceId, isPublic: row.isSpacePublic },
  spaceRole: row.spaceRole,
  room,
  roomRole: row.roomRole,
  isRoomCreator: room.creatorId === user.caller.userId,
  isBanned: row.banId !== null,
  admission,
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
    .select(users.select(db))

const selectUser = preparedToFind<SessionParams, object>((db, param) => fromSession(db, param))

type SpaceParams = SessionParams & { spaceId: string }

const selectSpace = preparedToFind<SpaceParams, FoundSpace>(
  (db, param) =>
    fromSession(db, param)
      .leftJoin('spaces', on => on.on('spaces.id', '=', param('spaceId')))
      .select(inSpace)
      .select(spaces.select(db)) as never,
)

const selectRoomBy = (column: 'rooms.id' | 'rooms.alias') =>
  preparedToFind<SpaceParams & { room: string }, FoundRoom>(
    (db, param) =>
      fromSession(db, param)
        .leftJoin('rooms', on => on.on(column, '=', param('room')).on('rooms.spaceId', '=', param('spaceId')))
        .leftJoin('spaces', 'spaces.id', 'rooms.spaceId')
        .select(inRoom(db)) as never,
  )
const selectRoomById = selectRoomBy('rooms.id')
const selectRoomByAlias = selectRoomBy('rooms.alias')

const selectRoomOfUsers = prepared<
  { userIds: string; room: string },
  Pick<FoundUser, 'userId' | 'username' | 'displayName' | 'isOperator'> & FoundRoom & Pick<RoomStanding, 'admission'>
>(
  (db, param) =>
    db
      .selectFrom('users')
      .innerJoin('rooms', on => on.on('rooms.id', '=', param('room')))
      .innerJoin('spaces', 'spaces.id', 'rooms.spaceId')
      .where(isAmong(db, 'users.id', param('userIds')))
      .select(['users.id as userId', 'users.username', 'users.displayName', 'users.isOperator'])
      .select(inRoom(db))
      .select(admissionOf(personKey).as('admission')) as never,
)

type FoundGuest = Omit<GuestCaller, 'kind'> & Pick<FoundRoom, 'isSpacePublic' | 'banId' | 'wantedEvents'> & FlatMaker

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
    .select('spaces.isPublic as isSpacePublic')
    .select(wantedIn(sql`spaces.id`))
    .select(rooms.select(db))
    .select(
      sql<string | null>`coalesce(${banOf(sql`'guest:' || guests.id`)}, ${banOf(sql`'link:' || links.id`)},
        ${banOfExternalUser(sql`links."externalUserId"`)})`.as('banId'),
    )

const selectGuest = preparedToFind<{ guestId: string; now: number }, FoundGuest>(
  (db, param) => fromGuests(db, param('now')).where('guests.id', '=', param('guestId')) as never,
)

const selectGuests = prepared<{ guestIds: string; now: number }, FoundGuest & Pick<RoomStanding, 'admission'>>(
  (db, param) =>
    fromGuests(db, param('now'))
      .where(isAmong(db, 'guests.id', param('guestIds')))
      .select(admissionOf(sql`'guest:' || guests.id`, sql`links."externalUserId"`).as('admission')) as never,
)

/** null: the session has ended. */
export const findUserStanding = async (db: Db, sessionId: string, now: number): Promise<UserStanding | null> => {
  const {
    rows: [row],
  } = await selectUser(db, { sessionId, now })
  return row ? userFrom(users.read(row)) : null
}

/** Without `space`: there is no such space. */
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
  const user = userFrom(users.read(row))
  if (row.foundId === null) return user
  const space = spaces.read(row)
  const { spaceRole, wantedEvents } = row
  return { ...user, space, spaceRole, hasActivePlan: isPlanActive(space, now), wantedEvents }
}

/** Without `room`: there is no such room in the space. */
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
  const user = userFrom(users.read(row))
  if (row.foundId === null) return user
  const room = rooms.read(row)
  return roomStandingFrom(user, row, room, await findAdmission(db, room, user.caller))
}

const guestStandingFrom = (row: FoundGuest, admission: RoomStanding['admission']): RoomStanding | null => {
  if (!isLinkInForce(makerFrom(row))) return null
  const { guestId, linkId, name, linkName, guestRole, externalUserId } = row
  const room = rooms.read(row)
  return {
    caller: { kind: 'guest', guestId, linkId, name, linkName, guestRole, externalUserId },
    space: { id: room.spaceId, isPublic: row.isSpacePublic },
    spaceRole: null,
    room,
    roomRole: null,
    isRoomCreator: false,
    isBanned: row.banId !== null,
    admission,
    wantedEvents: row.wantedEvents,
  }
}

/** A guest stands in one room: that of the link. */
export const findGuestStanding = async (db: Db, guestId: string, now: number): Promise<RoomStanding | null> => {
  const {
    rows: [row],
  } = await selectGuest(db, { guestId, now })
  const standing = row ? guestStandingFrom(row, null) : null
  return standing && { ...standing, admission: await findAdmission(db, standing.room, standing.caller) }
}

/** What users are in a room, whatever session they came with, by their ids. */
const findStandingsOf = async (db: Db, userIds: string[], roomId: string): Promise<[string, RoomStanding][]> => {
  if (userIds.length === 0) return []
  const { rows: found } = await selectRoomOfUsers(db, { userIds: JSON.stringify(userIds), room: roomId })
  return found.map(row => {
    const user = userFrom({ ...row, sessionId: '', kind: 'user', tokenName: null, scopes: null })
    return [row.userId, roomStandingFrom(user, row, rooms.read(row), row.admission)]
  })
}

const findGuestStandings = async (
  db: Db,
  guestIds: string[],
  now: number,
): Promise<[string, RoomStanding | null][]> => {
  if (guestIds.length === 0) return []
  const { rows: found } = await selectGuests(db, { guestIds: JSON.stringify(guestIds), now })
  return found.map(row => [row.guestId, guestStandingFrom(row, row.admission)])
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
