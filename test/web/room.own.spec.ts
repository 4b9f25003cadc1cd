import type { Page } from '@playwright/test'
import { expect, expectAccessible } from './support/lectern.ts'
import { control, expectSeen, join, makeRoom, signIn, test, tile, withDevicesOff } from './support/room.ts'

/* How the person is seen and heard, and how they see themselves. */

const choose = async (page: Page, item: string) => {
  await control(page, 'More').click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

test('cameras are chosen before and in the call, and devices are tried', async ({ lectern, page }) => {
  const { address } = await makeRoom(lectern)
  const asked: MediaTrackConstraints[] = []
  await page.exposeFunction('noteAudio', (audio: MediaTrackConstraints) => asked.push(audio))
  await page.addInitScript(() => {
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
    navigator.mediaDevices.getUserMedia = constraints => {
      if (typeof constraints?.audio === 'object')
        (window as unknown as { noteAudio: (audio: unknown) => void }).noteAudio(constraints.audio)
      return open(constraints)
    }
  })
  const device = () =>
    // The dialog shows it too.
    page
      .locator('video')
      .last()
      .evaluate((video: HTMLVideoElement) => {
        const [track] = video.srcObject instanceof MediaStream ? video.srcObject.getVideoTracks() : []
        return track?.label
      })
  await signIn(page, lectern)
  await page.goto(address)
  const camera = page.getByRole('combobox', { name: 'Camera' })
  await expect(camera.getByRole('option')).toHaveCount(2)
  await camera.selectOption('fake_device_1')
  await expect.poll(device).toBe('fake_device_1')
  await expect.poll(() => page.getByRole('meter').evaluate((meter: HTMLMeterElement) => meter.value)).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Join' }).click()
  await expectSeen(page, 'operator (you)')
  expect(await device()).toBe('fake_device_1')

  await choose(page, 'Devices')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('img', { name: 'How others see you' })).toBeVisible()
  await expect(dialog.getByLabel('Camera').locator('option:checked')).toHaveText('fake_device_1')
  await dialog.getByLabel('Camera').selectOption('fake_device_0')
  await expect.poll(device).toBe('fake_device_0')
  await expectAccessible(page)
  await expect
    .poll(() => dialog.getByLabel('Microphone level').evaluate(meter => (meter as HTMLMeterElement).value))
    .toBeGreaterThan(0.1)
  await dialog.getByLabel('Noise suppression').click()
  await expect.poll(() => asked.at(-1)).toMatchObject({ noiseSuppression: false, echoCancellation: true })
  await dialog.getByRole('button', { name: 'Test speaker' }).click()
  await expect(dialog.getByRole('button', { name: 'Playing a sound…' })).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Test speaker' })).toBeVisible()
  // Drawn in software, backgrounds would take all of the machine.
  await expect(dialog.getByRole('group', { name: 'Background' })).toHaveCount(0)
  await page.keyboard.press('Escape')
})

test('the self-view is moved and hidden, and others are fitted and taken out of the page', { tag: '@long' }, async ({
  lectern,
  person,
  page,
}) => {
  const { link, address } = await makeRoom(lectern)
  await signIn(page, lectern)
  await join(page, address)
  const grace = await person()
  await withDevicesOff(grace.page, 'microphone')
  await join(grace.page, await link('Grace'))
  await expectSeen(page, 'Grace')

  await choose(page, 'Float self-view')
  const own = tile(page, 'operator (you)')
  const before = await own.boundingBox()
  const move = own.getByRole('button', { name: 'Move self-view with the arrow keys' })
  await move.focus()
  for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowLeft')
  const moved = await own.boundingBox()
  expect(moved?.x).toBeLessThan((before?.x ?? 0) - 100)
  expect(moved?.y).toBe(before?.y)
  await own.hover()
  await page.mouse.down()
  await page.mouse.move(60, 120, { steps: 4 })
  await page.mouse.up()
  await expect.poll(async () => (await own.boundingBox())?.x).toBeLessThan(60)
  await own.getByRole('button', { name: 'Hide self-view' }).click()
  await expect(own).toHaveCount(0)
  await choose(page, 'Self-view in the grid')
  await expect(own).toBeVisible()

  await choose(page, 'Fit video to tiles')
  await expect(tile(page, 'Grace').locator('video')).toHaveCSS('object-fit', 'contain')

  const opened = page.evaluate(
    () =>
      new Promise(resolve => {
        const open = HTMLVideoElement.prototype.requestPictureInPicture
        HTMLVideoElement.prototype.requestPictureInPicture = function () {
          const window = open.call(this)
          window.then(({ width }) => resolve(width), resolve)
          return window
        }
      }),
  )
  await tile(page, 'Grace').hover()
  await tile(page, 'Grace').getByRole('button', { name: 'Picture-in-picture' }).click()
  expect(await opened).toBeGreaterThan(0)
})

test('the background is blurred by what Lectern itself serves', { tag: '@long' }, async ({ lectern, person }) => {
  const { link } = await makeRoom(lectern)
  const { page, complaints } = await person()
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'hardwareConcurrency', { value: 8 })
    const open = OffscreenCanvas.prototype.getContext as (kind: string, options?: object) => unknown
    OffscreenCanvas.prototype.getContext = function (this: OffscreenCanvas, kind: string, options?: object) {
      return open.call(this, kind, { ...options, failIfMajorPerformanceCaveat: false })
    } as never
  })
  const hosts = new Set<string>()
  const files: string[] = []
  page.on('request', request => {
    const { host, pathname } = new URL(request.url())
    if (!request.url().startsWith('blob:')) hosts.add(host)
    files.push(pathname)
  })
  // Seen before joining, too.
  await page.goto(await link('Grace'))
  const lobby = page.getByRole('group', { name: 'Background' })
  const device = () =>
    page
      .locator('video')
      .evaluate((video: HTMLVideoElement) => (video.srcObject as MediaStream).getVideoTracks()[0]?.label)
  await expect.poll(device).toContain('fake_device')
  expect(files.some(name => name.endsWith('.wasm'))).toBe(false)
  await lobby.getByRole('radio', { name: 'Blur' }).check({ force: true })
  await expect.poll(device, { timeout: 90_000 }).not.toContain('fake_device')
  await expectAccessible(page)
  await lobby.getByRole('radio', { name: 'None' }).check({ force: true })
  await expect.poll(device).toContain('fake_device')
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await choose(page, 'Devices')
  const blur = page.getByRole('radio', { name: 'Blur' })
  await blur.check({ force: true })
  await expect(page.getByRole('group', { name: 'Background' })).toHaveAttribute('aria-busy', 'false', {
    timeout: 90_000,
  })
  await expect(blur).toBeChecked()
  expect(files.some(name => name.endsWith('.wasm'))).toBe(true)
  expect(files.some(name => name.endsWith('.tflite'))).toBe(true)
  expect([...hosts]).toEqual([new URL(lectern.url).host])
  expect(complaints().filter(text => /Content Security Policy/.test(text))).toEqual([])
})
