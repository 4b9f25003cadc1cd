import { operations } from '../../contract/operations.ts'
import type { Room } from '../../contract/rooms.ts'
import type { Context } from '../http/context.ts'
import { refuseBeyondScope, type Serve } from '../http/gate.ts'
import { notFound, Problem } from '../http/problem.ts'
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
  participantRole,
  type RoomStanding,
  roomEntry,
} from '../rules.ts'
import { changesOf } from '../store/audit.ts'
import { holdOpenCall } from '../store/calls.ts'
import { mapPage } from '../store/page.ts'
import { lowerHands } from '../store/participants.ts'
import { requestStop } from '../store/records.ts'
import {
  createRoom,
  deleteRoom,
  findRoomByAlias,
  listJoinableRooms,
  listRooms,
  searchRooms,
  updateRoom,
} from '../store/rooms.ts'
import { findGuestStanding, findRoomStanding } from '../store/standing.ts'
import type { Row } from '../store/tables.ts'
import { isoTime } from '../times.ts'

const targetOf = ({ id, name }: Row<'rooms'>) => ({ type: 'room', id, name }) as const

const toRoom = (room: Row<'rooms'>): Room => ({ ...room, createdAt: isoTime(room.createdAt) })

export const roomRoutes = (serve: Serve, context: Context) => {
  const { db, live, now, publicOrigin, recordings, tell } = context
  serve('createRooms', mayCreateRooms, ({ body, commit }) =>
    commit(async (trx, at, audit) => {
      const room = await createRoom(trx, at.space.id, at.caller.userId, body, now())
      const name = body.name.trim()
      await audit({ action: 'room.created', target: { type: 'room', id: room.id, name } })
      await tell(trx, at, 'room_created', { roomId: room.id, name })
      return room
    }),
  )

  serve('listRooms', mayReadSpace, async ({ at, query }) =>
    mapPage(
      managesSpace(at)
        ? await listRooms(db, at.space.id, query)
        : await listJoinableRooms(db, at.space.id, at.caller.userId, query),
      toRoom,
    ),
  )

  serve('searchRooms', anyUser, async ({ at, query }) =>
    mapPage(await searchRooms(db, at.caller.userId, query), ({ spaceName, ...room }) => ({
      ...toRoom(room),
      spaceName,
    })),
  )

  serve('getRoom', mayReadRoom, async ({ at }) => ({ ...toRoom(at.room), role: at.roomRole }))

  serve(
    'updateRoom',
    mayChangeRoom,
    ({ body, commit }) =>
      commit(async (trx, at, audit) => {
        const room = await updateRoom(trx, at.room.id, body)
        if (at.room.isHandRaisingAllowed && !room.isHandRaisingAllowed) {
          await holdOpenCall(trx, room.id)
          await lowerHands(trx, room.id)
        }
        if (!room.isRecordAllowed && (await requestStop(trx, room.id, now())))
          await recordings.change(trx, room.channelId)
        const details = changesOf(at.room, room)
        if (details) {
          await audit({ action: 'room.updated', target: targetOf(at.room), details })
          const fields = Object.keys(details).join(',')
          await tell(trx, at, 'room_updated', { roomId: room.id, name: room.name, fields })
        }
        // Who waits may come in now, or is not to wait any longer.
        if (room.waitingRoomAudience !== at.room.waitingRoomAudience || room.isLocked !== at.room.isLocked)
          await live.entryDecided(trx, room, null)
        return { ...toRoom(room), role: at.roomRole }
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
        await tell(trx, at, 'room_deleted', { roomId: at.room.id, name: at.room.name })
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
    }
  })
}
