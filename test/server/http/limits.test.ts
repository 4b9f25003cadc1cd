import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createLimits, type LoginLimits } from '../../../server/http/limits.ts'
import { Problem } from '../../../server/http/problem.ts'

/*
 * Sign-ins by the hundred and by the hour: the clock is a fake, and so is the password. How they reach the limits is
 * tested through the interface.
 */

const HERE = '192.0.2.1'
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

let limits: LoginLimits
/** Whose password has been looked at, in that order. */
let checked: string[]

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  limits = createLimits(true, null).login
  checked = []
})

/** What became of it, once something has. */
interface Outcome {
  account: string
  was: 'waiting' | 'in' | 'wrong' | 'refused'
  retryAfter?: number
}

const signIn = (account: string, isRight: boolean, address = HERE, gone?: AbortSignal): Outcome => {
  const outcome: Outcome = { account, was: 'waiting' }
  const check = async () => {
    checked.push(account)
    return isRight || null
  }
  limits.attempt({ account, address, ...(gone && { gone }) }, check).then(
    result => {
      outcome.was = result ? 'in' : 'wrong'
    },
    error => {
      expect([error.code, error.status]).toEqual(['rate_limited', 429])
      outcome.was = 'refused'
      outcome.retryAfter = Number(error.headers['retry-after'])
    },
  )
  return outcome
}
const wrong = (account: string) => signIn(account, false)
const right = (account: string) => signIn(account, true)
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000)
const countOf = (outcomes: Outcome[], was: Outcome['was']) => outcomes.filter(outcome => outcome.was === was).length

/** A hundred wrong passwords, of as many accounts: whoever is behind the address is slowed down. */
const spend = async () => {
  const spent = times(100, index => wrong(`guessed ${index}`))
  await seconds(0)
  expect(countOf(spent, 'wrong')).toBe(100)
}

test('of a burst of wrong ones a hundred are looked at, then one a second; twenty wait, the others are refused', async () => {
  const burst = times(130, index => wrong(`account ${index}`))
  await seconds(0)
  expect(checked).toHaveLength(101)
  expect([countOf(burst, 'waiting'), countOf(burst, 'refused')]).toEqual([20, 9])
  for (const { retryAfter } of burst.filter(({ was }) => was === 'refused')) expect(retryAfter).toBe(20)
  await seconds(0.9)
  expect(checked).toHaveLength(101)
  await seconds(0.1)
  expect(checked).toHaveLength(102)
  await seconds(18)
  expect(checked).toHaveLength(120)
  await seconds(1)
  expect([countOf(burst, 'wrong'), countOf(burst, 'refused')]).toEqual([121, 9])
})

test('one after the other they get no further', async () => {
  await spend()
  for (let second = 0; second < 5; second++) {
    const [now, later] = [wrong(`more ${second}`), wrong(`and more ${second}`)]
    await seconds(0)
    expect([now.was, later.was]).toEqual(['wrong', 'waiting'])
    await seconds(2)
    expect(later.was).toBe('wrong')
  }
})

test('whoever has not failed lately goes first, and gets in though the line is full', async () => {
  await spend()
  const guesses = times(21, index => wrong(`guessed ${index}`))
  await seconds(0)
  expect([countOf(guesses, 'wrong'), countOf(guesses, 'waiting')]).toEqual([1, 20])
  const pupil = right('pupil')
  await seconds(0)
  // The last of the others makes room.
  expect([pupil.was, guesses.at(-1)?.was, countOf(guesses, 'waiting')]).toEqual(['waiting', 'refused', 19])
  await seconds(1)
  expect(pupil.was).toBe('in')
  // Nor does it help to try again: there is no room for someone who has failed.
  const again = times(3, index => wrong(`guessed ${50 + index}`))
  await seconds(0)
  expect([countOf(again, 'waiting'), countOf(again, 'refused')]).toEqual([1, 2])
})

test('one account has one place in front of the others', async () => {
  await spend()
  times(20, () => wrong('victim'))
  const [first, second] = [right('pupil'), right('teacher')]
  await seconds(2)
  expect([first.was, second.was]).toEqual(['in', 'in'])
  expect(checked.slice(100)).toEqual(['victim', 'pupil', 'teacher'])
})

test('whoever has just signed in goes first again', async () => {
  await spend()
  right('pupil')
  await seconds(0.5)
  times(3, index => wrong(`guessed ${index}`))
  const again = right('pupil')
  await seconds(0.5)
  expect(again.was).toBe('in')
})

test('an account has its own limit all the same, and is told so without waiting', async () => {
  await spend()
  const guesses = times(12, () => wrong('victim'))
  await seconds(12)
  expect([countOf(guesses, 'wrong'), countOf(guesses, 'refused')]).toEqual([10, 2])
  times(5, index => wrong(`guessed ${index}`))
  const owner = right('victim')
  await seconds(0)
  expect(owner.was).toBe('refused')
  expect(owner.retryAfter).toBeGreaterThan(60)
})

test('other addresses are not slowed down, and this one not after an hour', async () => {
  await spend()
  const elsewhere = times(30, index => signIn(`pupil ${index}`, true, '192.0.2.2'))
  await seconds(0)
  expect(countOf(elsewhere, 'in')).toBe(30)
  const [, late] = [right('first'), right('second')]
  await seconds(0)
  expect(late?.was).toBe('waiting')
  await seconds(3600)
  await spend()
})

test('a school that signs in at once, with right passwords, is let in at once', async () => {
  times(50, index => wrong(`guessed ${index}`))
  await seconds(0)
  const school = times(300, index => right(`pupil ${index}`))
  await seconds(0)
  expect(countOf(school, 'in')).toBe(300)
})

test('a captcha that is not right counts, a failure of ours does not', async () => {
  const fail = async (problem: Problem) => {
    const check = () => Promise.reject(problem)
    await Promise.all(
      times(100, index => limits.attempt({ account: `account ${index}`, address: HERE }, check).catch(() => {})),
    )
    const [, second] = [right('first'), right('second')]
    await seconds(0)
    return second?.was
  }
  expect(await fail(new Problem('unavailable'))).toBe('in')
  expect(await fail(new Problem('captcha_failed'))).toBe('waiting')
})

test('who has signed in from there before goes in front of names that nobody knows, however many', async () => {
  right('teacher')
  await seconds(0)
  await spend()
  const invented = times(25, index => wrong(`invented ${index}`))
  await seconds(0)
  const teacher = right('teacher')
  await seconds(1)
  expect(teacher.was).toBe('in')
  expect(countOf(invented, 'refused')).toBeGreaterThan(0)
})

test('who has gone holds no place', async () => {
  await spend()
  const gone = new AbortController()
  const left = times(20, index => signIn(`left ${index}`, false, HERE, gone.signal))
  await seconds(0)
  gone.abort()
  await seconds(0)
  expect(countOf(left, 'waiting')).toBe(0)
  const clean = right('pupil')
  await seconds(1)
  expect(clean.was).toBe('in')
})
