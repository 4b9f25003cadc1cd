import { type Delivery, lastAttempt, MAX_ATTEMPTS } from '../store/deliveries.ts'
import { TIMEOUT_MS } from './post.ts'

/** An attempt is given up for lost well after its timeout, so that its own result is always recorded first. */
const LOST_AFTER_MS = TIMEOUT_MS + 5000

/** Seconds to wait before each of the attempts. */
export type Schedule = readonly number[]

/** From the end of that attempt to the next; ±20 %, so that receivers that failed together are not retried together. */
const retryDelay = (schedule: Schedule, number: number) =>
  Math.round((schedule[number] ?? 0) * 1000 * (0.8 + Math.random() * 0.4))

/** When an attempt claimed now counts as lost, so that the next one, if there is any, is due at once. */
export const lostAt = (schedule: Schedule, number: number, now: number) =>
  now + LOST_AFTER_MS + retryDelay(schedule, number)

export const isGone = (delivery: Delivery) => lastAttempt(delivery).status === 410

/** What becomes of a delivery whose attempt has ended: delivered, retried later, or given up. */
export const afterAttempt = (delivery: Delivery, schedule: Schedule, now: number): Delivery => {
  const { number, outcome } = lastAttempt(delivery)
  if (outcome === 'success') return { ...delivery, state: 'delivered', nextAttemptAt: null }
  if (number >= MAX_ATTEMPTS || isGone(delivery)) return { ...delivery, state: 'failed', nextAttemptAt: null }
  return { ...delivery, nextAttemptAt: now + retryDelay(schedule, number) }
}
