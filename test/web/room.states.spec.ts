import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { isLong } from '../support/long.ts'
import { newPerson, openAs } from './support/console.ts'
import { expect, expectAccessible } from './support/lectern.ts'
import {
  control,
  expectIn,
  holdSoundBack,
  join as joinRoom,
  makeRoom,
  signIn,
  test,
  tile,
  withDevicesOff,
  withoutDevices,
} from './support/room.ts'

/* Why somebody is not in the room, in words that say what to do. */

const built = join(import.meta.dirname, '../../web/dist')

const expectNotice = async (page: Page, title: string) => {
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Join' })).toHaveCount(0)
}

test('links that no longer open the room', async ({ lectern, page }) => {
  const { link, spaceId, roomId, address } = await makeRoom(lectern)
  const { operator } = lectern

  await page.goto(`${address}?accessToken=cut`)
  await expectNotice(page, 'This link doesn’t work')
  await page.goto(address)
  await expectNotice(page, 'This room is private')

  const revoked = await link('Grace')
  const [newest] = (await operator.listLinks({ spaceId, roomId })).items
  await operator.revokeLink({ spaceId, roomId, linkId: newest?.id ?? '' })
  await page.goto(revoked)
  await expectNotice(page, 'This link has been revoked')

  const expired = await link('Grace', { ttl: 1 })
  const accessToken = new URL(expired).searchParams.get('accessToken') ?? ''
  await expect.poll(() => operator.inspectAccess({ accessToken }).catch(({ code }) => code)).toBe('link_expired')
  await page.goto(expired)
  await expectNotice(page, 'This link has expired')

  const gone = await link('Grace')
  await operator.deleteRoom({ spaceId, roomId })
  await page.goto(gone)
  await expectNotice(page, 'Room not found')
  await expectAccessible(page)
})

test('without a link: sign in, or ask the organiser', async ({ lectern, page }) => {
  const { operator, url } = lectern
  const closed = await makeRoom(lectern)
  await page.goto(closed.address)
  await expectNotice(page, 'This room is private')
  await expect(page.getByRole('link', { name: 'Sign in' })).toHaveAttribute(
    'href',
    `/sign-in?next=${encodeURIComponent(`/room/${closed.alias}`)}`,
  )
  await expectAccessible(page)

  const { id: spaceId } = await operator.createSpaces({ name: 'Open school', isPublic: true })
  const { alias } = await operator.createRooms({ spaceId, name: 'Open', isPublic: true })
  await page.goto(`${url}/room/${alias}`)
  await expectNotice(page, 'Sign in to join')

  // The sign-in would send straight back whoever is signed in.
  const stranger = await newPerson(lectern)
  await openAs(page, lectern, stranger, `/room/${closed.alias}`)
  await expectNotice(page, 'You don’t have access to this room')
  await expect(page.getByText(`You’re signed in as ${stranger.username}.`)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Use another account' }).click()
  await expect(page).toHaveURL(`${url}/sign-in?next=${encodeURIComponent(`/room/${closed.alias}`)}`)
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible()
})

test('while the engine is being prepared, who has asked to join is let in by themselves', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  await withDevicesOff(page)
  let media = 'downloading'
  let mediaPercent: number | null = null
  await page.route('**/readyz', route =>
    route.fulfill({ json: { status: 'ready', database: 'ready', media, mediaPercent } }),
  )
  await page.goto(await link('Grace'))
  await expect(page.getByText('The video service is being downloaded. You can press Join now.')).toBeVisible()
  media = 'preparing'
  mediaPercent = 40
  await expect(page.getByText('The video service is being set up: 40%.')).toBeVisible()
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByText('You’ll join automatically when it’s ready.')).toBeVisible()
  await expectAccessible(page)
  media = 'ready'
  await expectIn(page)
})

test('an engine that is off or failed, and a service that cannot be reached', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  await page.route('**/readyz', route => route.fulfill({ json: { media: 'failed' } }))
  await page.goto(await link('Grace'))
  await expectNotice(page, 'Video is unavailable')
  await expectAccessible(page)
  await page.unroute('**/readyz')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('button', { name: 'Join' })).toBeVisible()

  await page.route('**/v1/access/**', route => route.abort())
  await page.goto(await link('Grace'))
  await expectNotice(page, 'Can’t reach the server')
  await page.unroute('**/v1/access/**')
  // By itself.
  await expect(page.getByRole('button', { name: 'Join' })).toBeVisible()
})

test('a page whose parts are gone says to reload', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  await page.route('**/assets/Live-*.js', route => route.fulfill({ status: 404 }))
  await page.goto(await link('Grace'))
  await page.getByRole('button', { name: 'Join' }).click()
  await expectNotice(page, 'This page is out of date')
  await expectAccessible(page)
  await page.unroute('**/assets/Live-*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('button', { name: 'Join' }).click()
  await expectIn(page)
})

test('an answer that was lost does not cost the link', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  await page.route('**/v1/access/redeem', async route => {
    await route.fetch()
    await route.abort()
  })
  await page.goto(await link())
  await page.getByLabel('Your name').fill('Grace')
  await page.getByRole('button', { name: 'Join' }).click()
  await expectNotice(page, 'Can’t reach the server')
  await page.unroute('**/v1/access/redeem')
  await expect(page.getByLabel('Your name')).toHaveValue('Grace')
  await page.getByRole('button', { name: 'Join' }).click()
  await expectIn(page)
})

test('a guest who returns sees that names can’t be changed, also when that is decided meanwhile', async ({
  lectern,
  page,
}) => {
  const { link, spaceId, roomId } = await makeRoom(lectern)
  const allow = (isSelfRenamingAllowed: boolean) =>
    lectern.operator.updateRoom({ spaceId, roomId, isSelfRenamingAllowed })
  const url = await link()
  await withDevicesOff(page)
  await joinRoom(page, url, 'Ada')
  await control(page, 'Leave').click()
  const name = page.getByLabel('Your name')
  const expectKept = async () => {
    await expect(name).toHaveValue('Ada')
    await expect(name).toHaveAttribute('readonly')
    await expect(name).toHaveAccessibleDescription('Changing names is off in this room.')
  }
  await allow(false)
  await page.goto(url)
  await expectKept()
  await expectAccessible(page)

  await allow(true)
  await page.reload()
  await name.fill('Adele')
  await allow(false)
  await page.getByRole('button', { name: 'Join' }).click()
  await expectKept()
  await expect(name).toBeFocused()
  await page.getByRole('button', { name: 'Join' }).click()
  await expectIn(page)
  await expect(tile(page, 'Ada (you)')).toBeVisible()
})

test('what the service refuses during the call is put by the code of the refusal', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  await withDevicesOff(page)
  await joinRoom(page, await link('Grace'))
  await control(page, 'Chat').click()
  const message = page.getByLabel('Send a message')
  const refuse = async (answer: { status: number; json: { code: string; detail: string } } | null, words: string) => {
    await page.route('**/messages', route => (answer ? route.fulfill(answer) : route.abort()))
    await message.fill('Hello?')
    await message.press('Enter')
    await expect(page.getByRole('status').filter({ hasText: words })).toBeVisible()
    // Nothing that was written is lost.
    await expect(message).toHaveValue('Hello?')
    await page.unroute('**/messages')
  }
  const detail = 'In the words of the service.'
  await refuse({ status: 403, json: { code: 'removed', detail } }, 'You have been removed from this room.')
  await refuse({ status: 403, json: { code: 'chat_off', detail } }, 'A moderator turned off chat.')
  await refuse({ status: 429, json: { code: 'rate_limited', detail } }, 'You’re sending messages too fast.')
  await refuse({ status: 401, json: { code: 'token_invalid', detail } }, 'Your access has ended')
  await refuse({ status: 404, json: { code: 'not_found', detail } }, 'Not found, or you don’t have access')
  await refuse({ status: 502, json: { code: 'unknown', detail } }, 'Something went wrong.')
  await refuse(null, 'Can’t reach the server.')
})

test('the lobby says how many are in, in both languages', async ({ lectern, person }) => {
  const { address } = await makeRoom(lectern)
  const names = ['Ada', 'Grace', 'Alan', 'Mary', 'Sofia', 'Emmy', 'Kurt']
  const texts = {
    'en-GB': {
      2: 'Ada and Grace are here.',
      3: 'Ada, Grace and 1 more are here.',
      7: 'Ada, Grace and 5 more are here.',
      500: '500 people are here.',
    },
    'ru-RU': {
      3: 'В комнате Ada, Grace и ещё 1 человек.',
      4: 'В комнате Ada, Grace и ещё 2 человека.',
      7: 'В комнате Ada, Grace и ещё 5 человек.',
      502: 'В комнате 502 человека.',
    },
  }
  for (const [locale, says] of Object.entries(texts)) {
    const { page } = await person({ locale })
    await signIn(page, lectern)
    for (const [count, words] of isLong ? Object.entries(says) : Object.entries(says).slice(1, 3)) {
      const participantCount = Number(count)
      // Of a large call here only its moderator.
      const participants = names.slice(0, participantCount > 100 ? 1 : participantCount).map(name => ({ name }))
      await page.route('**/call', route => route.fulfill({ json: { participantCount, participants } }))
      await page.goto(address)
      await expect(page.getByText(words, { exact: true })).toBeVisible()
    }
  }
})

test('without camera or microphone one can join all the same', async ({ lectern, context }) => {
  const { link } = await makeRoom(lectern)
  for (const [why, words] of [
    ['NotFoundError', 'No camera or microphone found.'],
    ['NotReadableError', 'Another app is using the camera and microphone.'],
    ['NotAllowedError', 'Camera and microphone access is blocked.'],
    ['insecure', 'Camera and microphone only work over HTTPS.'],
  ] as const) {
    const page = await context.newPage()
    await withoutDevices(page, why)
    await page.goto(await link('Grace'))
    await expect(page.getByText(words)).toBeVisible()
    await expectAccessible(page)
    // Whatever the reason, what follows is the same.
    if (!isLong && why !== 'NotAllowedError') continue
    await page.getByRole('button', { name: 'Join' }).click()
    await expect(control(page, 'Mic')).toHaveAttribute('aria-pressed', 'false')
    // Who is in is not told to join.
    const told = page.getByRole('status').filter({ hasText: /camera|microphone/i })
    await expect(told).toBeVisible()
    await expect(told).not.toContainText('join')
    await page.close()
  }
})

test('a browser that cannot', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  await page.addInitScript('delete window.RTCPeerConnection')
  await page.goto(await link('Grace'))
  await expectNotice(page, 'This browser isn’t supported')
})

test('in Russian, and switched to English; sound that the browser holds back', async ({ lectern, person }) => {
  const { link } = await makeRoom(lectern)
  const { page, complaints } = await person({ locale: 'ru-RU' })
  await page.goto(await link('София'))
  await expect(page.getByRole('button', { name: 'Войти' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru')
  await page.getByRole('button', { name: /Русский/ }).click()
  await page.getByRole('menuitemradio', { name: 'English' }).click()
  await expect(page.getByRole('button', { name: 'Join' })).toBeVisible()
  await page.reload()
  await page.getByRole('button', { name: 'Join' }).click()
  await expectIn(page)
  await holdSoundBack(page)
  const other = await person()
  await other.page.goto(await link('Ada'))
  await other.page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByRole('button', { name: 'Click to turn on sound' })).toBeVisible()
  expect(complaints()).toEqual([])
})

test('what is loaded before the button works is at most 350 kB', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  await page.addInitScript(() =>
    new MutationObserver((_changes, observer) => {
      if (!document.querySelector('button[type="submit"]:not([disabled])')) return
      performance.mark('button')
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true }),
  )
  await page.goto(await link())
  await expect(page.getByRole('button', { name: 'Join' })).toBeEnabled()
  const scripts = await page.evaluate(() => {
    const button = performance.getEntriesByName('button')[0]?.startTime ?? 0
    return performance
      .getEntriesByType('resource')
      .filter(({ name, startTime }) => name.endsWith('.js') && startTime < button)
      .map(({ name }) => new URL(name).pathname)
  })
  expect(scripts.length).toBeGreaterThan(1)
  // As they are sent to a browser that takes gzip.
  const sizes = scripts.map(path => statSync(join(built, `${path}.gz`)).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(350_000)
})
