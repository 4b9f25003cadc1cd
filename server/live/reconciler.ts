import type { FastifyBaseLogger } from 'fastify'
import { EngineFailure, type ListedPresence, type MediaEngine } from '../media/engine.ts'
import type { Media } from '../media/media.ts'
import type { MediaState } from '../media/state.ts'
import { inBatches } from '../store/batches.ts'
import { findStays, listOpenCalls } from '../store/calls.ts'
import { ownChannels } from '../store/channels.ts'
import { findParticipants } from '../store/participants.ts'
import type { Db } from '../store/tables.ts'
import type { Arrival, Calls } from './calls.ts'
import type { Rights } from './rights.ts'

/** Even when all seems well. */
const EVERY_MS = 30_000
const AGAIN_AFTER_MS = 1000
const FAILED_AGAIN_AFTER_MS = 5000
const LOOK_EVERY_MS = 1000
const CLOSE_TRIES = 5
/** Events of joining and leaving may arrive this late. */
const EVENTS_LATE_MS = 5000
/** A restarted engine is up by then, and participants have had time to rejoin. */
const LOST_AFTER_MS = 30_000

interface ReconcilerOptions {
  db: Db
  media: Pick<Media, 'engine' | 'state'>
  calls: Pick<Calls, 'addUnreported' | 'leaveMissing' | 'sweep'>
  rights: Rights
  now: () => number
  /** Whether it is this node that reconciles, for all. */
  isLead: () => boolean
  log: FastifyBaseLogger
}

interface Reconciler {
  /** Disconnects everyone in the channel, and tries again until no one is left. */
  disconnect: (channelId: string) => void
  start: () => void
  stop: () => void
}

/**
 * The engine's events can be lost, and what it is told can fail: what is really going on there is reconciled with what we
 * know, when the engine comes up, every now and then, and soon again while the two differ. Nobody is in an engine that
 * does not come up again. Another installation or application may use the same engine: its channels are left alone.
 */
export const createReconciler = ({ db, media, calls, rights, now, isLead, log }: ReconcilerOptions): Reconciler => {
  const timers: NodeJS.Timeout[] = []
  let dueAt = 0
  let rightsAppliedAt = 0
  let state: MediaState | undefined
  /** Since when the engine is not ready, while it is not. */
  let downSince: number | null = null

  /** Since when the engine cannot tell who is in a channel, while it cannot. */
  const untold = new Map<string, number>()

  /** A node of the engine that has died leaves its channels behind. Nobody is in one of which nothing is told for long. */
  const orEmptyIfLost = (listed: Map<string, ListedPresence[] | null>, asked: number) => {
    for (const channelId of untold.keys()) if (listed.get(channelId) !== null) untold.delete(channelId)
    const since = (channelId: string) => {
      if (!untold.has(channelId)) {
        untold.set(channelId, asked)
        log.warn({ channelId }, 'the media engine can’t tell who is in a channel; retrying')
      }
      return untold.get(channelId) ?? asked
    }
    return new Map(
      [...listed].map(([channelId, presences]) => [
        channelId,
        presences ?? (asked - since(channelId) > LOST_AFTER_MS ? [] : null),
      ]),
    )
  }

  /** False: the engine could not be told just now. */
  const disconnectOne = async (engine: MediaEngine, channelId: string, participantId: string): Promise<boolean> => {
    try {
      await engine.remove(channelId, participantId)
      return true
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error
      log.warn({ err: error }, 'a participant could not be disconnected; retrying later')
      return false
    }
  }

  /** Those who are there as if they had left or never come: in the call, or out of the channel. False: not all yet. */
  const takeIn = async (
    engine: MediaEngine,
    channelId: string,
    presences: ListedPresence[],
    isOldEnough: (at: number) => boolean,
  ): Promise<boolean> => {
    const stays = await findStays(
      db,
      presences.map(({ connectionId }) => connectionId),
    )
    const unknown = presences.filter(({ connectionId }) => stays.get(connectionId)?.leftAt !== null)
    const due = unknown.filter(({ connectionId, joinedAt }) => isOldEnough(stays.get(connectionId)?.leftAt ?? joinedAt))
    let isDone = due.length === unknown.length
    if (due.length === 0) return isDone
    const participants = await findParticipants(
      db,
      due.map(({ participantId }) => participantId),
    )
    const standings = await rights.standingsIfAllowed(participants.values())
    const arrivals: Arrival[] = []
    for (const presence of due) {
      const participant = participants.get(presence.participantId)
      const standing = standings.get(presence.participantId)
      if (participant && standing && !stays.has(presence.connectionId)) {
        if (presence.hasMedia) arrivals.push({ participant, standing, presence, leftAt: null })
      }
      // Also who left with a call that was ended, and yet is there.
      else if (!(await disconnectOne(engine, channelId, presence.participantId))) isDone = false
    }
    await calls.addUnreported(arrivals)
    return isDone
  }

  /** False: not all is as it should be, or has been for long enough to tell. */
  const reconcileWith = async (engine: MediaEngine): Promise<boolean> => {
    const asked = now()
    const isOldEnough = (at: number) => at < asked - EVENTS_LATE_MS
    const channels = orEmptyIfLost(await engine.list(await ownChannels(db, await engine.channels())), asked)
    let isClear = [...channels.values()].every(presences => presences !== null)
    for (const { id, channelId } of await listOpenCalls(db, null)) {
      if (channels.get(channelId) === null) continue
      const inside = new Set((channels.get(channelId) ?? []).map(({ connectionId }) => connectionId))
      await calls.leaveMissing(
        id,
        ({ connectionId, joinedAt }) => {
          if (inside.has(connectionId)) return false
          if (!isOldEnough(joinedAt)) isClear = false
          return isOldEnough(joinedAt)
        },
        inside.size > 0 ? asked : null,
      )
    }
    for (const [channelId, presences] of channels)
      for (const some of inBatches(presences ?? []))
        if (!(await takeIn(engine, channelId, some, isOldEnough))) isClear = false
    // In a busy installation it may never be clear.
    if (isClear || asked - rightsAppliedAt >= EVERY_MS) {
      for (const [channelId, presences] of channels) await rights.applyAll(channelId, presences ?? [])
      rightsAppliedAt = asked
    }
    return isClear
  }

  const leaveAll = async () => {
    for (const { id } of await listOpenCalls(db, null)) await calls.leaveMissing(id, () => true, null)
  }

  /** There is no engine, and no waiting for one. */
  const isLost = ({ status }: MediaState) =>
    status === 'off' || status === 'failed' || (downSince !== null && now() - downSince > LOST_AFTER_MS)

  /** Gives when to reconcile again: in how many milliseconds, unless the engine's state changes before. */
  const reconcile = async (current: MediaState): Promise<number> => {
    const engine = media.engine()
    if (engine && current.status === 'ready') return (await reconcileWith(engine.control)) ? EVERY_MS : AGAIN_AFTER_MS
    if (!isLost(current)) return AGAIN_AFTER_MS
    await leaveAll()
    // No one can join without an engine.
    return Number.POSITIVE_INFINITY
  }

  const reconcileWhenDue = async () => {
    const current = media.state()
    if (current !== state) dueAt = 0
    state = current
    downSince = current.status === 'ready' ? null : (downSince ?? now())
    // Whoever becomes the lead begins at once.
    if (!isLead()) dueAt = 0
    if (!isLead() || now() < dueAt) return
    // Set beforehand: what fails meanwhile may ask for it sooner.
    dueAt = now() + FAILED_AGAIN_AFTER_MS
    const again = await reconcile(current)
    if (dueAt !== 0) dueAt = now() + again
  }

  const every = (what: string, work: () => Promise<void>) => {
    let isRunning = false
    const run = async () => {
      if (isRunning) return
      isRunning = true
      await work().catch(error => log.warn({ err: error }, `${what} failed; retrying later`))
      isRunning = false
    }
    void run()
    timers.push(setInterval(run, LOOK_EVERY_MS))
  }

  const disconnect = (channelId: string, tries = CLOSE_TRIES) => {
    media
      .engine()
      ?.control.close(channelId)
      .catch(error => {
        dueAt = 0
        log.warn({ err: error }, 'participants of an ended call could not be disconnected; retrying later')
        // The lead finds them soon, but does not know that it is to look.
        if (!isLead() && tries > 1) setTimeout(() => disconnect(channelId, tries - 1), AGAIN_AFTER_MS).unref()
      })
  }

  return {
    disconnect,
    start() {
      every('reconciling calls with the media engine', reconcileWhenDue)
      every('ending calls', async () => {
        if (isLead()) await calls.sweep()
      })
    },
    stop() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
