import type { Page } from '@playwright/test'
import { expectFit } from './support/fit.ts'
import { expect, expectAccessible, PHONE, showIn } from './support/lectern.ts'
import { expectIn, heading, join, makeRoom, openHostPanel, signIn, test, withDevicesOff } from './support/room.ts'
import { streamsIn } from './support/streams.ts'

/* What people see of live streams. No browser captures here: what the service would write down is written down by hand. */

test.use({ environment: { LECTERN_CHROMIUM: '/nowhere', LECTERN_ALLOW_PRIVATE_WEBHOOKS: '0' } })

const video = (page: Page) => page.locator('video')
const timeOf = (page: Page) => video(page).evaluate((at: HTMLVideoElement) => at.currentTime)
const expectPlaying = async (page: Page) => {
  await expect(video(page)).toBeVisible()
  await expect.poll(() => timeOf(page)).toBeGreaterThan(0)
}

/** A guest link leads to the live page as it does to the room. */
const livePage = (link: string) => link.replace('?', '/live?')

/** As browsers do it by default: nothing is heard before somebody has clicked. */
const withoutAutoplay = (page: Page) =>
  page.addInitScript(() => {
    const { play } = HTMLMediaElement.prototype
    let wasClicked = false
    addEventListener('pointerdown', () => {
      wasClicked = true
    })
    HTMLMediaElement.prototype.play = async function (this: HTMLMediaElement) {
      if (!wasClicked) throw new DOMException('not yet', 'NotAllowedError')
      return play.call(this)
    }
  })

test('a moderator streams, and everyone is told', async ({ lectern, person, page }) => {
  const room = await makeRoom(lectern)
  const streams = streamsIn(lectern, room)
  await withDevicesOff(page)
  await signIn(page, lectern)
  await join(page, room.address)
  const grace = await person()
  await withDevicesOff(grace.page)
  await join(grace.page, await room.link('Grace Hopper'))
  const header = (of: Page) => of.locator('header')

  const panel = await openHostPanel(page)
  await panel.getByRole('button', { name: 'Start live stream' }).click()
  const dialog = page.getByRole('dialog', { name: 'Stream this call live?' })
  const url = dialog.getByLabel('RTMP address (optional)')
  await expect(url).toHaveAttribute('type', 'password')
  await expectAccessible(page)
  const start = (address: string) =>
    url.fill(address).then(() => dialog.getByRole('button', { name: 'Start live stream' }).click())
  await start('https://live.example.com/app/key')
  await expect(dialog.getByText('Enter an address such as rtmps://live.example.com/')).toBeVisible()
  await start('rtmp://127.0.0.1/app/key')
  await expect(dialog.getByText('not reachable from the internet')).toBeVisible()
  await start('rtmps://live.example.com/app/key')
  await expect(dialog.getByText('Live streaming is not set up on this server.')).toBeVisible()
  await page.keyboard.press('Escape')
  await panel.getByRole('button', { name: 'Start live stream' }).click()
  // The key is not kept.
  await expect(url).toHaveValue('')
  await page.keyboard.press('Escape')

  const id = await streams.start({ targetHost: 'live.example.com', targetState: 'connecting' })
  await expect(header(page).getByText('Live stream is starting…')).toBeVisible()
  await expect(panel.getByText('Connecting to live.example.com…')).toBeVisible()
  await streams.change(id, { startedAt: Date.now() - 65_000, targetState: 'live' })
  for (const someone of [page, grace.page]) {
    await expect(someone.getByText('The live stream has started.')).toBeVisible()
    await expect(header(someone).getByText('Live', { exact: true })).toBeVisible()
  }
  await expect(panel.getByText(/^01:\d\d · 0 viewers$/)).toBeVisible()
  await expect(panel.getByText('Also streaming to live.example.com')).toBeVisible()
  await expect(panel.getByRole('textbox', { name: 'Live page' })).toHaveValue(`${room.address}/live`)
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'Guest link to the live page' }).click()
  const inviting = page.getByRole('dialog', { name: 'Guest link to the live page' })
  await inviting.getByRole('button', { name: 'For a group' }).click()
  const toWatch = await inviting.getByRole('textbox', { name: 'Link for a group' }).inputValue()
  expect(toWatch).toMatch(`${room.address}/live?`)
  await page.keyboard.press('Escape')
  await streams.change(id, { targetState: 'failed' })
  await expect(page.getByText('Couldn’t stream to live.example.com.').first()).toBeVisible()
  await expect(grace.page.getByText('Couldn’t stream to')).toHaveCount(0)

  // Before somebody else joins, who may watch instead.
  const late = await person({ viewport: PHONE })
  await late.page.goto(await room.link('Ada Lovelace'))
  await expect(late.page.getByText('This call is streamed live.')).toBeVisible()
  await expectAccessible(late.page)
  await late.page.getByRole('link', { name: 'Watch without joining' }).click()
  await expect(late.page).toHaveURL(`${room.address}/live`)
  await expect(late.page.getByRole('button', { name: 'Watch' })).toBeVisible()
  // By a link that leads there.
  await late.page.goto(toWatch)
  await late.page.getByRole('textbox', { name: 'Your name' }).fill('Ada Lovelace')
  await expect(late.page.getByRole('button', { name: 'Watch' })).toBeVisible()

  await panel.getByRole('button', { name: 'Stop live stream' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop live stream' }).click()
  for (const someone of [page, grace.page]) {
    await expect(someone.getByText('The live stream has ended.')).toBeVisible()
    await expect(header(someone).getByText('Live', { exact: true })).toHaveCount(0)
  }
  for (const someone of [grace, late]) expect(someone.complaints()).toEqual([])
})

test('viewers wait for a live stream, watch it, and see its end', { tag: '@long' }, async ({ lectern, person }) => {
  const room = await makeRoom(lectern)
  const streams = streamsIn(lectern, room)
  const host = await person()
  await withDevicesOff(host.page)
  await join(host.page, await room.link('Ada Lovelace', { role: 'moderator' }))
  const { page, complaints } = await person()
  const link = await room.link(undefined, { isPermanent: true })
  await page.goto(livePage(link))
  expect(page.url()).toBe(`${room.address}/live`)
  await page.getByRole('button', { name: 'Watch' }).click()
  await expect(page.getByText('Enter your name')).toBeVisible()
  await page.getByLabel('Your name').fill('Grace Hopper')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Watch' }).click()
  await expect(page.getByText('The live stream hasn’t started')).toBeVisible()
  await expectAccessible(page)

  const id = await streams.start()
  await streams.goLive(id, 20)
  await expectPlaying(page)
  await expect(heading(page, 'Algebra')).toBeVisible()
  for (const scheme of ['light', 'dark'] as const) {
    await showIn(page, scheme)
    await expectAccessible(page)
  }
  const panel = await openHostPanel(host.page)
  await expect(panel.getByText(/ · 1 viewer$/)).toBeVisible()
  // Who watches is no participant.
  await expect(panel.getByRole('heading', { name: 'People (1)' })).toBeVisible()

  await page.keyboard.press('k')
  await expect(page.getByText('Paused')).toBeVisible()
  await streams.goLive(id, 30)
  await expect(page.getByRole('button', { name: 'Back to live' })).toBeVisible()
  await page.keyboard.press('m')
  await expect(video(page)).toHaveJSProperty('muted', true)
  await page.getByRole('button', { name: 'Unmute' }).click()
  await expect(video(page)).toHaveJSProperty('muted', false)
  await page.getByRole('slider', { name: 'Volume' }).fill('0.5')
  await expect(video(page)).toHaveJSProperty('volume', 0.5)
  await page.getByRole('button', { name: 'Back to live' }).click()
  await expect(video(page)).toHaveJSProperty('paused', false)
  await page.getByRole('button', { name: 'Full screen' }).click()
  await expect(page.getByRole('button', { name: 'Exit full screen' })).toBeVisible()
  await page.getByRole('button', { name: 'Exit full screen' }).click()
  await page.setViewportSize(PHONE)
  await expectFit(page)
  await expectAccessible(page)
  await page.context().setOffline(true)
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeVisible()
  await page.context().setOffline(false)
  await expect(page.getByText('Connection lost. Reconnecting…')).toHaveCount(0)

  // A reload needs no link, and into the call it is one step.
  await page.reload()
  await expectPlaying(page)
  await streams.end(id)
  await expect(page.getByText('The live stream has ended')).toBeVisible()
  await streams.goLive(await streams.start(), 20)
  await expectPlaying(page)
  await page.getByRole('link', { name: 'Join the call' }).click()
  await expect(page.getByLabel('Your name')).toHaveValue('Grace Hopper')
  await page.getByRole('button', { name: 'Join' }).click()
  await expectIn(page)
  expect(complaints().filter(complaint => !complaint.endsWith('net::ERR_INTERNET_DISCONNECTED'))).toEqual([])
})

test('who may not join may not watch, and no longer once that is so', { tag: '@long' }, async ({
  lectern,
  person,
  page,
}) => {
  const room = await makeRoom(lectern)
  const at = { spaceId: room.spaceId, roomId: room.roomId }
  const streams = streamsIn(lectern, at)
  await page.goto(`${room.address}/live`)
  await expect(heading(page, 'This room is private')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Sign in' })).toHaveAttribute(
    'href',
    `/sign-in?next=${encodeURIComponent(`/room/${room.alias}/live`)}`,
  )
  await withoutAutoplay(page)
  await signIn(page, lectern)
  await page.goto(`${room.address}/live`)
  await expect(page.getByText('The live stream hasn’t started')).toBeVisible()

  const host = await person()
  await withDevicesOff(host.page)
  await join(host.page, await room.link('Ada Lovelace', { role: 'moderator' }))
  const grace = await person()
  await grace.page.goto(livePage(await room.link('Grace Hopper')))
  await grace.page.getByRole('button', { name: 'Watch' }).click()
  await streams.goLive(await streams.start(), 20)
  await expectPlaying(grace.page)
  await expect(page.getByRole('button', { name: 'Play' })).toHaveCount(2)
  await page.getByRole('button', { name: 'Play' }).first().click()
  await expectPlaying(page)
  const { items } = await lectern.operator.listLinks(at)
  const link = items.find(({ username }) => username === 'Grace Hopper')
  await lectern.operator.revokeLink({ ...at, linkId: link?.id ?? '' })
  await expect(heading(grace.page, 'Your access has ended')).toBeVisible({ timeout: 60_000 })
  await expect(video(grace.page)).toHaveCount(0)
  await expectAccessible(grace.page)
  await lectern.operator.updateRoom({ ...at, waitingRoomAudience: 'everyone' })
  const alan = await person()
  await alan.page.goto(livePage(await room.link('Alan Turing')))
  await alan.page.getByRole('button', { name: 'Watch' }).click()
  await expect(heading(alan.page, 'A moderator has to let you in')).toBeVisible()
  await alan.page.getByRole('link', { name: 'Join the call' }).click()
  await expect(alan.page.getByRole('button', { name: 'Join' })).toBeVisible()
})
