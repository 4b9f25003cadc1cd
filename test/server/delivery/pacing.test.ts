import { describe, expect, test } from 'vitest'
import {
  firstPace,
  isStale,
  maxAhead,
  type Pace,
  paceAfter,
  roomFor,
  runsShort,
} from '../../../server/delivery/pacing.ts'

const pace = (width: number, attemptMs = 0, isFailing = false): Pace => ({ width, attemptMs, isFailing })
const success = { outcome: 'success', durationMs: 0 } as const

describe('the pace of a webhook', () => {
  test.each([
    // width, after these outcomes, what it is then
    ['success', 2, 3, false],
    ['success', 15, 16, false],
    ['success', 16, 16, false],
    ['success', 1, 2, false],
    ['status', 16, 1, true],
    ['status', 1, 1, true],
    ['timeout', 9, 1, true],
    ['connection', 2, 1, true],
    ['blocked_address', 2, 1, true],
    ['cancelled', 16, 1, true],
  ] as const)('after %s at width %i is %i', (outcome, before, width, isFailing) => {
    expect(paceAfter(pace(before), { outcome, durationMs: 0 })).toEqual(pace(width, 0, isFailing))
    // Whatever was before has no say.
    expect(paceAfter(pace(before, 0, true), { outcome, durationMs: 0 })).toEqual(pace(width, 0, isFailing))
  })

  test('is full after fourteen successes, and one failure undoes them', () => {
    let now = firstPace
    for (let n = 2; n < 16; n++) {
      expect(now.width).toBe(n)
      now = paceAfter(now, success)
    }
    expect(now).toEqual(pace(16))
    expect(paceAfter(now, { outcome: 'status', durationMs: 0 })).toEqual(pace(1, 0, true))
  })

  test.each([
    [0, 100, 20],
    [100, 100, 100],
    [100, 0, 80],
    [100, 1100, 300],
  ])('of %i ms an attempt follows one of %i ms to %i', (before, durationMs, after) =>
    expect(paceAfter(pace(16, before), { outcome: 'success', durationMs }).attemptMs).toBeCloseTo(after),
  )
})

describe('claimed ahead', () => {
  test.each([
    // Not before it takes all it gets.
    [2, 0, 0],
    [15, 1, 0],
    // What sixteen at once take in a second, and never more than 240.
    [16, 0, 240],
    [16, 66, 240],
    [16, 67, 238],
    [16, 100, 160],
    [16, 1000, 16],
    [16, 10_000, 1],
    [16, 20_000, 0],
  ])('at width %i and %i ms an attempt are %i', (width, attemptMs, max) =>
    expect(maxAhead(pace(width, attemptMs))).toBe(max),
  )

  test.each([
    [0, false],
    [3000, false],
    [3001, true],
  ])('%i ms ago is stale: %s', (age, stale) => expect(isStale(1_790_000_000_000, 1_790_000_000_000 + age)).toBe(stale))
})

describe('room for more', () => {
  test.each([
    // width, ms an attempt, ahead, under way, places left → room
    [2, 0, 0, 0, 1000, 2],
    [2, 0, 0, 1, 1000, 1],
    [2, 0, 0, 2, 1000, 0],
    [2, 0, 1, 1, 1000, 0],
    [16, 0, 0, 0, 1000, 256],
    [16, 0, 100, 16, 1000, 140],
    [16, 1000, 0, 16, 1000, 16],
    // After a failure there may be more of them than there should.
    [1, 0, 0, 15, 1000, 0],
    [1, 0, 200, 15, 1000, 0],
    // No more than there are places for.
    [16, 0, 0, 0, 7, 7],
    [16, 0, 0, 0, 0, 0],
    [16, 0, 0, 0, -3, 0],
  ])(
    'at width %i, %i ms an attempt, %i ahead, %i under way, %i places left: %i',
    (width, attemptMs, ahead, underWay, places, room) => {
      // What waits to be recorded takes no room.
      for (const ended of [0, 50])
        expect(roomFor(pace(width, attemptMs), { ahead, underWay, ended }, places)).toBe(room)
    },
  )
})

describe('running short', () => {
  test.each([
    // width, ahead, under way, ended
    // At full width once no more is ahead than fits at once.
    [16, 17, 16, 1, false],
    [16, 16, 16, 1, true],
    [16, 0, 1, 0, true],
    [16, 240, 0, 100, false],
    // Else once half of what was sent has ended.
    [4, 0, 3, 1, false],
    [4, 0, 2, 2, true],
    [1, 0, 0, 1, true],
    [3, 0, 2, 0, false],
  ])('at width %i with %i ahead, %i under way, %i ended: %s', (width, ahead, underWay, ended, short) =>
    expect(runsShort(pace(width), { ahead, underWay, ended })).toBe(short),
  )
})
