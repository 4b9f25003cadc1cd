import type { FastifyBaseLogger } from 'fastify'
import type { Media } from './media/media.ts'
import type { Newscast } from './news.ts'
import { mayJoin, mediaRights, participantRole, type RoomStanding } from './rules.ts'
import { isShutOut, listOpenCalls, openStints, setRole } from './store/calls.ts'
import { type FoundParticipant, findParticipant, isBarred } from './store/participants.ts'
import { findParticipantStanding } from './store/standing.ts'
import type { Db } from './store/tables.ts'
import { createTurns } from './turns.ts'

/** A change of a room with many inside is to be felt within a second, and the engine not flooded. */
const AT_ONCE = 16

export interface Admission {
  /** Their standing if they may be in the room now. */
  admitted: (participant: FoundParticipant) => Promise<RoomStanding | null>
  /** Whether the participant may be in the channel at this moment. */
  allows: (participantId: string, channelId: string) => Promise<boolean>
  /** Whoever may not be there is sent out; whoever may has the rights of this moment. */
  settle: (channelId: string, participantId: string) => Promise<void>
  /** Rights have changed, in this space or anywhere: everyone in a call there is settled. */
  enforce: (spaceId: string | null) => Promise<void>
}

export interface AdmissionOptions {
  db: Db
  media: Pick<Media, 'engine'>
  news: Newscast
  now: () => number
  log: FastifyBaseLogger
}

/** Who may be in a call, and with which rights; the engine is made to hold to it. */
export const createAdmission = ({ db, media, news, now, log }: AdmissionOptions): Admission => {
  const inTurn = createTurns()

  const admitted = async (participant: FoundParticipant) => {
    const standing = await findParticipantStanding(db, participant, now())
    if (!standing || standing.room.id !== participant.roomId || mayJoin.refuse(standing)) return null
    const isOut = (await isBarred(db, participant.roomId, standing.caller)) || (await isShutOut(db, standing, now()))
    return isOut ? null : standing
  }

  const settle = (channelId: string, participantId: string) =>
    inTurn(participantId, async () => {
      try {
        const participant = await findParticipant(db, participantId)
        const standing = participant ? await admitted(participant) : null
        const engine = media.engine()?.control
        if (!participant || !standing) return await engine?.remove(channelId, participantId)
        await engine?.setRights(channelId, participantId, mediaRights(standing, participant.hasFloor === 1))
        if (await setRole(db, participantId, participantRole(standing))) news.callChanged(channelId)
      } catch (error) {
        log.warn({ err: error }, 'rights could not be settled, and will be at the next comparison')
      }
    })

  const settleAll = async (spaceId: string | null) => {
    for (const call of await listOpenCalls(db)) {
      if (spaceId !== null && call.spaceId !== spaceId) continue
      const inside = await openStints(db, call.id)
      for (let done = 0; done < inside.length; done += AT_ONCE)
        await Promise.all(
          inside.slice(done, done + AT_ONCE).map(({ participantId }) => settle(call.channelId, participantId)),
        )
      if (spaceId !== null) news.callChanged(call.channelId)
    }
  }

  return {
    admitted,
    settle,
    async allows(participantId, channelId) {
      const participant = await findParticipant(db, participantId)
      return participant?.channelId === channelId && (await admitted(participant)) !== null
    },
    enforce: spaceId =>
      settleAll(spaceId).catch(error =>
        log.warn({ err: error }, 'changed rights will be applied at the next comparison'),
      ),
  }
}
