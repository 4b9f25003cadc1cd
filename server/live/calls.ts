import { newId } from '../ids.ts'
import type { MediaEvent, MediaPresence } from '../media/engine.ts'
import { admissionRefusal, participantRole, type RoomStanding } from '../rules.ts'
import { inBatches } from '../store/batches.ts'
import {
  addStays,
  callToJoin,
  changedLinkName,
  closeCall,
  closeStays,
  findStay,
  findStays,
  holdCall,
  holdOpenCallIn,
  isAbandoned,
  isInside,
  lastMoment,
  listAbandonedCalls,
  markEngineEvent,
  openStays,
  setSeen,
  setSpotlight,
  updateEmptiness,
} from '../store/calls.ts'
import { ownChannels } from '../store/channels.ts'
import { onCommit, transact } from '../store/db.ts'
import { recordEvent, recordEvents } from '../store/events.ts'
import { type FoundParticipant, findParticipant } from '../store/participants.ts'
import { replaceOthers } from '../store/presence.ts'
import { createAutoRecord, resumeAutoRecord } from '../store/records.ts'
import { findParticipantStanding } from '../store/standing.ts'
import type { Db, Row, Trx } from '../store/tables.ts'
import { isoTime } from '../times.ts'
import type { Broadcast } from './broadcast.ts'
import type { Rights } from './rights.ts'

export interface Arrival {
  participant: FoundParticipant
  /** null: they may not be there. */
  standing: RoomStanding | null
  presence: MediaPresence
  /** Known when the event of leaving came before that of joining. */
  leftAt: number | null
}

export interface Calls {
  /** Handles each event of the engine once; those of channels that are not ours are ignored. */
  handleEvent: (event: MediaEvent) => Promise<void>
  /** Adds the stays of participants of one room whom the engine lists and no event reported. */
  addUnreported: (arrivals: Arrival[]) => Promise<void>
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
  const recordCallEvent = (trx: Trx, eventName: 'call_started' | 'call_finished', call: Row<'calls'>, at: number) => {
    const { id: callId, roomId, spaceId } = call
    return recordEvent(trx, { eventName, roomId, spaceId, callId, occurredAt: isoTime(at) }, now(), wake)
  }

  const recordStays = (
    trx: Trx,
    eventName: 'participant_joined' | 'participant_left',
    { id: callId, roomId, spaceId }: Row<'calls'>,
    stays: Row<'stays'>[],
  ) => {
    const events = stays.map(stay => {
      const { participantId, name, role, userId, externalUserId, joinedAt, leftAt } = stay
      const at = eventName === 'participant_left' && leftAt !== null ? leftAt : joinedAt
      const occurredAt = isoTime(at)
      const person = { participantId, name, ...changedLinkName(stay), role, userId, externalUserId }
      return { eventName, roomId, spaceId, callId, occurredAt, ...person }
    })
    return recordEvents(trx, spaceId, events, now(), wake)
  }

  /** A participant of an ended call left with it. */
  const goneAt = ({ endedAt }: Row<'calls'>, leftAt: number | null) =>
    endedAt === null ? leftAt : Math.min(leftAt ?? endedAt, endedAt)

  const toStay = async (
    trx: Trx,
    call: Row<'calls'>,
    { participant, standing, presence, leftAt }: Arrival,
  ): Promise<Row<'stays'> | null> => {
    // A participant without access by now was still there, and is recorded by name.
    const current = standing ?? (await findParticipantStanding(trx, participant, now()))
    // Not who slipped past the waiting room or the lock: whoever has been in the call may come back to it.
    if (!standing && current && admissionRefusal(current) !== null) return null
    const caller = current?.caller
    return {
      id: newId(now()),
      callId: call.id,
      connectionId: presence.connectionId,
      participantId: participant.id,
      userId: participant.userId,
      guestId: participant.guestId,
      externalUserId: participant.externalUserId,
      name: participant.callName ?? caller?.name ?? '',
      linkName: caller?.kind === 'guest' ? caller.linkName : null,
      role: current ? participantRole(current) : 'user',
      joinedAt: presence.joinedAt,
      leftAt: goneAt(call, leftAt),
    }
  }

  /** Whoever is in the call through another tab or device leaves it, once this one is in. */
  const replaceOthersOf = async (trx: Trx, call: Row<'calls'>, { participant, standing, leftAt }: Arrival) => {
    if (!participant.isReplacing || !standing || goneAt(call, leftAt) !== null) return
    const replaced = await replaceOthers(trx, participant.id, now())
    if (replaced.length === 0) return
    const { spotlightId, spotlightSource: source } = call
    if (spotlightId && source && replaced.includes(spotlightId))
      await setSpotlight(trx, call.id, { participantId: participant.id, source })
    onCommit(trx, () => {
      for (const id of [participant.id, ...replaced]) void rights.apply(call.channelId, id)
    })
  }

  /** All in the same room. */
  const join = async (trx: Trx, arrivals: Arrival[]) => {
    const [first] = arrivals
    if (!first) return
    // A participant without access is disconnected, and starts no call.
    const found = await callToJoin(trx, first.participant, first.presence.joinedAt, first.standing !== null, now())
    if (!found) return
    const { call, isNew } = found
    const { endedAt } = call
    if (isNew) {
      await recordCallEvent(trx, 'call_started', call, first.presence.joinedAt)
      await createAutoRecord(trx, call, now())
    } else if (endedAt === null && call.emptySince !== null) await resumeAutoRecord(trx, call, now())
    // Participants who joined after it had ended belong to another.
    const isIn = ({ presence }: Arrival) => endedAt === null || presence.joinedAt <= endedAt
    const inside = arrivals.filter(arrival => arrival === first || isIn(arrival))
    // Two events of one connection may have met: the second finds the stay now that the call is held.
    const known = await findStays(
      trx,
      inside.map(({ presence }) => presence.connectionId),
    )
    const unknown = inside.filter(({ presence }) => !known.has(presence.connectionId))
    const added: Row<'stays'>[] = []
    for (const arrival of unknown) {
      const stay = await toStay(trx, call, arrival)
      if (stay) added.push(stay)
    }
    await addStays(trx, added)
    for (const arrival of unknown) await replaceOthersOf(trx, call, arrival)
    await recordStays(trx, 'participant_joined', call, added)
    await recordStays(
      trx,
      'participant_left',
      call,
      added.filter(({ leftAt }) => leftAt !== null),
    )
    for (const { presence, leftAt } of inside) {
      const stay = known.get(presence.connectionId)
      const gone = goneAt(call, leftAt)
      if (stay && gone !== null) await leave(trx, call, [stay], gone)
    }
    const moments = inside.map(({ presence, leftAt }) => goneAt(call, leftAt) ?? presence.joinedAt)
    await setSeen(trx, call.id, Math.max(...moments))
    await updateEmptiness(trx, call.id, now())
    onCommit(trx, () => broadcast.callChanged(call.channelId))
    await join(
      trx,
      arrivals.filter(arrival => !inside.includes(arrival)),
    )
  }

  /** With whom it is on, unless another connection of theirs goes on. */
  const endSpotlight = async (trx: Trx, { id, spotlightId }: Row<'calls'>, left: Row<'stays'>[]) => {
    if (!left.some(({ participantId }) => participantId === spotlightId)) return
    if (!(await isInside(trx, id, spotlightId ?? ''))) await setSpotlight(trx, id, null)
  }

  /** From a call that is held. */
  const leave = async (trx: Trx, call: Row<'calls'>, stays: Row<'stays'>[], at: number) => {
    const closed = await closeStays(trx, stays, at)
    if (closed.length > 0) {
      await recordStays(trx, 'participant_left', call, closed)
      await endSpotlight(trx, call, closed)
      onCommit(trx, () => broadcast.callChanged(call.channelId))
    }
    await updateEmptiness(trx, call.id, now())
  }

  /** Participants who are still in it leave with it. */
  const finish = async (trx: Trx, call: Row<'calls'>, endedAt: number, wasEnded: boolean) => {
    const unlocked = await closeCall(trx, call, endedAt, wasEnded)
    await leave(trx, call, await openStays(trx, call.id), endedAt)
    await recordCallEvent(trx, 'call_finished', call, endedAt)
    if (unlocked) {
      const where = { roomId: unlocked.id, spaceId: call.spaceId, occurredAt: isoTime(endedAt) }
      const event = {
        eventName: 'room_updated' as const,
        ...where,
        name: unlocked.name,
        externalId: unlocked.externalId,
        fields: 'isLocked',
      }
      await recordEvent(trx, event, now(), wake)
    }
  }

  /** Everyone who was in the channel by then has left it. */
  const empty = async (trx: Trx, channelId: string, at: number) => {
    const call = await holdOpenCallIn(trx, channelId)
    if (!call) return
    const stays = await openStays(trx, call.id)
    await leave(
      trx,
      call,
      stays.filter(({ joinedAt }) => joinedAt <= at),
      at,
    )
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
          await leave(trx, call, [known], leftAt)
          await setSeen(trx, call.id, leftAt)
        } else if (participant && !known && event.kind !== 'aborted')
          await join(trx, [{ participant, standing, presence, leftAt }])
      })
      // Applied again: a participant banned meanwhile was not yet known to be there.
      if (event.kind === 'joined') await rights.apply(event.channelId, event.participantId, event)
    },

    async addUnreported(arrivals) {
      const ordered = arrivals.toSorted((a, b) => a.presence.joinedAt - b.presence.joinedAt)
      for (const batch of inBatches(ordered)) await transact(db, trx => join(trx, batch))
    },

    leaveMissing: (callId, isGone, seenAt) =>
      transact(db, async trx => {
        const call = await holdCall(trx, callId)
        if (!call || call.endedAt !== null) return
        await leave(trx, call, (await openStays(trx, callId)).filter(isGone), call.lastSeenAt)
        if (seenAt !== null) await setSeen(trx, callId, seenAt)
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
