import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { EventName } from '../../contract/events.ts'
import type { RecordReason } from '../../contract/records.ts'
import { holdOpenCall } from '../store/calls.ts'
import { onCommit, transact } from '../store/db.ts'
import { recordEvent } from '../store/events.ts'
import {
  claimRecord,
  createAutoRecord,
  endLeases,
  findRecord,
  forgetRecord,
  giveUpRecord,
  listDeletedRecords,
  listUnfinished,
  recordUsage,
  updateHeld,
  withdrawRecord,
} from '../store/records.ts'
import type { Db, Row, Trx } from '../store/tables.ts'
import { isoTime } from '../times.ts'
import { createLookout, untilTaken } from './lookAfter.ts'
import type { Places } from './places.ts'
import type { Capture, CaptureEnd, RecordedFile, Recorder } from './recorder.ts'
import type { RecordStorage } from './storage.ts'

const RENEW_EVERY_MS = 4000
/** Of a node that does not renew it by then nothing more is expected. */
const LEASE_MS = 20_000
/** How long the recording of a call that begins waits for a recorder. */
const GIVEN_UP_AFTER_MS = 30_000
/** What was captured is on a node that is away: it may come back, and others make no file without it. */
const MISSED_AFTER_MS = 10 * 60_000
/** How long nobody may be in the call. What is recorded of that is cut off. */
const EMPTY_FOR_MS = 30_000
const FINISH_TRIES = 3
const FINISH_AGAIN_AFTER_MS = 1000
/** A storage elsewhere may be away for long. */
const STORE_AGAIN_AFTER_MS = 10_000
const REMOVE_AGAIN_AFTER_MS = 60_000

export interface Recordings {
  /** Something has been committed that concerns recordings: here, or on another node. */
  changed: () => void
  /** To be called in the transaction that changes recordings: this node and the others look once it is committed. */
  change: (trx: Trx, channelId: string) => Promise<void>
  /** Waits until a recorder has taken it. If none does it is withdrawn, and this throws. */
  taken: (record: Row<'records'>) => Promise<void>
  start: () => void
  /** What is being recorded here ends; another node, or the next start, makes the files. */
  stop: () => Promise<void>
}

interface RecordingsOptions {
  db: Db
  recorder: Recorder
  storage: RecordStorage
  places: Places
  /** Bytes that the recordings of a space may take; null: no limit. */
  quota: number | null
  /** Whether there may be other nodes. */
  hasOthers: boolean
  now: () => number
  wake: (webhookId: string) => void
  callChanged: (trx: Trx, channelId: string) => void
  /** Tells other nodes, once it is committed. */
  publish: (trx: Trx) => Promise<void>
  log: FastifyBaseLogger
}

type Unfinished = Awaited<ReturnType<typeof listUnfinished>>[number]

type RecordEvent = Extract<EventName, `record_${string}`>
const eventOf = { ready: 'record_finished', aborted: 'record_aborted', failed: 'record_failed' } as const

const cutShort: RecordReason[] = ['recorder_lost', 'recorder_failing', 'stopped_early']

/** As it ends for good. */
const stateAfter = (reason: RecordReason | null, hasFile: boolean): keyof typeof eventOf => {
  if (reason === null || reason === 'quota_reached') return hasFile ? 'ready' : 'failed'
  return cutShort.includes(reason) ? 'aborted' : 'failed'
}

/**
 * Recordings from their request to their file. The database says what there is to do; a node takes a recording by a
 * lease, and whoever finds one whose node has gone makes a file of what was saved.
 */
export const createRecordings = ({
  db,
  recorder,
  storage,
  places,
  quota,
  hasOthers,
  now,
  wake,
  callChanged,
  publish,
  log,
}: RecordingsOptions): Recordings => {
  const workerId = randomUUID()
  const stopping = new AbortController()
  const captures = new Map<string, Capture>()
  /** Everything this node does with recordings, by their ids. */
  const jobs = new Map<string, Promise<void>>()

  const lease = () => ({ workerId, leaseUntil: now() + LEASE_MS })

  const change: Recordings['change'] = async (trx, channelId) => {
    callChanged(trx, channelId)
    onCommit(trx, changed)
    await publish(trx)
  }

  const tell = (
    trx: Trx,
    eventName: RecordEvent,
    { id: recordId, roomId, spaceId, callId }: Row<'records'>,
    at: number,
  ) => recordEvent(trx, { eventName, roomId, spaceId, callId, recordId, occurredAt: isoTime(at) }, now(), wake)

  /** Changes one that this node holds, and tells of it. Undefined: it holds it no longer. */
  const update = (id: string, to: Parameters<typeof updateHeld>[3], eventName: RecordEvent | null = null) =>
    transact(db, async trx => {
      const record = await updateHeld(trx, id, workerId, to)
      if (!record) return undefined
      if (eventName) await tell(trx, eventName, record, now())
      await change(trx, record.channelId)
      return record
    })

  /** As often as it takes: what was recorded is here until then. */
  const store = async (id: string, file: string, type: 'mp4' | 'jpg'): Promise<string> => {
    for (;;)
      try {
        return await storage.keep(id, file, type, stopping.signal)
      } catch (error) {
        if (stopping.signal.aborted) throw error
        log.warn({ err: error, recordId: id }, 'a recording could not be stored; retrying')
        await sleep(STORE_AGAIN_AFTER_MS, undefined, { signal: stopping.signal })
      }
  }

  type Kept = Pick<Row<'records'>, 'place' | 'picture'>

  const removeFiles = async ({ place, picture }: Kept) => {
    for (const kept of [place, picture]) if (kept !== null) await storage.remove(kept)
  }

  /** Of one that this node holds no longer: another goes on with it, unless it was deleted. */
  const letGo = async (id: string, kept: Kept) => {
    if (await findRecord(db, null, id)) return
    await removeFiles(kept)
    await recorder.discard(id)
  }

  /** Ends for good. A call that is recorded from its start goes on being recorded. */
  const close = async (record: Row<'records'>, reason: RecordReason | null, made: RecordedFile | null) => {
    const state = stateAfter(reason, made !== null)
    const place = made && (await store(record.id, made.file, 'mp4'))
    const picture = made?.picture ? await store(record.id, made.picture, 'jpg') : null
    const end = {
      state,
      reason: state === 'failed' && reason === null ? ('processing_failed' as const) : reason,
      place,
      picture,
      durationMs: made?.durationMs ?? null,
      size: made?.size ?? 0,
      finishedAt: now(),
    }
    if (await update(record.id, end, eventOf[state])) await recorder.discard(record.id)
    else await letGo(record.id, end)
  }

  /** undefined: no file could be made. */
  const make = async (id: string, lastMs: number | null) => {
    for (let tries = 1; tries <= FINISH_TRIES; tries++)
      try {
        return await recorder.finish(id, lastMs, stopping.signal)
      } catch (error) {
        stopping.signal.throwIfAborted()
        log.warn({ err: error, recordId: id }, 'the file of a recording could not be made')
        await sleep(FINISH_AGAIN_AFTER_MS, undefined, { signal: stopping.signal })
      }
    return undefined
  }

  /** What fails beyond making the file is done again from what was captured, which is here until it has ended for good. */
  const finish = async (record: Row<'records'>, reason: RecordReason | null, lastMs: number | null) => {
    try {
      const made = await make(record.id, lastMs)
      if (made !== undefined) await close(record, reason, made)
      // There is what was captured, if no better file.
      else await close(record, reason ?? 'processing_failed', await recorder.keepAsIs(record.id))
    } catch (error) {
      if (!stopping.signal.aborted) throw error
    }
  }

  /** Whether the call goes on being recorded: the recorder was lost, or somebody is there again. */
  const isToGoOn = ({ emptySince }: Row<'calls'>, { reason, stopAt }: Row<'records'>) =>
    stopAt === null && (reason === 'recorder_lost' || (reason === null && emptySince === null))

  /**
   * The call that goes on in the room of a recording that has ended is recorded from now on, if its room records calls
   * from their start. The next one may have begun before the recording of the last had ended.
   */
  const goOn = async (trx: Trx, call: Row<'calls'> | undefined, ended: Row<'records'>) =>
    call && (call.id !== ended.callId || isToGoOn(call, ended)) ? createAutoRecord(trx, call, now()) : null

  /** Nothing more is recorded. Gives the recording if this node goes on with it. */
  const endCapture = ({ id, roomId }: Row<'records'>, why: RecordReason | null, size: number) =>
    transact(db, async trx => {
      const call = await holdOpenCall(trx, roomId)
      const to = { state: 'processing', reason: why, size, endedAt: now(), ...lease() } as const
      const held = await updateHeld(trx, id, workerId, to)
      if (!held) return undefined
      const reason = (await goOn(trx, call, held)) === 'too_many' ? 'recorder_failing' : why
      if (reason !== why) await updateHeld(trx, id, workerId, { reason })
      await change(trx, held.channelId)
      return { ...held, reason }
    })

  const reasonFor = (end: CaptureEnd, hasBegun: boolean, because: RecordReason | null): RecordReason | null => {
    if (end === 'stopped') return because ?? (hasBegun ? null : 'stopped_early')
    return end
  }

  /** Why one that is being recorded here has to end; the last moment to keep, if not the very end. */
  const ends = new Map<string, { reason: RecordReason | null; lastAt: number | null }>()

  const record = async (claimed: Row<'records'>, capture: Capture) => {
    const { id } = claimed
    captures.set(id, capture)
    try {
      const startedAt = (await capture.began) ? now() : null
      if (startedAt !== null && !(await update(id, { state: 'recording', startedAt }, 'record_started')))
        capture.cancel()
      const end = await capture.ended
      const { reason = null, lastAt = null } = ends.get(id) ?? {}
      const why = stopping.signal.aborted ? 'recorder_lost' : reasonFor(end, startedAt !== null, reason)
      const held = await endCapture(claimed, why, capture.size())
      if (!held) return await letGo(id, claimed)
      // Another node, or the next start, goes on with it.
      if (stopping.signal.aborted) return void (await updateHeld(db, id, workerId, { leaseUntil: now() - 1 }))
      captures.delete(id)
      const lastMs = startedAt !== null && lastAt !== null ? Math.max(lastAt - startedAt, 1000) : null
      await finish(claimed, held.reason, lastMs)
    } finally {
      // It goes on if the database was away.
      capture.cancel()
      captures.delete(id)
      ends.delete(id)
    }
  }

  /** One whose node has gone. What it had ended properly only needs its file. */
  const recover = async (claimed: Row<'records'>) => {
    const held = claimed.endedAt === null ? await endCapture(claimed, 'recorder_lost', claimed.size) : claimed
    await (held ? finish(claimed, held.reason, null) : letGo(claimed.id, claimed))
  }

  const run = (id: string, work: () => Promise<void>) => {
    const job = work()
      .catch(error => log.error({ err: error, recordId: id }, 'a recording failed; it will be looked at again'))
      .finally(() => jobs.delete(id))
    jobs.set(id, job)
  }

  const claim = async (id: string, work: (claimed: Row<'records'>) => Promise<void>) => {
    const claimed = await claimRecord(db, id, lease(), now())
    if (claimed) run(id, () => keepHeld(id, work(claimed)))
    return claimed !== undefined
  }

  /** Renews the lease while something is done. */
  const keepHeld = async (id: string, work: Promise<void>) => {
    const timer = setInterval(async () => {
      const size = captures.get(id)?.size()
      const { leaseUntil } = lease()
      const held = await updateHeld(db, id, workerId, { leaseUntil, ...(size !== undefined && { size }) }).catch(
        error => {
          log.warn({ err: error, recordId: id }, 'the lease of a recording could not be renewed; retrying')
          return true
        },
      )
      if (!held) captures.get(id)?.cancel()
    }, RENEW_EVERY_MS)
    try {
      await work
    } finally {
      clearInterval(timer)
    }
  }

  const stopCapture = (id: string, reason: RecordReason | null, lastAt: number | null) => {
    if (ends.has(id)) return
    ends.set(id, { reason, lastAt })
    captures.get(id)?.stop()
  }

  const isOverQuota = async ({ spaceId, size }: Row<'records'>, captured: number) =>
    quota !== null && (await recordUsage(db, spaceId)).size - size + captured >= quota

  /** Whether one that is recorded here has to end. */
  const watch = async (at: Unfinished, capture: Capture) => {
    const { stopAt, callEndedAt, callEmptySince } = at
    const emptyUntil = now() - EMPTY_FOR_MS
    if (stopAt !== null) stopCapture(at.id, null, null)
    else if (callEndedAt !== null) stopCapture(at.id, null, callEndedAt)
    else if (callEmptySince !== null && callEmptySince < emptyUntil) stopCapture(at.id, null, callEmptySince)
    else if (await isOverQuota(at, capture.size())) stopCapture(at.id, 'quota_reached', null)
  }

  const isFree = (channelId: string) => recorder.trouble() === null && places.isFree(channelId)

  /** In a place of its own, until nothing is captured any more. */
  const claimPlace = async ({ id, channelId }: Unfinished) => {
    const release = places.take(channelId)
    if (!release) return
    let isClaimed = false
    try {
      isClaimed = await claim(id, async held => {
        const capture = recorder.capture(held)
        void capture.ended.then(release)
        await record(held, capture)
      })
    } finally {
      if (!isClaimed) release()
    }
  }

  const lookAt = async (at: Unfinished) => {
    const capture = captures.get(at.id)
    if (capture) return watch(at, capture)
    if (jobs.has(at.id)) return
    if (at.workerId === null) {
      if (at.stopAt !== null || at.callEndedAt !== null) return giveUp(at, 'stopped_early')
      if (await isOverQuota(at, 0)) return giveUp(at, 'quota_reached')
      if (isFree(at.channelId)) return claimPlace(at)
      const isLate = at.createdAt < now() - GIVEN_UP_AFTER_MS
      if (isLate) return giveUp(at, recorder.trouble() === null ? 'recorder_busy' : 'recorder_off')
    } else if ((at.leaseUntil ?? 0) < now()) {
      const isMissed = (at.leaseUntil ?? 0) < now() - MISSED_AFTER_MS
      if (isMissed || !hasOthers || (await recorder.hasCaptured(at.id))) await claim(at.id, recover)
    }
  }

  const giveUp = ({ id, roomId }: Unfinished, reason: RecordReason) =>
    transact(db, async trx => {
      const call = await holdOpenCall(trx, roomId)
      const state = stateAfter(reason, false)
      const record = await giveUpRecord(trx, id, { state, reason }, now())
      if (!record) return
      await goOn(trx, call, record)
      await tell(trx, eventOf[state], record, now())
      await change(trx, record.channelId)
    })

  /** Those whose files could not be removed. */
  const removeAfter = new Map<string, number>()
  let removing: Promise<void> | undefined

  const removeDeleted = async () => {
    for (const { id, place, picture } of await listDeletedRecords(db)) {
      if (jobs.has(id) || (removeAfter.get(id) ?? 0) > performance.now()) continue
      try {
        // Also what a node had begun to store when it went away.
        await removeFiles({ place: place ?? storage.placeOf(id, 'mp4'), picture })
        await recorder.discard(id)
        await forgetRecord(db, id)
        removeAfter.delete(id)
      } catch (error) {
        removeAfter.set(id, performance.now() + REMOVE_AGAIN_AFTER_MS)
        log.warn({ err: error, recordId: id }, 'the file of a deleted recording could not be removed; retrying')
      }
    }
  }

  /** What was captured here of recordings that were deleted, or ended by another node, while this one was away. */
  const discardOld = async () => {
    const open = new Set((await listUnfinished(db)).map(({ id }) => id))
    for (const id of await recorder.listOld()) if (!open.has(id)) await recorder.discard(id)
  }

  const look = async () => {
    const unfinished = await listUnfinished(db)
    const open = new Set(unfinished.map(({ id }) => id))
    // Deleted, or another node's by now.
    for (const [id, capture] of captures) if (!open.has(id)) capture.cancel()
    for (const at of unfinished) await lookAt(at)
    // Nobody waits for a storage that is slow.
    removing ??= removeDeleted()
      .catch(error => log.warn({ err: error }, 'deleted recordings could not be listed; retrying'))
      .finally(() => {
        removing = undefined
      })
  }

  const lookout = createLookout(() =>
    look().catch(error => log.warn({ err: error }, 'looking after recordings failed; retrying')),
  )
  const { changed } = lookout

  return {
    changed,
    change,
    taken: ({ id, channelId }) =>
      untilTaken({
        db,
        id,
        canWait: () => hasOthers || isFree(channelId),
        list: () => listUnfinished(db),
        withdraw: trx => withdrawRecord(trx, id),
        onWithdrawn: trx => change(trx, channelId),
        trouble: recorder.trouble,
      }),
    start() {
      void discardOld().catch(error => log.warn({ err: error }, 'old recordings could not be looked through'))
      void endLeases(db)
        .catch(error => log.warn({ err: error }, 'recordings of before will be looked at later'))
        .then(lookout.start)
    },
    async stop() {
      stopping.abort()
      await lookout.stop()
      await removing
      for (const capture of captures.values()) capture.stop()
      await Promise.all(jobs.values())
    },
  }
}
