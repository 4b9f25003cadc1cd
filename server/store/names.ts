import { createHash } from 'node:crypto'
import { isMarked } from './prepared.ts'

const MAX_NAMES = 300
const MAX_SEEN = 1000

/**
 * Names for statements, by which a connection of PostgreSQL keeps them parsed and planned. Only texts that are
 * repeated get one, up to MAX_NAMES: texts with lists of any length must not fill the memory of the server. Those of the
 * hot path, which are marked, are few, and always get one.
 */
export const createNames = () => {
  const seen = new Set<string>()
  const names = new Map<string, string>()
  let generation = 0
  return {
    of(text: string): string | undefined {
      const known = names.get(text)
      if (known || (names.size >= MAX_NAMES && !isMarked(text))) return known
      if (!seen.has(text)) {
        if (seen.size >= MAX_SEEN) seen.clear()
        seen.add(text)
        return
      }
      seen.delete(text)
      const name = `${createHash('sha256').update(text).digest('base64url').slice(0, 22)}_${generation}`
      names.set(text, name)
      return name
    },
    /** What connections have kept is out of date: statements are prepared again under new names. */
    renew() {
      generation++
      names.clear()
    },
  }
}
