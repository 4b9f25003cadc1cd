import type { Page } from '@playwright/test'
import { expect, expectAccessible } from './support/lectern.ts'
import { control, expectHeard, expectIn, makeRoom, signIn, test, withDevicesOff } from './support/room.ts'

/* One account on two devices. Guests are in room.call.spec.ts. */

/** Of what the page plays, as it is set. */
const loudnessOf = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll('audio')].map(({ volume }) => volume))

test('who is in the call already may join here too, without sound until asked for, or switch', {
  tag: '@long',
}, async ({ lectern, person }) => {
  const { address } = await makeRoom(lectern)
  const come = async () => {
    const { page, complaints } = await person()
    await withDevicesOff(page, 'camera')
    await signIn(page, lectern)
    await page.goto(address)
    await page.getByRole('button', { name: 'Join' }).click()
    return { page, complaints }
  }
  const laptop = await come()
  await expectIn(laptop.page)
  const phone = await come()
  const { page } = phone
  await expect(page.getByRole('alert')).toHaveText(/already in this call/)
  await expect(page.getByRole('button', { name: 'Switch here' })).toBeFocused()
  await expectAccessible(page)

  await test.step('beside the other', async () => {
    await page.getByRole('button', { name: 'Join here too' }).click()
    await expectIn(page)
    await expect(control(page, 'Mic')).toHaveAttribute('aria-pressed', 'false')
    await expect(control(laptop.page, 'Mic')).toHaveAttribute('aria-pressed', 'true')
    await expect(page.getByText('Sound is off here')).toBeVisible()
    await expect.poll(() => loudnessOf(page)).toEqual([0])
  })
  await test.step('after a reload it is not asked again, and still silent', async () => {
    await page.reload()
    await page.getByRole('button', { name: 'Join' }).click()
    await expectIn(page)
    await expect(control(page, 'Mic')).toHaveAttribute('aria-pressed', 'false')
    await page.getByRole('button', { name: 'Turn on sound' }).click()
    await expectHeard(page)
    await expect(page.getByText('Sound is off here')).toBeHidden()
    expect(await loudnessOf(page)).toEqual([1])
    await expect(laptop.page.getByRole('figure')).toHaveCount(2)
  })
  await test.step('instead of both', async () => {
    const tablet = await come()
    await tablet.page.getByRole('button', { name: 'Switch here' }).click()
    await expectIn(tablet.page)
    for (const other of [laptop, phone])
      await expect(other.page.getByRole('heading', { name: 'You joined from another tab or device' })).toBeVisible()
    await expect(tablet.page.getByRole('figure')).toHaveCount(1)
    expect([laptop, phone, tablet].flatMap(({ complaints }) => complaints())).toEqual([])
  })
})
