import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { type AttendanceFormat, attendanceFileTypes } from '../../contract/calls.ts'
import { attachment } from '../http/attachment.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { invalid, notFound, Problem } from '../http/problem.ts'
import { newId } from '../ids.ts'
import { EngineFailure } from '../media/engine.ts'
import type { MediaState } from '../media/state.ts'
import {
  admissionRefusal,
  handRefusal,
  isLinkForMany,
  isOnModeratorsSide,
  mayAskToJoin,
  mayGiveFloor,
  mayJoin,
  mayModerate,
  mayRemoveFromCall,
  maySeeCalls,
  maySeeCallsOfSpace,
  mediaRights,
  participantRole,
  presenceRefusal,
  type RoomStanding,
  seesExternalUserIds,
  seesUserIds,
} from '../rules.ts'
import { ban } from '../store/bans.ts'
import { inBatches } from '../store/batches.ts'
import {
  countInside,
  findCall,
  lastCallRefusal,
  listCalls,
  listInside,
  listOwnInside,
  listProminent,
  listStays,
  pageInside,
} from '../store/calls.ts'
import { findLinkOfGuest } from '../store/links.ts'
import { mapPage, type RowOf } from '../store/page.ts'
import {
  accountsOf,
  type Enrolment,
  findCallName,
  findEnrolled,
  findParticipant,
  findParticipants,
  hasHandRaised,
  idsOf,
  knownAs,
  personOf,
  setFloor,
  setHand,
} from '../store/participants.ts'
import { findPresence } from '../store/presence.ts'
import { findOpenRecord } from '../store/records.ts'
import { findParticipantStanding, findParticipantStandings } from '../store/standing.ts'
import { findOpenStream } from '../store/streams.ts'
import type { Row } from '../store/tables.ts'
import { findAdmitted } from '../store/waiting.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'
import { attendanceOf, peopleOf } from './attendance.ts'
import { attendanceCsv, attendanceXlsx } from './attendanceFiles.ts'
import { findParticipantFirst, holdCall, requireOpenCall, requireParticipant } from './liveCall.ts'
import { toLiveRecord } from './records.ts'
import { toLiveStream } from './streams.ts'
import { askToJoin } from './waiting.ts'

const notReady = (state: MediaState): Error => {
  if (state.status === 'off')
    return new Problem('media_off', 'The media engine is turned off, so calls can’t be joined.')
  if (state.status === 'failed') return new Problem('media_off', state.reason)
  if (state.status === 'unavailable') return new EngineFailure('no node responds')
  const progress = state.status === 'preparing' ? ` (${state.percent} %)` : ''
  return new Problem('media_starting', `The media engine is starting${progress}. Try again in a moment.`, {
    headers: { 'retry-after': '5' },
  })
}

const toCall = ({ id, roomId, roomName, startedAt, endedAt }: Row<'calls'>) => ({
  id,
  roomId,
  roomName,
  startedAt: isoTime(startedAt),
  endedAt: isoTimeOrNull(endedAt),
})

const toParticipant = (participant: RowOf<typeof pageInside>, at: RoomStanding) => ({
  participantId: participant.participantId,
  name: participant.name,
  role: participant.role,
  joinedAt: isoTime(participant.joinedAt),
  handRaisedAt: isoTimeOrNull(participant.handRaisedAt),
  hasFloor: participant.hasFloor ?? false,
  userId: seesUserIds(at) ? participant.userId : null,
  externalUserId: seesExternalUserIds(at) ? participant.externalUserId : null,
})

const toSpotlight = ({ spotlightId, spotlightSource }: Row<'calls'>) =>
  spotlightId && spotlightSource ? { participantId: spotlightId, source: spotlightSource } : null

/** Every page in a call reads it again when it changes: what they all read together must not grow with the square. */
const LISTED_WHOLE = 100
const LISTED_OF_EACH = 50
/** The engine is not flooded. */
const MUTED_AT_ONCE = 16

export const callRoutes = (serve: Serve, context: Context) => {
  const { db, live, media, now, publicOrigin, tell, viewers } = context

  const requireEngine = () => {
    const engine = media.engine()
    if (!engine || media.state().status !== 'ready') throw notReady(media.state())
    return engine.control
  }

  const requireCall = (roomId: string) => requireOpenCall(db, roomId)
  const participantFirst = findParticipantFirst(db)

  /** Whether this tab has been in the call going on. Refused if only others of the same person are in it. */
  const isInCallHere = async ({ caller, room }: RoomStanding, tabKey: string) => {
    const externalUserId = caller.kind === 'guest' ? caller.externalUserId : null
    const found = await findPresence(db, { roomId: room.id, ...idsOf(caller), externalUserId }, tabKey)
    const refusal = presenceRefusal(found)
    if (refusal)
      throw new Problem(
        refusal,
        'You are already in this call in another tab or on another device. Set presence to "switch" to move here, or to "beside" to join here too.',
      )
    return found.isHere
  }

  const wait = askToJoin(context)
  /** Under which an admitted person has waited, unless it was another tab of theirs, or is taken: by another link, too. */
  const placeOf = async ({ caller, room }: RoomStanding, tabKey: string | undefined) => {
    const waited = await findAdmitted(db, room.id, knownAs(caller))
    if (!waited || (tabKey ?? waited.tabKey) !== waited.tabKey) return undefined
    return (await findParticipant(db, waited.participantId)) ? undefined : waited
  }

  serve(
    'joinRoom',
    mayAskToJoin,
    async ({ at: asked, body, request, reply, commit }) => {
      let at = asked
      const { caller, room } = at
      const refusal = await lastCallRefusal(db, at, now())
      if (refusal)
        throw new Problem(
          refusal,
          'A moderator ended the call. You can rejoin in a minute, or when a moderator returns.',
        )
      const { presence = 'beside' } = body
      let { tabKey = randomUUID() } = body
      const person = { roomId: room.id, ...idsOf(caller) }
      const enrolled = await findEnrolled(db, { ...person, tabKey }, now())
      const { known } = enrolled
      let { callName } = enrolled
      let participantId = known?.participantId ?? newId(now())
      if (admissionRefusal(at) !== null) {
        const answer = await wait({ at, as: { participantId, tabKey }, request, reply, commit })
        if ('participantId' in answer)
          return { state: 'waiting', ...answer, name: caller.name, role: participantRole(at) }
        at = answer
        // They may have been renamed meanwhile, in another tab.
        callName = await findCallName(db, room.id, personOf(caller))
      }
      const engine = requireEngine()
      const place = known || at.admission !== 'admitted' ? undefined : await placeOf(at, body.tabKey)
      if (place) ({ participantId, tabKey } = place)
      const isBack = presence === 'ask' && (await isInCallHere(at, tabKey)) && known !== undefined
      const isReplacing = presence !== 'beside' && !isBack
      // Written when they connect: joining without connecting leaves no trace.
      const enrolment: Enrolment = { ...person, tabKey, isReplacing, at: now() }
      const name = callName ?? caller.name
      const participant = {
        participantId,
        name,
        rights: mediaRights(at, known?.hasFloor ?? false),
        ticket: known?.isFresh && !isReplacing ? null : enrolment,
      }
      return {
        state: 'admitted',
        participantId,
        name,
        role: participantRole(at),
        mediaUrl: `${publicOrigin().replace(/^http/, 'ws')}/media`,
        mediaToken: await engine.createToken(room.channelId, participant),
      }
    },
    { changesNothing: true },
  )

  serve('getLiveCall', mayJoin, async ({ at }) => {
    const call = await requireCall(at.room.id)
    const count = await countInside(db, call.id)
    const isLarge = count > LISTED_WHOLE
    const listed = isLarge
      ? await listProminent(db, call, personOf(at.caller), LISTED_OF_EACH)
      : await listInside(db, call.id)
    return {
      id: call.id,
      startedAt: isoTime(call.startedAt),
      participantCount: isLarge ? count : listed.length,
      participants: listed.map(participant => toParticipant(participant, at)),
      spotlight: toSpotlight(call),
      record: toLiveRecord(await findOpenRecord(db, at.room.id)),
      stream: await toLiveStream(await findOpenStream(db, at.room.id), viewers),
    }
  })

  serve('listCallParticipants', mayModerate, async ({ at, query }) =>
    mapPage(await pageInside(db, (await requireCall(at.room.id)).id, query), participant =>
      toParticipant(participant, at),
    ),
  )

  serve('setHand', mayJoin, ({ body, commit }) =>
    commit(async (trx, at) => {
      const { id: callId } = await holdCall(trx, at.room.id)
      const refusal = body.raised ? handRefusal(at) : null
      if (refusal) throw new Problem(refusal, 'A moderator turned off raising hands in this room.')
      const [roomId, person] = [at.room.id, personOf(at.caller)]
      if (body.raised)
        await tell(trx, at, 'hand_raised', async () => {
          const [participantId] = await listOwnInside(trx, roomId, person)
          if (!participantId || (await hasHandRaised(trx, roomId, person))) return null
          const name = (await findCallName(trx, roomId, person)) ?? at.caller.name
          return { roomId, callId, participantId, name, role: participantRole(at), ...accountsOf(at.caller) }
        })
      await setHand(trx, roomId, person, body.raised ? now() : null)
      live.callChanged(trx, at.room.channelId)
      return {}
    }),
  )

  serve('endCall', mayModerate, ({ commit }) =>
    commit(async (trx, at, audit) => {
      const call = await holdCall(trx, at.room.id)
      await live.end(trx, call)
      await audit({
        action: 'call.ended',
        target: { type: 'call', id: call.id, name: call.roomName },
        details: { roomId: at.room.id, roomName: at.room.name },
      })
      return {}
    }),
  )

  const moderatorsAmong = async (roomId: string, participantIds: string[]) => {
    const found = [...(await findParticipants(db, participantIds)).values()]
    const standings = await findParticipantStandings(db, roomId, found, now())
    const moderates = (standing: RoomStanding | null | undefined) => !!standing && isOnModeratorsSide(standing)
    return new Set(found.filter((_, index) => moderates(standings[index])).map(({ id }) => id))
  }

  serve('muteAll', mayModerate, async ({ at, body }) => {
    const { id, channelId } = await requireCall(at.room.id)
    const engine = requireEngine()
    for (const some of inBatches((await listInside(db, id)).map(({ participantId }) => participantId))) {
      const moderators = await moderatorsAmong(at.room.id, some)
      const others = some.filter(participantId => !moderators.has(participantId))
      for (const few of inBatches(others, MUTED_AT_ONCE))
        await Promise.all(few.map(participantId => engine.mute(channelId, participantId, body.source)))
    }
    return {}
  })

  serve(
    'muteParticipant',
    mayModerate,
    async ({ at, params, body }) => {
      const { channelId } = await requireCall(at.room.id)
      await requireEngine().mute(channelId, params.participantId, body.source)
      return {}
    },
    participantFirst,
  )

  serve(
    'removeParticipant',
    mayModerate,
    async ({ at, params: { participantId }, commit }) => {
      await commit(async (trx, by, audit) => {
        const participant = await requireParticipant(trx, by.room.id, participantId)
        const target = await findParticipantStanding(trx, participant, now())
        // Without a standing there is nothing to be banned from.
        if (!target) return
        if (!mayRemoveFromCall(by, target))
          throw new Problem(
            'not_allowed',
            'The room creator can’t be removed. Guests can’t remove room or space moderators who have an account.',
            { rule: 'mayRemoveFromCall' },
          )
        const banned = await ban(trx, by.room.id, target.caller, now())
        if (banned)
          await audit({
            action: 'ban.created',
            target: { type: 'ban', id: banned.id, name: target.caller.name },
            details: { participantId, roomId: by.room.id, roomName: by.room.name },
          })
      })
      await live.applyRights(at.room.channelId, participantId)
      return {}
    },
    { ...participantFirst, changes: 'room' },
  )

  serve(
    'getParticipantLink',
    mayModerate,
    async ({ at, params }) => {
      const { guestId } = await requireParticipant(db, at.room.id, params.participantId)
      const link = guestId === null ? undefined : await findLinkOfGuest(db, guestId)
      return { linkId: link?.id ?? null, isForMany: link !== undefined && isLinkForMany(link) }
    },
    participantFirst,
  )

  serve(
    'setFloor',
    mayModerate,
    async ({ at, params: { participantId }, body, commit }) => {
      await commit(async (trx, by) => {
        if (body.onAir && !mayGiveFloor(by))
          throw new Problem('not_allowed', 'This room doesn’t let viewers speak. Set isFloorAllowed to true first.', {
            rule: 'mayGiveFloor',
          })
        await holdCall(trx, by.room.id)
        await setFloor(trx, await requireParticipant(trx, by.room.id, participantId), body.onAir)
        live.callChanged(trx, by.room.channelId)
      })
      await live.applyRights(at.room.channelId, participantId)
      return {}
    },
    participantFirst,
  )

  // Afterwards.

  const requirePastCall = async (spaceId: string, roomId: string | null, id: string) => {
    const call = await findCall(db, spaceId, roomId, id)
    if (!call) throw notFound('call')
    return call
  }

  const attendance = async (
    { id, roomName, startedAt }: Row<'calls'>,
    format: AttendanceFormat,
    reply: FastifyReply,
  ) => {
    const stays = await listStays(db, id)
    const people = peopleOf(stays, now())
    if (format === 'json') return { people, items: attendanceOf(stays, now()) }
    const name = `attendance-${isoTime(startedAt).slice(0, 10)}-${roomName}`
    reply.type(attendanceFileTypes[format]).header('content-disposition', attachment(name, format))
    // A file goes out as it is, past the schema.
    return reply.send(
      format === 'csv' ? attendanceCsv(people, roomName) : await attendanceXlsx(people, roomName),
    ) as never
  }

  serve('listCalls', maySeeCalls, async ({ at, query }) =>
    mapPage(await listCalls(db, { roomId: at.room.id }, query), toCall),
  )

  serve('getRoomCall', maySeeCalls, async ({ at, params }) =>
    toCall(await requirePastCall(at.space.id, at.room.id, params.callId)),
  )

  serve('getAttendance', maySeeCalls, async ({ at, params, query, reply }) =>
    attendance(await requirePastCall(at.space.id, at.room.id, params.callId), query.format ?? 'json', reply),
  )

  serve('listSpaceCalls', maySeeCallsOfSpace, async ({ at, query }) => {
    if (query.q?.trim() && query.sort) throw invalid('/sort', 'invalid', 'can’t be used together with q')
    return mapPage(await listCalls(db, { spaceId: at.space.id }, query), toCall)
  })

  serve('getSpaceCall', maySeeCallsOfSpace, async ({ at, params }) =>
    toCall(await requirePastCall(at.space.id, null, params.callId)),
  )

  serve('getSpaceAttendance', maySeeCallsOfSpace, async ({ at, params, query, reply }) =>
    attendance(await requirePastCall(at.space.id, null, params.callId), query.format ?? 'json', reply),
  )
}
