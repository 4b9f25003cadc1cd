import type { FastifyBaseLogger } from 'fastify'
import type { EventName } from '../contract/webhooks.ts'
import { isoTime } from './ids.ts'
import type { MediaEvent, MediaPresence } from './media/engine.ts'
import type { Media } from './media/media.ts'
import { isOnModeratorsSide, mayJoin, mediaRights, type RoomStanding } from './rules.ts'
import {
  addStint,
  callOf,
  closeCall,
  closeStint,
  type FoundParticipant,
  findParticipant,
  findStint,
  isBarred,
  isNewEvent,
  listAbandonedCalls,
  listOpenCalls,
  openCall,
  openStints,
  setSeen,
} from './store/calls.ts'
import { onCommit, transact } from './store/db.ts'
import { recordEvent } from './store/deliveries.ts'
import { findParticipantStanding } from './store/standing.ts'
import type { Db, Row, Trx } from './store/tables.ts'

/** The engine's events can be lost: what is really going on is compared with what we know. */
const RECONCILE_EVERY_MS = 30_000
const SWEEP_EVERY_MS = 1000
/** News of who has just come or gone may still be on their way. */
const SETTLE_MS = 5000

export interface Calls {
  /** Takes in an event of the engine, once. */
  apply: (event: MediaEvent) => Promise<void>
  /** Whether the participant may be in the channel at this moment. */
  allows: (participantId: string, channelId: string) => Promise<boolean>
  /** Ends the call for all. */
  end: (trx: Trx, call: Row<'calls'>) => Promise<void>
  /** Whoever may not be there is sent out; whoever may has the rights of this moment. */
  settle: (channelId: string, participantId: string) => Promise<void>
  /** Rights have changed: who may not stay is out at once, and the others have the rights they now have. */
  enforce: (spaceId: string | null) => Promise<void>
  start: () => void
  stop: () => void
}

export interface CallsOptions {
  db: Db
  media: Media
  graceSeconds: number
  now: () => number
  wake: (webhookId: string) => void
  log: FastifyBaseLogger
}

/**
 * A call starts when the first participant enters and ends when the last has left and nobody came back within the
 * grace, or when a moderator ends it. The start and the end are recorded with their callbacks in one transaction, each
 * once, whatever the engine tells twice, late or not at all.
 */
export const createCalls = ({ db, media, graceSeconds, now, wake, log }: CallsOptions): Calls => {
  const timers: NodeJS.Timeout[] = []

  /** Their standing if they may be in the room now. */
  const admitted = async (participant: FoundParticipant): Promise<RoomStanding | null> => {
    const standing = await findParticipantStanding(db, participant, now())
    if (!standing || standing.room.id !== participant.roomId || mayJoin.refuse(standing)) return null
    return (await isBarred(db, participant.roomId, standing.caller)) ? null : standing
  }

  const tell = (
    trx: Trx,
    eventName: EventName,
    call: Row<'calls'>,
    at: number,
    more: Record<string, string | null> = {},
  ) => {
    const { id: callId, roomId, spaceId } = call
    return recordEvent(trx, { eventName, roomId, spaceId, callId, occurredAt: isoTime(at), ...more }, now(), wake)
  }

  const tellOf = (
    trx: Trx,
    eventName: 'participant_joined' | 'participant_left',
    call: Row<'calls'>,
    { participantId, name, role, externalUserId }: Row<'stints'>,
    at: number,
  ) => tell(trx, eventName, call, at, { participantId, name, role, externalUserId })

  /** `leftAt` is known when the news of leaving came before that of joining. */
  const enter = async (
    trx: Trx,
    participant: FoundParticipant,
    standing: RoomStanding | null,
    presence: MediaPresence,
    leftAt: number | null,
  ) => {
    const { call, isNew } = await openCall(trx, participant, presence.joinedAt)
    if (isNew) await tell(trx, 'call_started', call, presence.joinedAt)
    const attendee = {
      participant,
      name: standing?.caller.name ?? '',
      role: standing && isOnModeratorsSide(standing) ? ('moderator' as const) : ('user' as const),
    }
    const stint = await addStint(trx, call.id, presence, attendee, leftAt)
    if (stint) await tellOf(trx, 'participant_joined', call, stint, presence.joinedAt)
    if (stint && leftAt !== null) await tellOf(trx, 'participant_left', call, stint, leftAt)
    await setSeen(trx, call.id, leftAt ?? presence.joinedAt)
  }

  const leave = async (trx: Trx, call: Row<'calls'>, stint: Row<'stints'>, at: number) => {
    const leftAt = Math.max(at, stint.joinedAt)
    if (await closeStint(trx, stint, leftAt)) await tellOf(trx, 'participant_left', call, stint, leftAt)
  }

  /** Whoever is still in it leaves with it. */
  const finish = async (trx: Trx, callId: string, endedAt: number, wasEnded: boolean) => {
    const call = await closeCall(trx, callId, endedAt, wasEnded)
    if (!call) return
    for (const stint of await openStints(trx, callId)) await leave(trx, call, stint, endedAt)
    await tell(trx, 'call_finished', call, endedAt)
  }

  const apply = async (event: MediaEvent) => {
    const presence = event.kind === 'closed' ? null : event
    const participant = presence && (await findParticipant(db, presence.participantId))
    const standing = participant ? await admitted(participant) : null
    await transact(db, async trx => {
      if (!(await isNewEvent(trx, event.id, now()))) return
      if (!presence) {
        const call = (await listOpenCalls(trx)).find(({ channelId }) => channelId === event.channelId)
        if (call) for (const stint of await openStints(trx, call.id)) await leave(trx, call, stint, event.at)
        return
      }
      const known = await findStint(trx, presence.connectionId)
      if (event.kind === 'left' && known) await leave(trx, await callOf(trx, known), known, event.at)
      else if (participant && !known)
        await enter(
          trx,
          participant,
          standing,
          presence,
          event.kind === 'left' ? Math.max(event.at, presence.joinedAt) : null,
        )
    })
    // Looked at again: who was barred meanwhile was not yet known to be there.
    if (event.kind === 'joined') await settle(event.channelId, event.participantId)
  }

  const settle = async (channelId: string, participantId: string) => {
    const participant = await findParticipant(db, participantId)
    const standing = participant ? await admitted(participant) : null
    const engine = media.engine()?.control
    try {
      if (participant && standing)
        await engine?.setRights(channelId, participantId, mediaRights(standing, participant.hasFloor === 1))
      else await engine?.remove(channelId, participantId)
    } catch (error) {
      log.warn({ err: error }, 'rights could not be settled, and will be at the next comparison')
    }
  }

  const reconcile = async () => {
    const engine = media.engine()
    if (!engine || media.state().status !== 'ready') return
    const asked = now()
    const channels = await engine.control.list()
    const isSettled = (at: number) => at < asked - SETTLE_MS
    for (const call of await listOpenCalls(db)) {
      const inside = new Set((channels.get(call.channelId) ?? []).map(({ connectionId }) => connectionId))
      await transact(db, async trx => {
        for (const stint of await openStints(trx, call.id))
          if (!inside.has(stint.connectionId) && isSettled(stint.joinedAt))
            await leave(trx, call, stint, call.lastSeenAt)
        if (inside.size > 0) await setSeen(trx, call.id, asked)
      })
    }
    for (const [channelId, presences] of channels)
      for (const presence of presences) {
        if ((await findStint(db, presence.connectionId)) || !isSettled(presence.joinedAt)) continue
        const participant = await findParticipant(db, presence.participantId)
        const standing = participant && (await admitted(participant))
        if (participant && standing) await transact(db, trx => enter(trx, participant, standing, presence, null))
        else await settle(channelId, presence.participantId)
      }
    await enforce(null)
  }

  const sweep = async () => {
    for (const { id, emptySince } of await listAbandonedCalls(db, now() - graceSeconds * 1000))
      await transact(db, trx => finish(trx, id, emptySince ?? now(), false))
  }

  const enforce = async (spaceId: string | null) => {
    for (const call of await listOpenCalls(db)) {
      if (spaceId !== null && call.spaceId !== spaceId) continue
      for (const { participantId } of await openStints(db, call.id)) await settle(call.channelId, participantId)
    }
  }

  const every = (milliseconds: number, what: string, work: () => Promise<void>) => {
    let isRunning = false
    const run = async () => {
      if (isRunning) return
      isRunning = true
      await work().catch(error => log.warn({ err: error }, `${what} failed, and will be tried again`))
      isRunning = false
    }
    void run()
    timers.push(setInterval(run, milliseconds))
  }

  return {
    apply,
    enforce: spaceId =>
      enforce(spaceId).catch(error =>
        log.warn({ err: error }, 'changed rights will be applied at the next comparison'),
      ),
    settle,
    async allows(participantId, channelId) {
      const participant = await findParticipant(db, participantId)
      return participant !== undefined && participant.channelId === channelId && (await admitted(participant)) !== null
    },
    async end(trx, call) {
      await finish(trx, call.id, now(), true)
      onCommit(trx, () => {
        media
          .engine()
          ?.control.close(call.channelId)
          .catch(error => log.warn({ err: error }, 'those in a call that was ended could not be sent away'))
      })
    },
    start() {
      every(RECONCILE_EVERY_MS, 'comparing calls with the media engine', reconcile)
      every(SWEEP_EVERY_MS, 'ending calls', sweep)
    },
    stop() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
