import { looks, withDrawnPerson } from './support/footage.ts'
import { expect } from './support/lectern.ts'
import { control, expectSeen, join, makeRoom, signIn, test } from './support/room.ts'
import { shoot, shootDialog } from './support/shots.ts'

/* How the person is seen and heard, and the host's view of what comes after. */

test('self-view, devices and the end', async ({ lectern, person, page }) => {
  const { link, address } = await makeRoom(lectern, { name: 'Algebra, first lesson' })
  await withDrawnPerson(page.context(), looks.teacher)
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'hardwareConcurrency', { value: 8 })
    const open = OffscreenCanvas.prototype.getContext as (kind: string, options?: object) => unknown
    OffscreenCanvas.prototype.getContext = function (this: OffscreenCanvas, kind: string, options?: object) {
      return open.call(this, kind, { ...options, failIfMajorPerformanceCaveat: false })
    } as never
  })
  await signIn(page, lectern)
  await page.goto(address)
  await page.getByRole('radio', { name: 'Hills' }).check({ force: true })
  await expect(page.getByRole('group', { name: 'Background' })).toHaveAttribute('aria-busy', 'false', {
    timeout: 120_000,
  })
  await shoot(page, 'room-lobby-background')
  await join(page, address)
  await shoot(page, 'room-alone')
  const grace = await person()
  await withDrawnPerson(grace.page.context(), looks.grace)
  await join(grace.page, await link('Grace Hopper'))
  await expectSeen(page, 'Grace Hopper')
  await control(page, 'More').click()
  await shoot(page, 'room-more')
  await page.getByRole('menuitem', { name: 'Float self-view' }).click()
  await shoot(page, 'room-floating')
  await page.getByRole('figure', { name: 'Grace Hopper' }).getByRole('button', { name: 'Pin', exact: true }).click()
  await shoot(page, 'room-pinned')
  await control(page, 'More').click()
  await page.getByRole('menuitem', { name: 'Devices' }).click()
  await expect(page.getByRole('img', { name: 'How others see you' })).toBeVisible()
  await shootDialog(page, 'room-devices')
  const preview = page.getByRole('img', { name: 'How others see you' })
  /** Above the person's shoulder. */
  const corner = () =>
    preview.evaluate((video: HTMLVideoElement) => {
      const canvas = document.createElement('canvas')
      canvas.width = canvas.height = 8
      const pen = canvas.getContext('2d') as CanvasRenderingContext2D
      pen.drawImage(video, 0, 0, 8, 8)
      return pen.getImageData(7, 7, 1, 1).data.join()
    })
  const wall = await corner()
  await page.getByRole('radio', { name: 'Hills' }).check({ force: true })
  // In software, a picture takes seconds.
  await expect.poll(corner, { timeout: 120_000 }).not.toBe(wall)
  await shootDialog(page, 'room-background')
  await page.keyboard.press('Escape')
  await control(page, 'Leave').click()
  await page.getByRole('menuitem', { name: 'End for all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End for all' }).click()
  await expect(page.getByRole('link', { name: 'Attendance and chat' })).toBeVisible()
  await shoot(page, 'room-ended-host')
  await shoot(grace.page, 'room-ended')
})
