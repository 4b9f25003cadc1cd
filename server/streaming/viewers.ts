import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { listViewers, writeViewers } from '../store/streams.ts'
import type { Db } from '../store/tables.ts'

/** A player asks every two seconds. */
const SEEN_WITHIN_MS = 15_000
/** A node tells the others at most so often whom it has seen. */
const WRITE_EVERY_MS = 10_000
/** What a node has told counts for so long. */
const COUNTS_FOR_MS = 30_000
/** A count that pages in the call ask for is good for so long. */
const COUNTED_FOR_MS = 2000
const TICK_MS = 1000
/** Enough of a fingerprint to tell viewers apart: they may ask one node after another. */
const MARK_LENGTH = 8

interface Watched {
  /** When each viewer was last seen, by their mark. */
  seen: Map<string, number>
  writtenAt: number
}

export interface Viewers {
  /** A viewer has asked for the playlist. */
  saw: (streamId: string, viewer: string) => void
  /** How many watch it, on all nodes. */
  count: (streamId: string) => Promise<number>
  start: () => void
  stop: () => void
}

interface ViewersOptions {
  db: Db
  fingerprint: (text: string) => string
  now: () => number
  log: FastifyBaseLogger
}

/** Viewers are counted, and nothing else is known of them. */
export const createViewers = ({ db, fingerprint, now, log }: ViewersOptions): Viewers => {
  const nodeId = randomUUID()
  const watched = new Map<string, Watched>()
  const counted = new Map<string, { at: number; count: Promise<number> }>()

  const count = async (streamId: string) => {
    const marks = (await listViewers(db, streamId, now() - COUNTS_FOR_MS)).flatMap(
      ({ viewers }) => viewers.match(new RegExp(`.{${MARK_LENGTH}}`, 'g')) ?? [],
    )
    return new Set(marks).size
  }

  const tick = () => {
    const at = now()
    for (const [streamId, stream] of watched) {
      for (const [mark, seenAt] of stream.seen) if (seenAt < at - SEEN_WITHIN_MS) stream.seen.delete(mark)
      if (stream.writtenAt > at - WRITE_EVERY_MS) continue
      stream.writtenAt = at
      const viewers = [...stream.seen.keys()].join('')
      if (viewers === '') watched.delete(streamId)
      writeViewers(db, { streamId, nodeId, viewers, writtenAt: now() }).catch(error =>
        log.warn({ err: error, streamId }, 'the viewers of a live stream were not counted'),
      )
    }
    for (const [streamId, { at: countedAt }] of counted) if (countedAt < at - COUNTED_FOR_MS) counted.delete(streamId)
  }

  let timer: NodeJS.Timeout | undefined
  return {
    saw(streamId, viewer) {
      const stream = watched.get(streamId) ?? { seen: new Map(), writtenAt: Number.NEGATIVE_INFINITY }
      watched.set(streamId, stream)
      stream.seen.set(fingerprint(`viewer ${viewer} of ${streamId}`).slice(0, MARK_LENGTH), now())
    },
    count(streamId) {
      const known = counted.get(streamId)
      if (known) return known.count
      const fresh = { at: now(), count: count(streamId) }
      counted.set(streamId, fresh)
      fresh.count.catch(() => counted.delete(streamId))
      return fresh.count
    },
    start() {
      timer = setInterval(tick, TICK_MS)
    },
    stop: () => clearInterval(timer),
  }
}
