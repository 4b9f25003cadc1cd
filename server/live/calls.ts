import type { EventName } from '../../contract/webhooks.ts'
import type { MediaEvent, MediaPresence } from '../media/engine.ts'
import { participantRole, type RoomStanding } from '../rules.ts'
import {
  addStay,
  callToJoin,
  closeCall,
  closeStay,
  findStay,
  holdCall,
  holdOpenCallIn,
  isAbandoned,
  lastMoment,
  listAbandonedCalls,
  markEngineEvent,
  openStays,
  setSeen,
  updateEmptiness,
} from '../store/calls.ts'
import { ownChannels } from '../store/channels.ts'
import { onCommit, transact } from '../store/db.ts'
import { recordEvent } from '../store/events.ts'
import { type FoundParticipant, findParticipant } from '../store/participants.ts'
import { findParticipantStanding } from '../store/standing.ts'
import type { Db, Row, Trx } from '../store/tables.ts'
import { isoTime } from '../times.ts'
import type { Broadcast } from './broadcast.ts'
import type { Rights } from './rights.ts'

export interface Calls {
  /** Handles each event of the engine once; those of channels that are not ours are ignored. */
  handleEvent: (event: MediaEvent) => Promise<void>
  /** Adds the stay of a participant whom the engine lists and no event reported. */
  addUnreported: (participant: FoundParticipant, standing: RoomStanding, presence: MediaPresence) => Promise<void>
  /**
   * Participants for whom `isGone` holds leave the call, at the last moment it was seen. `seenAt`: the engine lists
   * others in it at that moment.
   */
  leaveMissing: (callId: string, isGone: (stay: Row<'stays'>) => boolean, seenAt: number | null) => Promise<void>
  /** Ends the call, which is held, for all. */
  end: (trx: Trx, call: Row<'calls'>) => Promise<void>
  /** Ends calls that no one has rejoined. */
  sweep: () => Promise<void>
}

interface CallsOptions {
  db: Db
  rights: Pick<Rights, 'standingIfAllowed' | 'apply'>
  broadcast: Pick<Broadcast, 'callChanged'>
  graceSeconds: number
  now: () => number
  wake: (webhookId: string) => void
}

/**
 * A call starts when the first participant joins and ends when the last one leaves and no one rejoins within the grace
 * period, or when a moderator ends it. The start and the end are recorded with their events in one transaction, each once,
 * even if the engine reports them twice, late or not at all.
 */
export const createCalls = ({ db, rights, broadcast, graceSeconds, now, wake }: CallsOptions): Calls => {
  const recordCallEvent = (
    trx: Trx,
    eventName: EventName,
    call: Row<'calls'>,
    at: number,
    more: Record<string, string | null> = {},
  ) => {
    const { id: callId, roomId, spaceId } = call
    return recordEvent(trx, { eventName, roomId, spaceId, callId, occurredAt: isoTime(at), ...more }, now(), wake)
  }

  const recordStayEvent = (
    trx: Trx,
    eventName: 'participant_joined' | 'participant_left',
    call: Row<'calls'>,
    { participantId, name, role, externalUserId }: Row<'stays'>,
    at: number,
  ) => recordCallEvent(trx, eventName, call, at, { participantId, name, role, externalUserId })

  /** `leftAt` is known when the event of leaving came before that of joining. */
  const join = async (
    trx: Trx,
    participant: FoundParticipant,
    standing: RoomStanding | null,
    presence: MediaPresence,
    leftAt: number | null,
  ) => {
    // A participant without access is disconnected, and starts no call.
    const found = await callToJoin(trx, participant, presence.joinedAt, standing !== null, now())
    if (!found) return
    const { call, isNew } = found
    // A participant of an ended call left with it.
    const goneAt = call.endedAt === null ? leftAt : Math.min(leftAt ?? call.endedAt, call.endedAt)
    if (isNew) await recordCallEvent(trx, 'call_started', call, presence.joinedAt)
    // Two events of one connection may have met: the second finds the stay now that the call is held.
    const known = await findStay(trx, presence.connectionId)
    if (!known) {
      // A participant without access by now was still there, and is recorded by name.
      const current = standing ?? (await findParticipantStanding(trx, participant, now()))
      const role = current ? participantRole(current) : 'user'
      const named = { participant, name: current?.caller.name ?? '', role } as const
      const stay = await addStay(trx, call.id, presence, named, goneAt, now())
      await recordStayEvent(trx, 'participant_joined', call, stay, presence.joinedAt)
      if (goneAt !== null) await recordStayEvent(trx, 'participant_left', call, stay, goneAt)
    } else if (goneAt !== null) await leave(trx, call, known, goneAt)
    await setSeen(trx, call.id, goneAt ?? presence.joinedAt)
    await updateEmptiness(trx, call.id, now())
    onCommit(trx, () => broadcast.callChanged(call.channelId))
  }

  /** From a call that is held. */
  const leave = async (trx: Trx, call: Row<'calls'>, stay: Row<'stays'>, at: number) => {
    const leftAt = Math.max(at, stay.joinedAt)
    if (await closeStay(trx, stay, leftAt)) {
      await recordStayEvent(trx, 'participant_left', call, stay, leftAt)
      onCommit(trx, () => broadcast.callChanged(call.channelId))
    }
    await updateEmptiness(trx, call.id, now())
  }

  /** Participants who are still in it leave with it. */
  const finish = async (trx: Trx, call: Row<'calls'>, endedAt: number, wasEnded: boolean) => {
    await closeCall(trx, call, endedAt, wasEnded)
    for (const stay of await openStays(trx, call.id)) await leave(trx, call, stay, endedAt)
    await recordCallEvent(trx, 'call_finished', call, endedAt)
  }

  /** Everyone who was in the channel by then has left it. */
  const empty = async (trx: Trx, channelId: string, at: number) => {
    const call = await holdOpenCallIn(trx, channelId)
    if (!call) return
    for (const stay of await openStays(trx, call.id)) if (stay.joinedAt <= at) await leave(trx, call, stay, at)
  }

  return {
    async handleEvent(event) {
      if (!(await ownChannels(db, [event.channelId])).has(event.channelId)) return
      const presence = event.kind === 'closed' ? null : event
      const participant = presence && (await findParticipant(db, presence.participantId))
      const standing = participant ? await rights.standingIfAllowed(participant) : null
      await transact(db, async trx => {
        if (!(await markEngineEvent(trx, event.id, now()))) return
        if (!presence) return empty(trx, event.channelId, event.at)
        const known = await findStay(trx, presence.connectionId)
        const call = known && (await holdCall(trx, known.callId))
        const leftAt = event.kind === 'joined' ? null : Math.max(event.at, presence.joinedAt)
        if (known && call && leftAt !== null) {
          await leave(trx, call, known, leftAt)
          await setSeen(trx, call.id, leftAt)
        } else if (participant && !known && event.kind !== 'aborted')
          await join(trx, participant, standing, presence, leftAt)
      })
      // Applied again: a participant banned meanwhile was not yet known to be there.
      if (event.kind === 'joined') await rights.apply(event.channelId, event.participantId, event.rights)
    },

    addUnreported: (participant, standing, presence) =>
      transact(db, trx => join(trx, participant, standing, presence, null)),

    leaveMissing: (callId, isGone, seenAt) =>
      transact(db, async trx => {
        const call = await holdCall(trx, callId)
        if (!call || call.endedAt !== null) return
        for (const stay of await openStays(trx, callId)) if (isGone(stay)) await leave(trx, call, stay, call.lastSeenAt)
        if (seenAt !== null) await setSeen(trx, callId, seenAt)
        await updateEmptiness(trx, callId, now())
      }),

    end: (trx, call) => finish(trx, call, now(), true),

    async sweep() {
      const emptyBefore = now() - graceSeconds * 1000
      for (const { id } of await listAbandonedCalls(db, emptyBefore))
        await transact(db, async trx => {
          const call = await holdCall(trx, id)
          if (call && isAbandoned(call, emptyBefore)) await finish(trx, call, await lastMoment(trx, call), false)
        })
    },
  }
}
