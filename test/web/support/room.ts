import type { BrowserContext, BrowserContextOptions, Page } from '@playwright/test'
import type { Client } from '../../../client/client.ts'
import type { NewRoom } from '../../../contract/rooms.ts'
import { signInTo } from './console.ts'
import { test as base, expect, type Installation, OPERATOR, watchForComplaints, withSmallPictures } from './lectern.ts'

/** A room with links to it, made by the operator, who is its creator. */
export const makeRoom = async ({ operator, url }: Installation, more: Partial<NewRoom> = {}) => {
  const { id: spaceId } = await operator.createSpaces({ name: 'Evening school' })
  const { id: roomId, alias } = await operator.createRooms({ spaceId, name: 'Algebra', ...more })
  const link = async (username?: string, options: Partial<Parameters<Client['generateAccess']>[0]> = {}) =>
    (
      await operator.generateAccess({
        spaceId,
        roomId,
        role: 'user',
        ...(username !== undefined && { username }),
        ...options,
      })
    ).url
  return { spaceId, roomId, alias, link, address: `${url}/room/${alias}` }
}

/** What a browser writes about a refusal of the service, which the page has words for. */
const isRefusal = (complaint: string) =>
  /^Failed to load resource: the server responded with a status of 4/.test(complaint) ||
  /^WebSocket connection .* failed: .*Unexpected response code: 403$/.test(complaint)

export interface Person {
  page: Page
  /** What the browser complained about, refusals apart. */
  complaints: () => string[]
}

/** `person()` is somebody with a browser of their own, which is closed with the test. */
export const test = base.extend<{ person: (options?: BrowserContextOptions) => Promise<Person> }>({
  person: async ({ browser }, use) => {
    const contexts: BrowserContext[] = []
    await use(async options => {
      const context = await browser.newContext(options)
      await withSmallPictures(context)
      contexts.push(context)
      const page = await context.newPage()
      const complaints = watchForComplaints(page)
      return { page, complaints: () => complaints.filter(complaint => !isRefusal(complaint)) }
    })
    for (const context of contexts) await context.close()
  },
})

/** As the operator, by the cookies of the console. */
export const signIn = (page: Page, installation: Installation) =>
  signInTo(page, installation, { username: OPERATOR.email, password: OPERATOR.password })

export const control = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Controls' }).getByRole('button', { name, exact: true })

/** Opens the link and goes through the lobby. */
export const join = async (page: Page, link: string, name?: string) => {
  await page.goto(link)
  if (name !== undefined) await page.getByLabel('Your name').fill(name)
  await page.getByRole('button', { name: 'Join' }).click()
  await expectIn(page)
}

/** Connected, not just on the way. */
export const expectIn = async (page: Page) => {
  await expect(page.locator('main[data-state="connected"]')).toBeVisible()
  await expect(control(page, 'Leave')).toBeVisible()
}

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })

export const tile = (page: Page, name: string) => page.getByRole('figure', { name, exact: true })

/** Frames of the tile's picture that were decoded. */
const framesOf = (page: Page, name: string) =>
  tile(page, name)
    .locator('video')
    .evaluate((video: HTMLVideoElement) =>
      video.videoWidth > 0 ? video.getVideoPlaybackQuality().totalVideoFrames : 0,
    )

/** The picture moves: more frames of it are decoded. */
export const expectSeen = async (page: Page, name: string) => {
  await expect(tile(page, name).locator('video')).toBeVisible()
  const before = await framesOf(page, name)
  await expect.poll(() => framesOf(page, name)).toBeGreaterThan(before + 2)
}

/** A sound other than silence comes out of the page. */
export const expectHeard = async (page: Page) =>
  expect
    .poll(() =>
      page.evaluate(async () => {
        const levels = await Promise.all(
          [...document.querySelectorAll('audio')].map(async audio => {
            if (!(audio.srcObject instanceof MediaStream) || audio.srcObject.getAudioTracks().length === 0) return 0
            const context = new AudioContext()
            const analyser = context.createAnalyser()
            context.createMediaStreamSource(audio.srcObject).connect(analyser)
            const samples = new Float32Array(analyser.fftSize)
            let loudest = 0
            // By the clock: of a page with pictures on it few frames are drawn. The fake microphone beeps once a second.
            for (let look = 0; look < 100 && loudest <= 0.01; look++) {
              await new Promise(resolve => setTimeout(resolve, 20))
              analyser.getFloatTimeDomainData(samples)
              loudest = Math.max(loudest, ...samples.map(Math.abs))
            }
            await context.close()
            return loudest
          }),
        )
        return Math.max(0, ...levels)
      }),
    )
    .toBeGreaterThan(0.01)

export const openPeople = async (page: Page) => {
  await control(page, 'People').click()
  return page.getByRole('complementary', { name: /^People/ })
}

/** Gives the list of its messages. */
export const openChat = async (page: Page) => {
  await page.getByRole('navigation', { name: 'Controls' }).getByRole('button', { name: 'Chat' }).click()
  return page.getByRole('log', { name: 'Chat' })
}
export const write = async (page: Page, text: string) => {
  await page.getByLabel('Send a message').fill(text)
  await page.getByLabel('Send a message').press('Enter')
}

export const openHostPanel = async (page: Page) => {
  await control(page, 'Host').click()
  return page.getByRole('complementary', { name: 'Host controls' })
}

/** By the menu of somebody in a list of people. */
export const act = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
  // While it fades, keys are its own.
  await expect(page.getByRole('menu')).toHaveCount(0)
}

export const endForAll = async (page: Page) => {
  await control(page, 'Leave').click()
  await page.getByRole('menuitem', { name: 'End for all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End for all' }).click()
}

/** As the browser makes it. Without locks the page cannot tell that it is a copy. */
export const copyOfTab = async (tab: Page, { hasLocks }: { hasLocks: boolean }) => {
  const kept = await tab.evaluate(() => JSON.stringify(sessionStorage))
  const copy = await tab.context().newPage()
  await copy.addInitScript(
    ([items, keepsLocks]) => {
      for (const [key, value] of Object.entries(JSON.parse(items))) sessionStorage.setItem(key, String(value))
      if (!keepsLocks) Object.defineProperty(navigator, 'locks', { value: undefined })
    },
    [kept, hasLocks] as const,
  )
  return copy
}

/**
 * Comes as who had them off the last time: what is encoded and mixed for nobody to look at or listen to is most of what a
 * test with several people takes. To be called before the page is opened.
 */
export const withDevicesOff = (page: Page, ...devices: ('camera' | 'microphone')[]) =>
  page.addInitScript(
    off => {
      // Before it is anybody's, a page keeps nothing.
      if (location.origin === 'null' || localStorage.getItem('lectern.devices')) return
      localStorage.setItem(
        'lectern.devices',
        JSON.stringify(Object.fromEntries(off.map(device => [device, { id: null, isOn: false }]))),
      )
    },
    devices.length > 0 ? devices : ['camera', 'microphone'],
  )

/** Neither camera nor microphone can be had: as it is put by the browser, or on a page without https. */
export const withoutDevices = (
  page: Page,
  why: 'NotAllowedError' | 'NotFoundError' | 'NotReadableError' | 'insecure',
) =>
  page.addInitScript(
    why === 'insecure'
      ? `Object.defineProperty(Navigator.prototype, 'mediaDevices', { value: undefined })`
      : `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', '${why}') }`,
  )

/** The browser plays nothing before the person has clicked. */
export const holdSoundBack = (page: Page) =>
  page.evaluate(() => {
    HTMLMediaElement.prototype.play = async () => {
      throw new DOMException('', 'NotAllowedError')
    }
  })
