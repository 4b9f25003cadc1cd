import { AudioFrame, type Room } from '@livekit/rtc-node'
import type { Page } from '@playwright/test'
import { DESKTOP, expect, PHONE } from './support/lectern.ts'
import { enterAsGuest, publishMicrophone } from './support/participant.ts'
import { control, join, makeRoom, signIn, test, tile, withDevicesOff } from './support/room.ts'

/** The one picture that is clearly larger than all others, if there is one. */
const large = (page: Page) =>
  page.evaluate(() => {
    const figures = [...document.querySelectorAll('figure')].map(figure => {
      const { width, height } = figure.getBoundingClientRect()
      return { name: figure.getAttribute('aria-label'), area: width * height }
    })
    const [first, second] = figures.sort((a, b) => b.area - a.area)
    return first && first.area > 2 * (second?.area ?? 0) ? first.name : null
  })

/** A tone, until it is told to stop. */
const speak = async (room: Room) => {
  const source = await publishMicrophone(room)
  const samples = Int16Array.from({ length: 4800 }, (_, n) => 12_000 * Math.sin((2 * Math.PI * 440 * n) / 48_000))
  const tone = new AudioFrame(samples, 48_000, 1, samples.length)
  const timer = setInterval(() => {
    // Not each after the one before: of a queue that was full for a while, one may never be heard of again.
    if (source.queuedDuration < 200) source.captureFrame(tone).catch(() => {})
  }, 50)
  return () => clearInterval(timer)
}

test('many are shown page by page, one can be pinned, and who speaks comes to the front', { tag: '@long' }, async ({
  lectern,
  person,
}) => {
  const { address, spaceId, roomId } = await makeRoom(lectern)
  const { page, complaints } = await person({ viewport: PHONE })
  await withDevicesOff(page)
  await signIn(page, lectern)
  await join(page, address)
  const guests = new Map<string, Room>()
  for (let n = 1; n <= 12; n++) {
    const name = `Guest ${n}`
    guests.set(name, (await enterAsGuest(lectern, { api: lectern.operator }, { spaceId, roomId }, name)).room)
  }

  // On a phone ten of the thirteen can still be told apart.
  const figures = page.getByRole('figure')
  await expect(page.getByText('1 of 2')).toBeVisible()
  await expect(figures).toHaveCount(10)
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText('2 of 2')).toBeVisible()
  await expect(figures).toHaveCount(3)
  await expect(page.getByRole('button', { name: 'Next page' })).toBeDisabled()

  // A desktop has room for all.
  await page.setViewportSize(DESKTOP)
  await expect(figures).toHaveCount(13)
  await expect(page.getByRole('button', { name: 'Next page' })).toHaveCount(0)
  expect(await large(page)).toBeNull()

  await tile(page, 'Guest 3').hover()
  await tile(page, 'Guest 3').getByRole('button', { name: 'Pin', exact: true }).click()
  await expect.poll(() => large(page)).toBe('Guest 3')
  await tile(page, 'Guest 3').getByRole('button', { name: 'Unpin' }).click()
  await expect.poll(() => large(page)).toBeNull()

  await page.keyboard.press('g')
  await expect.poll(() => large(page)).not.toBeNull()
  for (const name of ['Guest 5', 'Guest 8']) {
    const beQuiet = await speak(guests.get(name) as Room)
    await expect.poll(() => large(page)).toBe(name)
    beQuiet()
  }
  // Who leaves is not shown any longer, also from the front.
  await guests.get('Guest 8')?.disconnect()
  await expect(tile(page, 'Guest 8')).toHaveCount(0)
  await expect.poll(() => large(page)).not.toBeNull()
  await page.keyboard.press('g')
  await expect.poll(() => large(page)).toBeNull()
  await expect(control(page, 'Leave')).toBeVisible()
  for (const room of guests.values()) await room.disconnect()
  expect(complaints()).toEqual([])
})
