import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createGroups } from '../../../server/store/groups.ts'

test('however many come, they are handled in groups, two at once, each once and in order', async () => {
  const groups: number[][] = []
  let underWay = 0
  let most = 0
  const all = Promise.withResolvers<void>()
  const join = createGroups<number>(async group => {
    groups.push(group)
    most = Math.max(most, ++underWay)
    await wait(1)
    underWay--
    if (groups.flat().length === 200) all.resolve()
  })
  for (let n = 0; n < 200; n++) join(n)
  await all.promise
  expect(groups.flat()).toEqual(Array.from({ length: 200 }, (_, n) => n))
  expect(groups.length).toBe(7)
  expect(most).toBe(2)
})
