import { isDeepStrictEqual } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import type { MediaBearer, MediaRights } from '../media/engine.ts'
import type { Media } from '../media/media.ts'
import { mayJoin, mediaRights, participantRole, type RoomStanding } from '../rules.ts'
import { findOpenCall, lastCallRefusal, listOpenCalls, setRole } from '../store/calls.ts'
import { type Enrolment, enrol, findParticipant } from '../store/participants.ts'
import { findParticipantStanding } from '../store/standing.ts'
import type { Db } from '../store/tables.ts'
import type { Broadcast } from './broadcast.ts'
import { createGather } from './gather.ts'
import { createTurns } from './turns.ts'

/** A change of a room with many inside is to be felt within a second, and the engine not flooded. */
const AT_ONCE = 16
/** Changes come in rows: a list of roles, a page of settings. */
const GATHER_MS = 50

/** One room, or every room of a space. */
export type WhereRightsChanged = { roomId: string } | { spaceId: string }

export interface Rights {
  /** Their standing if they may be in the room now. */
  standingIfAllowed: (participant: Pick<Enrolment, 'roomId' | 'userId' | 'guestId'>) => Promise<RoomStanding | null>
  /** Whether the bearer of a media token may connect now; the first time enrols them. */
  allows: (bearer: MediaBearer) => Promise<boolean>
  /**
   * Disconnects a participant who may not be there; others get their current rights. The engine is told only what it
   * does not do already, as far as is known.
   */
  apply: (channelId: string, participantId: string, current?: MediaRights | null) => Promise<void>
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

/** Applies to the engine what the rules decide: who may be in a call, and with which rights. */
export const createRights = ({ db, media, broadcast, now, log }: RightsOptions): Rights => {
  const inTurn = createTurns()

  const standingIfAllowed: Rights['standingIfAllowed'] = async participant => {
    const standing = await findParticipantStanding(db, participant, now())
    if (!standing || standing.room.id !== participant.roomId) return null
    const refusal = mayJoin.refusal(standing) ?? (await lastCallRefusal(db, standing, now()))
    return refusal === null ? standing : null
  }

  const apply: Rights['apply'] = (channelId, participantId, current = null) =>
    inTurn(participantId, async hasWaited => {
      try {
        // A turn that has waited stands for others too, and the engine may have been told otherwise since.
        let told = hasWaited ? null : current
        // Another node may tell the engine of a later decision while we tell it of this one: the last must stand.
        for (;;) {
          const participant = await findParticipant(db, participantId)
          const standing = participant ? await standingIfAllowed(participant) : null
          const engine = media.engine()?.control
          if (!participant || !standing) return await engine?.remove(channelId, participantId)
          const rights = mediaRights(standing, participant.hasFloor)
          if (isDeepStrictEqual(rights, told)) {
            if (await setRole(db, participantId, participantRole(standing))) broadcast.callChanged(channelId)
            return
          }
          await engine?.setRights(channelId, participantId, rights)
          told = rights
        }
      } catch (error) {
        log.warn({ err: error }, 'rights could not be applied; retrying at the next reconciliation')
      }
    })

  const openCallsIn = async (where: WhereRightsChanged) =>
    'spaceId' in where
      ? listOpenCalls(db, where.spaceId)
      : [await findOpenCall(db, where.roomId)].filter(call => !!call)

  const applyRightsIn = async (where: WhereRightsChanged) => {
    for (const { channelId } of await openCallsIn(where)) {
      const inside = (await media.engine()?.control.listIn(channelId)) ?? []
      for (let done = 0; done < inside.length; done += AT_ONCE)
        await Promise.all(
          inside
            .slice(done, done + AT_ONCE)
            .map(({ participantId, rights }) => apply(channelId, participantId, rights)),
        )
      broadcast.callChanged(channelId)
    }
  }

  const gather = createGather(() => GATHER_MS)

  return {
    standingIfAllowed,
    apply,
    async allows({ participantId, channelId, ticket }) {
      const enrolment: Enrolment | undefined =
        ticket === null ? await findParticipant(db, participantId) : (ticket as Enrolment)
      const standing = enrolment && (await standingIfAllowed(enrolment))
      if (!standing || standing.room.channelId !== channelId) return false
      if (ticket === null) return true
      const { caller } = standing
      const externalUserId = caller.kind === 'guest' ? caller.externalUserId : null
      // Another id, when one tab has joined twice at once: it is refused, asks again, and is then told the one it has.
      return (await enrol(db, participantId, enrolment, externalUserId, now())) === participantId
    },
    rightsChanged: where =>
      gather(JSON.stringify(where), () => {
        applyRightsIn(where).catch(error =>
          log.warn({ err: error }, 'changed rights will be applied at the next reconciliation'),
        )
      }),
  }
}
