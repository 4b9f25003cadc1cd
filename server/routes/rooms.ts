import { operations } from '../../contract/operations.ts'
import type { Room } from '../../contract/rooms.ts'
import type { Context } from '../http/context.ts'
import { refuseBeyondScope, type Serve } from '../http/gate.ts'
import { invalid, notFound, Problem, unlessRefused } from '../http/problem.ts'
import { readClaims } from '../identity/credentials.ts'
import { logoUrl } from '../images/logo.ts'
import {
  anyone,
  anyUser,
  managesSpace,
  mayChangeRoom,
  mayCreateRooms,
  mayDeleteRoom,
  mayReadRoom,
  mayReadSpace,
  mayRenameGuest,
  participantRole,
  type RoomStanding,
  roomEntry,
  roomRoleOf,
  seesUserIds,
} from '../rules.ts'
import { changesOf } from '../store/audit.ts'
import { holdOpenCall } from '../store/calls.ts'
import { mapPage } from '../store/page.ts'
import { findCallName, lowerHands, personOf, takeFloors } from '../store/participants.ts'
import { findRecordNotice, requestStop } from '../store/records.ts'
import { metadataFrom } from '../store/references.ts'
import {
  createRoom,
  deleteRoom,
  findRoomByAlias,
  listJoinableRooms,
  listRooms,
  roomChange,
  searchRooms,
  updateRoom,
} from '../store/rooms.ts'
import { findGuestStanding, findRoomStanding } from '../store/standing.ts'
import { isStreamed } from '../store/streams.ts'
import type { Row } from '../store/tables.ts'
import { forgetWaiting } from '../store/waiting.ts'
import { isoTime } from '../times.ts'

const targetOf = ({ id, name }: Row<'rooms'>) => ({ type: 'room', id, name }) as const

/** `isWhole`: with what other systems keep with it, which is for those who manage it. */
const toRoom = (room: Row<'rooms'>, isWhole: boolean): Room => ({
  ...room,
  createdAt: isoTime(room.createdAt),
  updatedAt: isoTime(room.updatedAt ?? room.createdAt),
  externalId: isWhole ? room.externalId : undefined,
  metadata: isWhole ? metadataFrom(room) : undefined,
})

const toRoomAndRole = (at: RoomStanding, room = at.room) => ({
  ...toRoom(room, mayChangeRoom.refusal(at) === null),
  creatorId: seesUserIds(at) ? room.creatorId : null,
  role: roomRoleOf(at),
})

const problems = {
  external_id_taken: () => new Problem('external_id_taken', 'Another room of the space has this external ID.'),
}

export const roomRoutes = (serve: Serve, context: Context) => {
  const { db, live, now, publicOrigin, recordings, tell } = context
  serve(
    'createRooms',
    mayCreateRooms,
    ({ body, commit }) =>
      commit(async (trx, at, audit) => {
        const room = unlessRefused(await createRoom(trx, at.space.id, at.caller.userId, body, now()), problems)
        const name = body.name.trim()
        await audit({ action: 'room.created', target: { type: 'room', id: room.id, name } })
        await tell(trx, at, 'room_created', { roomId: room.id, name, externalId: body.externalId ?? null })
        return room
      }),
    // Two with one external ID stand in each other's way.
    { onlyAdds: ({ externalId }) => externalId === undefined },
  )

  serve('listRooms', mayReadSpace, async ({ at, query }) => {
    const isWhole = managesSpace(at)
    const { externalId, ...others } = query
    if (query.q?.trim() && query.sort?.endsWith('createdAt'))
      throw invalid('/sort', 'not_one_of', 'must be name or -name together with q')
    // Those who don't see it find nothing by it either.
    if (externalId !== undefined && !isWhole) return { items: [], nextCursor: null }
    const found = isWhole
      ? await listRooms(db, at.space.id, query)
      : await listJoinableRooms(db, at.space.id, at.caller.userId, others)
    return mapPage(found, room => toRoom(room, isWhole))
  })

  serve('searchRooms', anyUser, async ({ at, query }) =>
    mapPage(await searchRooms(db, at.caller.userId, query), ({ spaceName, ...room }) => ({
      ...toRoom(room, false),
      spaceName,
    })),
  )

  serve('getRoom', mayReadRoom, ({ at }) => toRoomAndRole(at))

  serve(
    'updateRoom',
    mayChangeRoom,
    ({ body, commit }) =>
      commit(async (trx, at, audit) => {
        const change = roomChange(body)
        const details = changesOf(at.room, change)
        const room = details ? unlessRefused(await updateRoom(trx, at.room, change, now()), problems) : at.room
        const isTurnedOff = (flag: 'isHandRaisingAllowed' | 'isFloorAllowed') => at.room[flag] && !room[flag]
        if (isTurnedOff('isHandRaisingAllowed') || isTurnedOff('isFloorAllowed')) await holdOpenCall(trx, room.id)
        if (isTurnedOff('isHandRaisingAllowed')) await lowerHands(trx, room.id)
        if (isTurnedOff('isFloorAllowed')) await takeFloors(trx, room.id)
        if (!room.isRecordAllowed && (await requestStop(trx, room.id, now())))
          await recordings.change(trx, room.channelId)
        if (details) {
          await audit({ action: 'room.updated', target: targetOf(at.room), details })
          const fields = Object.keys(details).sort().join(',')
          const { id: roomId, name, externalId } = room
          await tell(trx, at, 'room_updated', { roomId, name, externalId, fields })
        }
        // Who waits may come in now, or is not to wait any longer.
        if (room.waitingRoomAudience !== at.room.waitingRoomAudience) await forgetWaiting(trx, room)
        if (room.waitingRoomAudience !== at.room.waitingRoomAudience || room.isLocked !== at.room.isLocked)
          await live.entryDecided(trx, room, null)
        return toRoomAndRole(at, room)
      }),
    { changes: 'room' },
  )

  serve(
    'deleteRoom',
    mayDeleteRoom,
    ({ commit }) =>
      commit(async (trx, at, audit) => {
        await deleteRoom(trx, at.room.id, now())
        await audit({ action: 'room.deleted', target: targetOf(at.room) })
        const { id: roomId, name, externalId } = at.room
        await tell(trx, at, 'room_deleted', { roomId, name, externalId })
        return {}
      }),
    { changes: 'room' },
  )

  serve('getRoomByAlias', anyone, async ({ params, request }) => {
    const room = await findRoomByAlias(db, params.alias)
    if (!room) throw notFound('room')
    const claims = await readClaims(request, context)
    const standing =
      claims &&
      (claims.kind === 'guest'
        ? await findGuestStanding(db, claims.id, now())
        : await findRoomStanding(db, claims.id, room.spaceId, room.id, now()))
    if (claims && !standing) throw new Problem('token_invalid', 'The session has ended. Sign in again.')
    if (standing && standing.caller.kind !== 'guest') refuseBeyondScope(standing.caller, operations.getRoomByAlias)
    const here = standing && 'room' in standing && standing.room.id === room.id ? (standing as RoomStanding) : null
    const mayRead = here !== null && mayReadRoom.refusal(here) === null
    return {
      spaceId: room.spaceId,
      roomId: room.id,
      type: room.type,
      entry: roomEntry(here, { isPublic: room.isSpacePublic }, room),
      role: mayRead ? participantRole(here) : null,
      spaceName: mayRead ? room.spaceName : null,
      roomName: mayRead ? room.name : null,
      logo: mayRead ? logoUrl(publicOrigin(), room.logo) : null,
      recording: mayRead ? await findRecordNotice(db, room) : null,
      isStreamed: mayRead && (await isStreamed(db, room.id)),
      name: mayRead ? ((await findCallName(db, room.id, personOf(here.caller))) ?? here.caller.name) : null,
      isRenamingAllowed: here !== null && mayRenameGuest.refusal(here) === null,
    }
  })
}
