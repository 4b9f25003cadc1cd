import type { Page } from '@playwright/test'
import { embed, startSchoolSite } from './support/embed.ts'
import { expect } from './support/lectern.ts'
import { makeRoom, test } from './support/room.ts'

/* The room in a frame on another site, which hears how it goes. */

const { port } = await startSchoolSite()
const origin = `http://127.0.0.1:${port}`
/** The same server under another name, which the operator has not named. */
const stranger = `http://elsewhere.localhost:${port}`

test.use({ environment: { LECTERN_EMBED_ORIGINS: `${origin},https://other.example` } })

const heardBy = (page: Page) =>
  page.evaluate(() => (window as unknown as { heard: { data: unknown; origin: string }[] }).heard)

test('a guest takes part in a frame, and the page around it is told', async ({ lectern, page }) => {
  const { link, spaceId, roomId, alias } = await makeRoom(lectern)
  const room = await embed(page, origin, await link('Grace'), 'camera; microphone; display-capture')
  await expect(room.locator('video')).toBeVisible()
  await room.getByRole('button', { name: 'Join' }).click()
  await expect(room.getByRole('button', { name: 'Leave' })).toBeVisible()
  await expect
    .poll(() => heardBy(page))
    .toEqual([{ data: { type: 'lectern:joined', alias, participantId: expect.any(String) }, origin: lectern.url }])
  await expect(room.getByRole('figure', { name: 'Grace (you)' }).locator('video')).toBeVisible()

  await lectern.operator.endCall({ spaceId, roomId })
  await expect(room.getByRole('heading', { name: 'The call has ended' })).toBeVisible()
  expect((await heardBy(page)).slice(1).map(({ data }) => data)).toEqual([
    { type: 'lectern:left', alias },
    { type: 'lectern:call_finished', alias },
    'ld_finish_call',
  ])
})

test('a page that keeps the camera to itself', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  const room = await embed(page, origin, await link('Grace'), '')
  await expect(room.getByText('The site that embeds this room blocks the camera and microphone.')).toBeVisible()
  await expect(room.getByRole('button', { name: 'Join' })).toBeEnabled()
})

test('a site the operator has not named shows no room', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  const room = await embed(page, stranger, await link('Grace'), 'camera; microphone')
  await expect(room.getByRole('button', { name: 'Join' })).toHaveCount(0)
  expect(page.frames()[1]?.url()).toMatch(/^chrome-error:/)
})
