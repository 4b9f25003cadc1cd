/**
 * Attempts under way at once, of all webhooks together; lanes that wait for a place are served in turn. Half of the places
 * are for webhooks whose last callback arrived, so that any number of dead receivers delays no living one.
 */
const MAX_PLACES = 1000
const MAX_UNPROVEN_PLACES = 500

export interface Waiter {
  /** Its last callback arrived. */
  isProven: boolean
  /** There is a place now. */
  proceed: () => void
}

export interface Places {
  left: (isProven: boolean) => number
  take: (isProven: boolean) => void
  /** Gives a place back, and wakes the next lane that waits for one. */
  give: (isProven: boolean) => void
  await: (waiter: Waiter) => void
}

export const createPlaces = (): Places => {
  const waiting = new Set<Waiter>()
  let taken = 0
  let takenByUnproven = 0
  return {
    left: isProven => Math.min(MAX_PLACES - taken, isProven ? MAX_PLACES : MAX_UNPROVEN_PLACES - takenByUnproven),
    take(isProven) {
      taken++
      if (!isProven) takenByUnproven++
    },
    give(isProven) {
      taken--
      if (!isProven) takenByUnproven--
      for (const waiter of waiting) {
        if (!waiter.isProven && takenByUnproven >= MAX_UNPROVEN_PLACES) continue
        waiting.delete(waiter)
        waiter.proceed()
        return
      }
    },
    await: waiter => waiting.add(waiter),
  }
}
