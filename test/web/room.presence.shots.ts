import { expect } from './support/lectern.ts'
import { expectIn, makeRoom, signIn, test } from './support/room.ts'
import { shoot } from './support/shots.ts'

test('who is in the call already', async ({ lectern, person, page }) => {
  const { address } = await makeRoom(lectern, { name: 'Algebra, first lesson' })
  const laptop = await person()
  for (const at of [laptop.page, page]) {
    await signIn(at, lectern)
    await at.goto(address)
    await at.getByRole('button', { name: 'Join' }).click()
    if (at === laptop.page) await expectIn(at)
  }
  await expect(page.getByRole('button', { name: 'Switch here' })).toBeVisible()
  await shoot(page, 'room-elsewhere')
  await page.getByRole('button', { name: 'Join here too' }).click()
  await expect(page.getByRole('button', { name: 'Turn on sound' })).toBeVisible()
  await expectIn(page)
  await shoot(page, 'room-quiet')
})
