import { isDeepStrictEqual } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import { isRecorder, type MediaBearer, type MediaPresence } from '../media/engine.ts'
import type { Media } from '../media/media.ts'
import { callEndedRefusal, isReplaced, mayJoin, mediaRights, participantRole, type RoomStanding } from '../rules.ts'
import { inBatches } from '../store/batches.ts'
import { findLastCall, findOpenCall, findStays, lastCallRefusal, listOpenCalls, setRole } from '../store/calls.ts'
import {
  type Enrolment,
  enrol,
  type FoundParticipant,
  findParticipant,
  findParticipants,
} from '../store/participants.ts'
import { isCaptured } from '../store/records.ts'
import { findParticipantStanding, findParticipantStandings } from '../store/standing.ts'
import type { Db } from '../store/tables.ts'
import type { Broadcast } from './broadcast.ts'
import { createGather } from './gather.ts'
import { createTurns } from './turns.ts'

/** A change of a room with many inside is to be felt within a second, and the engine not flooded. */
const AT_ONCE = 16
/** Changes come in rows: a list of roles, a page of settings. */
const GATHER_MS = 50

/** One room, or every room of a space. `anywhere`: nobody can say where. */
export type WhereRightsChanged = { roomId: string } | { spaceId: string } | 'anywhere'

/** What the engine does by now: the rights it grants, and the name it shows. */
type Applied = Pick<MediaPresence, 'rights' | 'name'>

export interface Rights {
  /** Their standing if they may be in the room now. */
  standingIfAllowed: (
    participant: Pick<Enrolment, 'roomId' | 'userId' | 'guestId'> & Partial<Pick<FoundParticipant, 'replacedAt'>>,
  ) => Promise<RoomStanding | null>
  /** Whether the bearer of a media token may connect now; the first time enrols them. */
  allows: (bearer: MediaBearer) => Promise<boolean>
  /**
   * Disconnects a participant who may not be there; others get their current rights, and the name they have chosen.
   * The engine is told only what it does not do already, as far as is known.
   */
  apply: (channelId: string, participantId: string, current?: Applied | null) => Promise<void>
  /** Standings of those participants of one room who may be in it now, by participant. */
  standingsIfAllowed: (participants: Iterable<FoundParticipant>) => Promise<Map<string, RoomStanding>>
  /** `apply` for everyone in the channel for whom there is something to do. */
  applyAll: (channelId: string, inside: MediaPresence[]) => Promise<void>
  /** Applies the current rights to everyone in a call there, once for changes that come close together. */
  rightsChanged: (where: WhereRightsChanged) => void
}

interface RightsOptions {
  db: Db
  media: Pick<Media, 'engine'>
  broadcast: Broadcast
  now: () => number
  log: FastifyBaseLogger
}

const isApplied = (standing: RoomStanding, { hasFloor, callName }: FoundParticipant, { rights, name }: Applied) =>
  isDeepStrictEqual(mediaRights(standing, hasFloor), rights) && (callName ?? name) === name

/** Applies to the engine what the rules decide: who may be in a call, and with which rights. */
export const createRights = ({ db, media, broadcast, now, log }: RightsOptions): Rights => {
  const inTurn = createTurns()

  const standingIfAllowed: Rights['standingIfAllowed'] = async participant => {
    if (isReplaced(participant)) return null
    const standing = await findParticipantStanding(db, participant, now())
    if (!standing || standing.room.id !== participant.roomId) return null
    const refusal = mayJoin.refusal(standing) ?? (await lastCallRefusal(db, standing, now()))
    return refusal === null ? standing : null
  }

  const standingsIfAllowed: Rights['standingsIfAllowed'] = async found => {
    const participants = [...found].filter(participant => !isReplaced(participant))
    const allowed = new Map<string, RoomStanding>()
    const [first] = participants
    if (!first) return allowed
    const standings = await findParticipantStandings(db, first.roomId, participants, now())
    const last = await findLastCall(db, first.roomId)
    for (const [index, { id, roomId }] of participants.entries()) {
      const standing = standings[index]
      if (standing?.room.id !== roomId) continue
      const refusal = mayJoin.refusal(standing) ?? callEndedRefusal(standing, last, now())
      if (refusal === null) allowed.set(id, standing)
    }
    return allowed
  }

  const apply: Rights['apply'] = (channelId, participantId, current = null) =>
    inTurn(participantId, async hasWaited => {
      try {
        // A turn that has waited stands for others too, and the engine may have been told otherwise since.
        let told: Applied | null = hasWaited ? null : current
        // Another node may tell the engine of a later decision while we tell it of this one: the last must stand.
        for (;;) {
          const participant = await findParticipant(db, participantId)
          const standing = participant ? await standingIfAllowed(participant) : null
          const engine = media.engine()?.control
          if (!participant || !standing) return await engine?.remove(channelId, participantId)
          if (told && isApplied(standing, participant, told)) {
            if (await setRole(db, participantId, participantRole(standing))) broadcast.callChanged(channelId)
            return
          }
          const { hasFloor, callName } = participant
          const rights = mediaRights(standing, hasFloor)
          await engine?.setRights(channelId, participantId, rights, callName)
          told = { rights, name: callName ?? '' }
        }
      } catch (error) {
        log.warn({ err: error }, 'rights could not be applied; retrying at the next reconciliation')
      }
    })

  const applyAll: Rights['applyAll'] = async (channelId, inside) => {
    for (const some of inBatches(inside)) {
      const participants = await findParticipants(
        db,
        some.map(({ participantId }) => participantId),
      )
      const standings = await standingsIfAllowed(participants.values())
      const stays = await findStays(
        db,
        some.map(({ connectionId }) => connectionId),
      )
      const isAsItShouldBe = ({ participantId, connectionId, ...current }: MediaPresence) => {
        const participant = participants.get(participantId)
        const standing = standings.get(participantId)
        if (!participant || !standing || inTurn.isRunning(participantId)) return false
        const role = stays.get(connectionId)?.role ?? participantRole(standing)
        return role === participantRole(standing) && isApplied(standing, participant, current)
      }
      for (const few of inBatches(
        some.filter(presence => !isAsItShouldBe(presence)),
        AT_ONCE,
      ))
        await Promise.all(few.map(presence => apply(channelId, presence.participantId, presence)))
    }
  }

  const openCallsIn = async (where: WhereRightsChanged) => {
    if (where === 'anywhere') return listOpenCalls(db, null)
    return 'spaceId' in where
      ? listOpenCalls(db, where.spaceId)
      : [await findOpenCall(db, where.roomId)].filter(call => !!call)
  }

  const warn = (error: unknown) => log.warn({ err: error }, 'changed rights will be applied at the next reconciliation')

  const applyRightsIn = async (where: WhereRightsChanged) => {
    for (const { channelId } of await openCallsIn(where))
      try {
        await applyAll(channelId, (await media.engine()?.control.listIn(channelId)) ?? [])
        broadcast.callChanged(channelId)
      } catch (error) {
        warn(error)
      }
  }

  const gather = createGather(() => GATHER_MS)

  return {
    standingIfAllowed,
    standingsIfAllowed,
    apply,
    applyAll,
    async allows({ participantId, channelId, ticket }) {
      if (isRecorder(participantId)) return isCaptured(db, channelId)
      const enrolment = ticket as Enrolment | null
      const participant = enrolment ?? (await findParticipant(db, participantId))
      const standing = participant && (await standingIfAllowed(participant))
      if (!standing || standing.room.channelId !== channelId) return false
      if (enrolment === null) return true
      const { caller } = standing
      const externalUserId = caller.kind === 'guest' ? caller.externalUserId : null
      // Another id, when one tab has joined twice at once: it is refused, asks again, and is then told the one it has.
      return (await enrol(db, participantId, enrolment, externalUserId, now())) === participantId
    },
    rightsChanged: where =>
      gather(JSON.stringify(where), () => {
        applyRightsIn(where).catch(warn)
      }),
  }
}
