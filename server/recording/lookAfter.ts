import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../http/problem.ts'
import { transact } from '../store/db.ts'
import type { Db, Trx } from '../store/tables.ts'

/* What recordings and live streams have in common: the database says what there is to do, and a node takes it. */

const LOOK_EVERY_MS = 1000
/** How long a moderator who waits for the answer is kept waiting for a node. */
const TAKEN_WITHIN_MS = 3000

/** One look at a time; what changes meanwhile is looked at after it. `look` never rejects. */
export const createLookout = (look: () => Promise<void>) => {
  let looking: Promise<void> | undefined
  let isDue = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const changed = () => {
    isDue = true
    looking ??= (async () => {
      while (isDue && !isStopped) {
        isDue = false
        await look()
      }
      looking = undefined
    })()
  }
  return {
    changed,
    start() {
      if (isStopped) return
      changed()
      timer = setInterval(changed, LOOK_EVERY_MS)
    },
    /** Resolves when nothing is looked at any more. */
    async stop() {
      isStopped = true
      clearInterval(timer)
      await looking
    },
  }
}

interface Taking {
  db: Db
  id: string
  /** Whether a node may still take it. */
  canWait: () => boolean
  /** All that there is to do, with who does it. */
  list: () => Promise<{ id: string; workerId: string | null }[]>
  /** False: a node has taken it after all. */
  withdraw: (trx: Trx) => Promise<boolean>
  onWithdrawn: (trx: Trx) => Promise<void>
  /** Why this node can't; null: it can. */
  trouble: () => string | null
}

/** Waits until a node has taken what was asked for. If none does it is withdrawn, and this throws. */
export const untilTaken = async ({ db, id, canWait, list, withdraw, onWithdrawn, trouble }: Taking) => {
  const deadline = performance.now() + TAKEN_WITHIN_MS
  const isTaken = async () => (await list()).every(at => at.id !== id || at.workerId !== null)
  while (performance.now() < deadline && canWait() && !(await isTaken())) await sleep(50)
  const isWithdrawn = await transact(db, async trx => {
    if (!(await withdraw(trx))) return false
    await onWithdrawn(trx)
    return true
  })
  if (!isWithdrawn) return
  const why = trouble()
  throw why === null
    ? new Problem('recorder_busy', 'All recorders are busy. Try again when another recording has ended.', {
        headers: { 'retry-after': '60' },
      })
    : new Problem('recorder_off', why)
}
