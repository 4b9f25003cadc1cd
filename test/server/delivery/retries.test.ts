import { describe, expect, test } from 'vitest'
import type { Attempt, AttemptOutcome } from '../../../contract/webhooks.ts'
import { afterAttempt, lostAt } from '../../../server/delivery/retries.ts'
import type { Delivery } from '../../../server/store/deliveries.ts'

const NOW = 1_790_000_000_000
const schedule = [0, 30, 300]

/** A delivery whose attempts before the last have failed. */
const delivery = (number: number, outcome: AttemptOutcome, status: number | null): Delivery => {
  const attempt = (index: number): Attempt => ({
    number: index + 1,
    at: new Date(NOW).toISOString(),
    status: index + 1 === number ? status : 500,
    durationMs: 1,
    outcome: index + 1 === number ? outcome : 'status',
    reason: null,
    detail: null,
  })
  return {
    id: 'id',
    body: '{}',
    isManual: false,
    state: 'pending',
    attempts: Array.from({ length: number }, (_, index) => attempt(index)),
    nextAttemptAt: NOW - 10_000,
  }
}

/** The earliest and the latest of many, in milliseconds from now. */
const range = (time: () => number | null) => {
  const times = Array.from({ length: 2000 }, () => (time() ?? 0) - NOW)
  return [Math.min(...times), Math.max(...times)] as const
}

describe('an attempt', () => {
  test.each([
    [1, 'success', 200, 'delivered'],
    [2, 'success', 204, 'delivered'],
    [3, 'success', 299, 'delivered'],
    [3, 'status', 500, 'failed'],
    [3, 'timeout', null, 'failed'],
    [3, 'connection', null, 'failed'],
    [3, 'blocked_address', null, 'failed'],
    // Lost in a crash: nobody knows whether it arrived, and there is no fourth.
    [3, 'interrupted', null, 'failed'],
    // The receiver wants no more.
    [1, 'status', 410, 'failed'],
    [2, 'status', 410, 'failed'],
    // Answered, and then it took too long to say why.
    [1, 'timeout', 410, 'failed'],
  ] as const)('%i that ends with %s %s is the last: %s', (number, outcome, status, state) => {
    const before = delivery(number, outcome, status)
    expect(afterAttempt(before, schedule, NOW)).toEqual({ ...before, state, nextAttemptAt: null })
  })

  test.each([
    [1, 'status', 500, 30],
    [1, 'status', 301, 30],
    [1, 'timeout', null, 30],
    [1, 'timeout', 500, 30],
    [1, 'connection', null, 30],
    [1, 'blocked_address', null, 30],
    [2, 'status', 503, 300],
    [2, 'connection', null, 300],
  ] as const)(
    '%i that ends with %s %s is followed by another after %i seconds, a fifth more or less',
    (number, outcome, status, seconds) => {
      const before = delivery(number, outcome, status)
      const after = afterAttempt(before, schedule, NOW)
      expect(after).toEqual({ ...before, nextAttemptAt: after.nextAttemptAt })
      const [least, most] = range(() => afterAttempt(before, schedule, NOW).nextAttemptAt)
      expect(least).toBeGreaterThanOrEqual(seconds * 800)
      expect(most).toBeLessThanOrEqual(seconds * 1200)
      expect(most - least).toBeGreaterThan(seconds * 300)
    },
  )

  test.each([
    // Ten seconds it may take, five to be recorded, and then what it would have waited.
    [1, 15 + 24, 15 + 36],
    [2, 15 + 240, 15 + 360],
    [3, 15, 15],
  ])('%i counts as lost after %i to %i seconds', (number, from, to) => {
    const [least, most] = range(() => lostAt(schedule, number, NOW))
    expect(least).toBeGreaterThanOrEqual(from * 1000)
    expect(most).toBeLessThanOrEqual(to * 1000)
  })
})
