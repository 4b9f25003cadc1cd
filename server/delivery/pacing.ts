import type { PostResult } from './post.ts'

/* How fast one webhook is sent to. Pure: the lane keeps the state and the clock. */

/** Attempts under way at once for one webhook: few at first, more while it succeeds, one after a failure. */
const FIRST_WIDTH = 2
export const MAX_WIDTH = 16
/**
 * Claimed ahead for a webhook that takes all it gets: one transaction then serves many. No more than it takes in a
 * second, and what has waited longer than expected goes back: an attempt must be over well before it counts as lost.
 */
const MAX_AHEAD = 240
const AHEAD_MS = 1000
const STALE_MS = 3000

/** What the attempts so far say of the receiver. */
export interface Pace {
  /** How many attempts may be under way at once. */
  width: number
  /** How long an attempt takes, lately. */
  attemptMs: number
  /** The last one failed: what is claimed ahead is not for it. */
  isFailing: boolean
}

export const firstPace: Pace = { width: FIRST_WIDTH, attemptMs: 0, isFailing: false }

export const paceAfter = (
  { width, attemptMs }: Pace,
  { outcome, durationMs }: Pick<PostResult, 'outcome' | 'durationMs'>,
): Pace => {
  const isFailing = outcome !== 'success'
  return {
    width: isFailing ? 1 : Math.min(MAX_WIDTH, width + 1),
    attemptMs: 0.8 * attemptMs + 0.2 * durationMs,
    isFailing,
  }
}

/** How many to claim beyond those that may be under way. */
export const maxAhead = ({ width, attemptMs }: Pace) =>
  width < MAX_WIDTH ? 0 : Math.min(MAX_AHEAD, Math.floor((MAX_WIDTH * AHEAD_MS) / Math.max(1, attemptMs)))

/** What a lane holds: claimed and not sent yet, being sent, ended and not recorded yet. */
export interface Load {
  ahead: number
  underWay: number
  ended: number
}

/** How many more to claim, when this many places are left for all webhooks together. */
export const roomFor = (pace: Pace, { ahead, underWay }: Load, placesLeft: number) =>
  Math.max(0, Math.min(pace.width + maxAhead(pace) - underWay - ahead, placesLeft))

/** Whether the lane would soon have nothing to send if it gathered more results before it goes to the database. */
export const runsShort = ({ width }: Pace, { ahead, underWay, ended }: Load) =>
  width === MAX_WIDTH ? ahead <= MAX_WIDTH : ended >= underWay

/** Whether what was claimed then has waited too long to be sent. */
export const isStale = (claimedAt: number, now: number) => now - claimedAt > STALE_MS
