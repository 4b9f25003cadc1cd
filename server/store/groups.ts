/** At once. With more groups each would only be smaller, and every one wakes a process of the server. */
const MAX_GROUPS = 2
const MAX_MEMBERS = 32
/** A group that takes longer is stuck, and holds up no others. */
const STUCK_MS = 100

/**
 * Handles together what comes at one moment, or while earlier groups are under way. `handle` never fails: it tells its
 * members.
 */
export const createGroups = <T>(handle: (group: T[]) => Promise<void>) => {
  const waiting: T[] = []
  let underWay = 0

  const start = () => {
    if (waiting.length === 0 || underWay === MAX_GROUPS) return
    let isCounted = true
    const makeRoom = () => {
      if (!isCounted) return
      isCounted = false
      underWay--
      start()
    }
    underWay++
    const stuck = setTimeout(makeRoom, STUCK_MS)
    void handle(waiting.splice(0, MAX_MEMBERS)).finally(() => {
      clearTimeout(stuck)
      makeRoom()
    })
    start()
  }

  return (member: T) => {
    waiting.push(member)
    // Once the requests that arrived together have all been read.
    if (waiting.length === 1) setImmediate(start)
  }
}
