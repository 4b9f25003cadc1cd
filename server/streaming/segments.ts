import { buffer } from 'node:stream/consumers'
import type { RecordStorage } from '../recording/storage.ts'

/** Some minutes of one stream, or what is played now of dozens. */
const MOST_BYTES = 64 * 2 ** 20

/** Reads segments from the storage once for all who watch through this node. */
export const createSegments = (storage: RecordStorage, mostBytes = MOST_BYTES) => {
  const known = new Map<string, { size: number; bytes: Promise<Buffer | null> }>()
  let size = 0

  const forget = (place: string) => {
    size -= known.get(place)?.size ?? 0
    known.delete(place)
  }

  const read = async (place: string) => {
    const file = await storage.open(place)
    return file && buffer(file.read(0, file.size - 1))
  }

  /** null: it is not there. */
  return (place: string): Promise<Buffer | null> => {
    const found = known.get(place)
    if (found) return found.bytes
    const entry = { size: 0, bytes: read(place) }
    known.set(place, entry)
    const keep = (bytes: Buffer | null) => {
      if (known.get(place) !== entry) return
      if (!bytes) return forget(place)
      entry.size = bytes.length
      size += bytes.length
      // Those that were asked for first are the oldest.
      for (const oldest of known.keys()) {
        if (size <= mostBytes) break
        forget(oldest)
      }
    }
    entry.bytes.then(keep, () => forget(place))
    return entry.bytes
  }
}
