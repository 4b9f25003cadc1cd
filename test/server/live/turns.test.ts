import { expect, test } from 'vitest'
import { createTurns } from '../../../server/live/turns.ts'

/** Work that ends when told to. */
const controlled = () => {
  const log: string[] = []
  const ends: Record<string, () => void> = {}
  const work = (name: string) => async () => {
    log.push(`${name} begins`)
    await new Promise<void>(resolve => {
      ends[name] = resolve
    })
    log.push(`${name} ends`)
  }
  return { log, work, end: (name: string) => ends[name]?.() }
}

test('work under one name takes turns, and who asks while a run waits shares it', async () => {
  const { log, work, end } = controlled()
  const inTurn = createTurns()
  const first = inTurn('ann', work('first'))
  const second = inTurn('ann', work('second'))
  const shared = inTurn('ann', work('third'))
  const other = inTurn('bob', work('other'))
  expect(log).toEqual(['first begins', 'other begins'])
  end('other')
  await other
  end('first')
  await first
  await Promise.resolve()
  expect(log.at(-1)).toBe('second begins')
  // The run under way has looked already: this is another.
  const fourth = inTurn('ann', work('fourth'))
  end('second')
  await Promise.all([second, shared])
  await Promise.resolve()
  end('fourth')
  await fourth
  expect(log.filter(line => line.startsWith('third'))).toEqual([])
  expect(log.slice(-3)).toEqual(['second ends', 'fourth begins', 'fourth ends'])
})

test('a run that fails fails for who asked for it, and the next goes on', async () => {
  const inTurn = createTurns()
  const fails = inTurn('ann', async () => {
    throw new Error('no')
  })
  const next = inTurn('ann', async () => {})
  await expect(fails).rejects.toThrow('no')
  await next
})
