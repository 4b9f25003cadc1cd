import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Keys } from '../identity/keys.ts'
import { createLookout, untilTaken } from '../recording/lookAfter.ts'
import type { Places } from '../recording/places.ts'
import type { RecordStorage } from '../recording/storage.ts'
import { onCommit, transact } from '../store/db.ts'
import {
  claimStream,
  endStream,
  endStreamLeases,
  forgetStream,
  listStreams,
  type Segment,
  segmentsOf,
  updateHeldStream,
  withdrawStream,
} from '../store/streams.ts'
import type { Db, Row, Trx } from '../store/tables.ts'
import { LISTED } from './playlist.ts'
import type { Streamer, Streaming } from './streamer.ts'

const RENEW_EVERY_MS = 3000
/** Of a node that does not renew it by then nothing more is expected. */
const LEASE_MS = 12_000
/** How long a stream whose node has gone waits for another. */
const GIVEN_UP_AFTER_MS = 60_000
/** How long nobody may be in the call. */
const EMPTY_FOR_MS = 30_000
/** How long segments can still be fetched, also those of a stream that has ended. */
export const KEPT_MS = 30_000
/** Lost so often without a segment in between, it will not come back. */
const MOST_FAILURES = 5
const AGAIN_AFTER_MS = 1000

export interface Streams {
  /** Something has been committed that concerns streams: here, or on another node. */
  changed: () => void
  /** To be called in the transaction that changes streams: this node and the others look once it is committed. */
  change: (trx: Trx, channelId: string) => Promise<void>
  /** Waits until a node has taken it. If none does it is withdrawn, and this throws. */
  taken: (stream: Row<'streams'>) => Promise<void>
  start: () => void
  /** Another node, or the next start, goes on with what is streamed from here. */
  stop: () => Promise<void>
}

interface StreamsOptions {
  db: Db
  keys: Keys
  streamer: Streamer
  storage: RecordStorage
  places: Places
  /** Whether there may be other nodes. */
  hasOthers: boolean
  now: () => number
  callChanged: (trx: Trx, channelId: string) => void
  /** Tells other nodes, once it is committed. */
  publish: (trx: Trx) => Promise<void>
  log: FastifyBaseLogger
}

interface Job {
  done: Promise<void>
  /** The stream ends. */
  end: () => void
  /** It is no longer ours. */
  drop: () => void
  /** It goes on elsewhere. */
  halt: () => void
}

type Listed = Awaited<ReturnType<typeof listStreams>>[number]

/** What the address is encrypted for. */
export const sealedFor = (streamId: string) => `RTMP address of the stream ${streamId}`

/** Segments of two nodes never take each other's place. */
const fileIdOf = (streamId: string, sequence: number, workerId: string) =>
  `${streamId}-${sequence}-${workerId.slice(0, 8)}`

/**
 * Live streams from their request to their end. The database says what there is to do; a node takes a stream by a lease,
 * and of a node that has gone another takes it over.
 */
export const createStreams = ({
  db,
  keys,
  streamer,
  storage,
  places,
  hasOthers,
  now,
  callChanged,
  publish,
  log,
}: StreamsOptions): Streams => {
  const workerId = randomUUID()
  const stopping = new AbortController()
  /** Everything this node streams, by the ids. */
  const jobs = new Map<string, Job>()

  const lease = () => ({ workerId, leaseUntil: now() + LEASE_MS })

  const change: Streams['change'] = async (trx, channelId) => {
    callChanged(trx, channelId)
    onCommit(trx, changed)
    await publish(trx)
  }

  /** Changes one that this node holds, so that everyone sees it. Undefined: it holds it no longer. */
  const update = (id: string, to: Parameters<typeof updateHeldStream>[3]) =>
    transact(db, async trx => {
      const stream = await updateHeldStream(trx, id, workerId, to)
      if (stream) await change(trx, stream.channelId)
      return stream
    })

  /** Of one that this node has taken. `earlier`: the node that had it before. */
  const broadcast = (claimed: Row<'streams'>, earlier: string | null) => {
    const { id } = claimed
    let segments = segmentsOf(claimed)
    let isFirst = claimed.startedAt === null
    let isOver = false
    let isDropped = false
    let failures = 0
    let current: Streaming | undefined
    let isGap = true
    let sequence = (segments.at(-1)?.sequence ?? -1) + 1
    const pausing = new AbortController()

    const halt = () => {
      pausing.abort()
      current?.cancel()
    }
    const drop = () => {
      isDropped = true
      halt()
    }
    const end = () => {
      isOver = true
      pausing.abort()
      current?.stop()
    }

    /** Without those that no player fetches any more. */
    const removeOld = async () => {
      const isOld = ({ addedAt }: Segment, index: number) =>
        addedAt < now() - KEPT_MS && index < segments.length - LISTED
      try {
        for (const { place } of segments.filter(isOld)) await storage.remove(place)
        return segments.filter((segment, index) => !isOld(segment, index))
      } catch (error) {
        log.warn({ err: error, streamId: id }, 'old segments of a live stream could not be removed; retrying')
        return segments
      }
    }

    const add = async ({ file, durationMs }: { file: string; durationMs: number }) => {
      if (isDropped) return
      try {
        const place = await storage.keep(fileIdOf(id, sequence, workerId), file, 'ts', stopping.signal)
        const last = segments.at(-1)
        // Players count the parts that are listed no more: none is left out.
        const part = last ? last.part + Number(isGap) : 0
        const longer = [...(await removeOld()), { sequence, part, durationMs, place, addedAt: now() }]
        const to = { segments: JSON.stringify(longer), ...lease() }
        const held = isFirst
          ? await update(id, { ...to, startedAt: now() })
          : await updateHeldStream(db, id, workerId, to)
        if (!held) {
          await storage.remove(place)
          return drop()
        }
        segments = longer
        isGap = false
        isFirst = false
        failures = 0
        sequence++
      } catch (error) {
        log.warn({ err: error, streamId: id }, 'a segment of a live stream was lost')
        // What follows it is played after a gap.
        isGap = true
      }
    }

    /** One after the other, in their order. */
    let told: Promise<unknown> = Promise.resolve()
    const setTarget = (targetState: Row<'streams'>['targetState']) => {
      told = told
        .then(() => update(id, { targetState }))
        .catch(error => log.warn({ err: error, streamId: id }, 'the state of a live stream could not be written'))
    }

    const renewing = setInterval(async () => {
      const held = await updateHeldStream(db, id, workerId, lease()).catch(error => {
        log.warn({ err: error, streamId: id }, 'the lease of a live stream could not be renewed; retrying')
        return true
      })
      if (!held) drop()
    }, RENEW_EVERY_MS)

    const run = async () => {
      // What the node before had stored, and not yet written down.
      if (earlier !== null) await storage.remove(storage.placeOf(fileIdOf(id, sequence, earlier), 'ts'))
      const url = claimed.sealedUrl === null ? null : keys.unseal(claimed.sealedUrl, sealedFor(id))
      while (!isOver && !isDropped && !stopping.signal.aborted && failures < MOST_FAILURES) {
        failures++
        // The node before may have been connected.
        if (url !== null) setTarget('connecting')
        current = streamer.stream(claimed, url, { onSegment: add, onTarget: setTarget })
        await current.ended
        isGap = true
        if (isOver || isDropped || stopping.signal.aborted) break
        log.warn({ streamId: id }, 'a live stream was interrupted; going on')
        await sleep(AGAIN_AFTER_MS, undefined, { signal: pausing.signal }).catch(() => {})
      }
      if (isDropped) return
      if (failures === MOST_FAILURES) log.warn({ streamId: id }, 'a live stream was given up')
      // Another node, or the next start, goes on with it.
      if (stopping.signal.aborted && !isOver) return void (await update(id, { workerId: null, leaseUntil: now() }))
      await update(id, { ...ended(), segments: JSON.stringify(segments) })
    }

    const done = run()
      .catch(error => log.error({ err: error, streamId: id }, 'a live stream failed; it will be looked at again'))
      .finally(() => {
        clearInterval(renewing)
        jobs.delete(id)
      })
    jobs.set(id, { done, end, drop, halt })
    return done
  }

  const ended = () => ({ stopAt: now(), endedAt: now(), sealedUrl: null })

  const isFree = (channelId: string) => streamer.trouble() === null && places.isFree(channelId)

  const claim = async ({ id, channelId, workerId: earlier }: Listed) => {
    const release = places.take(channelId)
    if (!release) return
    try {
      const claimed = await claimStream(db, id, lease(), now())
      if (!claimed) return release()
      void broadcast(claimed, earlier).then(release)
    } catch (error) {
      release()
      throw error
    }
  }

  const isToEnd = ({ stopAt, callEndedAt, callEmptySince }: Listed) =>
    stopAt !== null || callEndedAt !== null || (callEmptySince !== null && callEmptySince < now() - EMPTY_FOR_MS)

  const finish = (id: string) =>
    transact(db, async trx => {
      const stream = await endStream(trx, id, now())
      if (stream) await change(trx, stream.channelId)
    })

  /** Nobody plays it any more. */
  const remove = async (at: Listed) => {
    const next = (segmentsOf(at).at(-1)?.sequence ?? -1) + 1
    for (const { place } of segmentsOf(at)) await storage.remove(place)
    if (at.workerId !== null) await storage.remove(storage.placeOf(fileIdOf(at.id, next, at.workerId), 'ts'))
    await forgetStream(db, at.id)
  }

  const lookAt = async (at: Listed) => {
    const job = jobs.get(at.id)
    if (job) return isToEnd(at) ? job.end() : undefined
    if (at.endedAt !== null) return at.endedAt < now() - KEPT_MS ? remove(at) : undefined
    const isHeld = at.workerId !== null && (at.leaseUntil ?? 0) >= now()
    if (isHeld) return
    if (isToEnd(at)) return finish(at.id)
    if (isFree(at.channelId)) return claim(at)
    if ((at.leaseUntil ?? at.createdAt) < now() - GIVEN_UP_AFTER_MS) return finish(at.id)
  }

  const look = async () => {
    const streams = await listStreams(db)
    const open = new Set(streams.filter(({ endedAt }) => endedAt === null).map(({ id }) => id))
    // Another node's by now.
    for (const [id, job] of jobs) if (!open.has(id)) job.drop()
    for (const at of streams)
      await lookAt(at).catch(error => log.warn({ err: error, streamId: at.id }, 'a live stream is looked at later'))
  }

  const lookout = createLookout(() =>
    look().catch(error => log.warn({ err: error }, 'looking after live streams failed; retrying')),
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
        list: () => listStreams(db),
        withdraw: trx => withdrawStream(trx, id),
        onWithdrawn: trx => change(trx, channelId),
        trouble: streamer.trouble,
      }),
    start() {
      void endStreamLeases(db)
        .catch(error => log.warn({ err: error }, 'live streams of before will be looked at later'))
        .then(lookout.start)
    },
    async stop() {
      stopping.abort()
      await lookout.stop()
      for (const job of jobs.values()) job.halt()
      await Promise.all([...jobs.values()].map(({ done }) => done))
    },
  }
}
