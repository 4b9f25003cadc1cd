import { expect, test } from 'vitest'
import { createPasswords } from '../../../server/identity/passwords.ts'

const cheap = { memoryCost: 8, timeCost: 1, parallelism: 1 }

test('who signs in goes before who makes accounts', async () => {
  const { hash, verify } = createPasswords(cheap)
  const known = await hash('right')
  await verify(known, 'right')
  const ended: string[] = []
  const accounts = Array.from({ length: 20 }, () => hash('new').then(() => ended.push('account')))
  const signIn = verify(known, 'right').then(() => ended.push('sign-in'))
  await Promise.all([...accounts, signIn])
  // Two were under way when it came.
  expect(ended.indexOf('sign-in')).toBeLessThan(5)
})

test('a crowd too large is told to try again, and nobody else waits for it', async () => {
  const { hash, verify } = createPasswords(cheap)
  const known = await hash('right')
  const crowd = Array.from({ length: 210 }, async () => hash('new'))
  const signIn = verify(known, 'right')
  const outcomes = await Promise.allSettled(crowd)
  const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  // Two under way, and 200 waiting.
  expect(refused.map(({ reason }) => reason.code)).toEqual(Array(8).fill('unavailable'))
  expect(await signIn).toBe(true)
})
