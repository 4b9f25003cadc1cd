import { expect, killEngine } from './support/lectern.ts'
import { copyOfTab, expectIn, expectSeen, join, makeRoom, test, tile, withDevicesOff } from './support/room.ts'

/* What goes wrong during a call. How one goes is in lesson.spec.ts and webinar.spec.ts. */

test('the same tab twice, a copied tab, a deleted room', { tag: '@long' }, async ({ lectern, person }) => {
  const { link, spaceId, roomId } = await makeRoom(lectern)
  const guestLink = await link('Grace')
  const elsewhere = 'You joined from another tab or device'
  const first = await person()
  await withDevicesOff(first.page)
  await join(first.page, guestLink)

  await test.step('a copied tab takes over, and gives back', async () => {
    const copy = await copyOfTab(first.page, { hasLocks: true })
    await copy.goto(guestLink)
    await copy.getByRole('button', { name: 'Join' }).click()
    await expect(copy.getByRole('alert')).toHaveText(/already in this call/)
    await expect(copy.getByRole('button', { name: 'Join here too' })).toHaveCount(0)
    await copy.getByRole('button', { name: 'Switch here' }).click()
    await expectIn(copy)
    await expect(first.page.getByRole('heading', { name: elsewhere })).toBeVisible()
    await first.page.getByRole('button', { name: 'Switch here' }).click()
    await expectIn(first.page)
    await expect(copy.getByRole('heading', { name: elsewhere })).toBeVisible()
    await copy.close()
  })
  await test.step('where tabs cannot be told apart, the later one goes on', async () => {
    const twin = await copyOfTab(first.page, { hasLocks: false })
    await join(twin, guestLink)
    await expect(first.page.getByRole('heading', { name: elsewhere })).toBeVisible()
    await twin.close()
    await first.page.getByRole('button', { name: 'Switch here' }).click()
    await expectIn(first.page)
  })
  await test.step('a deleted room', async () => {
    await lectern.operator.deleteRoom({ spaceId, roomId })
    await expect(first.page.getByRole('heading', { name: 'The room was deleted' })).toBeVisible()
    await first.page.reload()
    await expect(first.page.getByRole('heading', { name: 'Room not found' })).toBeVisible()
  })
  expect(first.complaints()).toEqual([])
})

test('after a restart of the engine everyone is back in by themselves', { tag: '@long' }, async ({
  lectern,
  person,
}) => {
  const { link } = await makeRoom(lectern)
  const teacher = await person()
  const pupil = await person()
  await withDevicesOff(teacher.page)
  await withDevicesOff(pupil.page, 'microphone')
  await join(teacher.page, await link('Ada', { role: 'moderator' }))
  await join(pupil.page, await link('Grace'))
  await expectSeen(teacher.page, 'Grace')
  await pupil.page.evaluate(() => {
    const says = (text: string) => document.body.textContent.includes(text)
    new MutationObserver(() => {
      if (says('Connection lost') && says('the only one here')) document.body.dataset.claimedAlone = 'true'
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
  killEngine(lectern)
  await expect(pupil.page.getByText(/^Connection lost/)).toBeVisible()
  await expect(pupil.page.getByText(/^Connection lost/)).toBeHidden({ timeout: 45_000 })
  await expect(tile(teacher.page, 'Grace').locator('video')).toBeVisible({ timeout: 45_000 })
  // Who the others are was not known meanwhile.
  await expect(pupil.page.locator('body')).not.toHaveAttribute('data-claimed-alone')
  await expectSeen(teacher.page, 'Grace')
})
