import { changedElsewhere } from '../store/dialect.ts'
import type { Db } from '../store/tables.ts'
import type { Cluster } from './cluster.ts'
import { publish } from './notices.ts'

const LOOK_EVERY_MS = 500

/** The one node of an installation on SQLite. Besides it there are only commands. */
export const createSingleNode = (db: Db): Cluster => {
  let looking: NodeJS.Timeout | undefined
  const hasChanged = () => {
    try {
      return changedElsewhere(db)
    } catch {
      // Another process holds the file for a moment: the next look finds the change.
      return false
    }
  }
  return {
    now: Date.now,
    isLead: () => true,
    publish,
    listen({ onMissed }) {
      // From here on.
      hasChanged()
      looking = setInterval(() => {
        if (hasChanged()) onMissed()
      }, LOOK_EVERY_MS)
    },
    async resign() {},
    async leave() {
      clearInterval(looking)
    },
  }
}
