import { Problem } from '../http/problem.ts'
import { mayJoin, type RoomStanding, seesRoom } from '../rules.ts'
import { findGuestStanding, findRoomStanding } from '../store/standing.ts'
import { findStream } from '../store/streams.ts'
import type { Db, Row } from '../store/tables.ts'

/** What a stream has by now, and whether somebody may still watch it, are looked up again after so long. */
const STREAM_KNOWN_MS = 500
const VERDICT_KNOWN_MS = 20_000
/** Beyond it those that were asked about first are forgotten. */
const MOST_KNOWN = 50_000

/** Remembers what was found for a while, and looks once for all who ask at the same time. */
const createMemory = <V>(knownMs: number, now: () => number, look: (key: string) => Promise<V>) => {
  const known = new Map<string, { at: number; found: Promise<V> }>()
  const read = (key: string) => {
    const fresh = { at: now(), found: look(key) }
    known.delete(key)
    known.set(key, fresh)
    fresh.found.catch(() => known.delete(key))
    for (const oldest of known.keys()) {
      if (known.size <= MOST_KNOWN) break
      known.delete(oldest)
    }
    return fresh.found
  }
  return {
    find(key: string) {
      const entry = known.get(key)
      return entry && Math.abs(now() - entry.at) < knownMs ? entry.found : read(key)
    },
    /** As it is now. */
    read,
  }
}

/** Who watches: a user by their session, or a guest. It ends with the session, the link and the right to join. */
export const viewerOf = ({ caller }: RoomStanding) =>
  caller.kind === 'guest' ? `guest.${caller.guestId}` : `user.${caller.sessionId}`

/** For thousands of players that ask every two seconds. */
export const createWatching = (db: Db, now: () => number) => {
  const streams = createMemory(STREAM_KNOWN_MS, now, id => findStream(db, id))

  const standingOf = async (viewer: string, spaceId: string, roomId: string): Promise<RoomStanding | null> => {
    const [kind, id = ''] = viewer.split('.')
    const standing =
      kind === 'guest' ? await findGuestStanding(db, id, now()) : await findRoomStanding(db, id, spaceId, roomId, now())
    if (!standing) throw new Problem('token_invalid', 'The session or the link has ended.')
    return 'room' in standing && standing.room.id === roomId ? standing : null
  }

  const verdicts = createMemory(VERDICT_KNOWN_MS, now, async (key): Promise<Problem | null> => {
    const [viewer = '', spaceId = '', roomId = ''] = key.split(' ')
    try {
      const standing = await standingOf(viewer, spaceId, roomId)
      const refusal = standing && seesRoom(standing) ? mayJoin.refusal(standing) : 'no_stream'
      return refusal === null ? null : new Problem(refusal as 'removed')
    } catch (error) {
      if (error instanceof Problem) return error
      throw error
    }
  })

  return {
    findStream: streams.find,
    readStream: streams.read,
    /** Throws why not. */
    async requireViewer(viewer: string, { spaceId, roomId }: Row<'streams'>) {
      const refusal = await verdicts.find(`${viewer} ${spaceId} ${roomId}`)
      if (refusal) throw refusal
    },
  }
}
