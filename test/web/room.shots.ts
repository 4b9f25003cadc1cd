import { expect } from './support/lectern.ts'
import { control, expectSeen, join, makeRoom, signIn, test, withoutDevices } from './support/room.ts'
import { shoot } from './support/shots.ts'

test('at the door', async ({ lectern, page }) => {
  const { link, address } = await makeRoom(lectern, { name: 'Algebra, first lesson' })
  const ready = page.getByRole('button', { name: 'Join' })
  await page.goto(await link())
  await expect(ready).toBeVisible()
  await expect(page.locator('video')).toBeVisible()
  await shoot(page, 'room-lobby')

  await page.goto(`${address}?accessToken=cut`)
  await expect(page.getByRole('heading', { level: 1, name: 'This link doesn’t work' })).toBeVisible()
  await shoot(page, 'room-link-unknown')

  await page.context().clearCookies()
  await page.evaluate(() => [localStorage.clear(), sessionStorage.clear()])
  await page.goto(address)
  await expect(page.getByRole('heading', { name: 'This room is private' })).toBeVisible()
  await shoot(page, 'room-private')

  const used = await link('Grace')
  const accessToken = new URL(used).searchParams.get('accessToken') ?? ''
  await lectern.operator.redeemAccess({ accessToken })
  await page.goto(used)
  await expect(page.getByRole('heading', { name: 'This link has already been used' })).toBeVisible()
  await shoot(page, 'room-link-used')

  await page.route('**/readyz', route => route.fulfill({ json: { media: 'preparing', mediaPercent: 40 } }))
  await page.goto(await link('Grace'))
  await expect(page.getByText('The video service is being set up: 40%.')).toBeVisible()
  await shoot(page, 'room-preparing')
  await page.route('**/readyz', route => route.fulfill({ json: { media: 'failed' } }))
  await page.goto(await link('Grace'))
  await expect(page.getByRole('heading', { name: 'Video is unavailable' })).toBeVisible()
  await shoot(page, 'room-engine-failed')
})

test('no camera', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  await withoutDevices(page, 'NotAllowedError')
  await page.goto(await link('Grace Hopper'))
  await expect(page.getByText('Camera and microphone access is blocked.')).toBeVisible()
  await shoot(page, 'room-lobby-no-camera')
})

test('in a lesson', async ({ lectern, person, page }) => {
  const { link, address } = await makeRoom(lectern, { name: 'Algebra, first lesson' })
  await signIn(page, lectern)
  await join(page, address)
  await expect(page.getByText('You’re the only one here.')).toBeVisible()
  await shoot(page, 'room-alone')

  const grace = await person()
  const mary = await person()
  await join(grace.page, await link('Grace Hopper'))
  await join(mary.page, await link('Mary Somerville'))
  await expectSeen(page, 'Grace Hopper')
  await expectSeen(page, 'Mary Somerville')
  await control(mary.page, 'Camera').click()
  await control(mary.page, 'Hand').click()
  await expect(page.getByText('Mary Somerville raised their hand.')).toBeVisible()
  await shoot(page, 'room-lesson')

  await control(page, 'People').click()
  await expect(page.getByRole('complementary', { name: /^People/ })).toBeVisible()
  await shoot(page, 'room-people')

  await control(grace.page, 'Chat').click()
  for (const text of ['Good evening!', 'Is the homework due on Friday?']) {
    await grace.page.getByLabel('Send a message').fill(text)
    await grace.page.keyboard.press('Enter')
    await expect(grace.page.getByText(text)).toBeVisible()
  }
  await page.keyboard.press('c')
  await expect(page.getByText('Is the homework due on Friday?')).toBeVisible()
  await shoot(page, 'room-chat')

  // While one writes, a letter is a letter.
  await control(page, 'Chat').click()
  await control(grace.page, 'Share').click()
  await expect(page.getByRole('figure', { name: 'Grace Hopper’s screen' })).toBeVisible()
  await shoot(page, 'room-screen')

  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toBeVisible()
  await shoot(page, 'room-shortcuts')
  await page.keyboard.press('Escape')

  await control(page, 'Leave').click()
  await page.getByRole('menuitem', { name: 'End for all' }).click()
  await shoot(page, 'room-end')
  await page.getByRole('dialog').getByRole('button', { name: 'End for all' }).click()
  await expect(grace.page.getByRole('heading', { name: 'The call has ended' })).toBeVisible()
  await shoot(grace.page, 'room-ended')
})

test('in a webinar', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern, { type: 'webinar', name: 'Open day' })
  await join(page, await link('Grace Hopper'))
  await expect(page.getByText('Waiting for a moderator')).toBeVisible()
  await shoot(page, 'room-waiting')
  await control(page, 'Leave').click()
  await expect(page.getByRole('heading', { name: 'You left the call' })).toBeVisible()
  await shoot(page, 'room-left')
})
