import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import type { Client } from '../client/client.ts'
import { readAccess } from '../server/media/launch.ts'
import { admitted } from '../test/support/admitted.ts'
import { median } from './clock.ts'

const ROUNDS = 15
const AT_MOST = 1.15
const library = readFileSync(
  resolve(import.meta.dirname, '../node_modules/livekit-client/dist/livekit-client.umd.js'),
  'utf8',
)

interface Times {
  connected: number
  firstFrame: number
}

/* What runs in the page. As text: it is of another world than the rest of this file. */

/** Milliseconds from `before` to being connected, and to the first picture of the one who is on the air. */
const enter = `async ({ join, token, url }) => {
  const { Room, RoomEvent } = window.LivekitClient
  const room = new Room()
  const started = performance.now()
  const firstFrame = new Promise(seen => room.on(RoomEvent.TrackSubscribed, track => {
    if (track.kind !== 'video') return
    const video = track.attach()
    document.body.append(video)
    video.requestVideoFrameCallback(() => seen(performance.now() - started))
  }))
  let to = { mediaUrl: url, mediaToken: token }
  if (join) {
    const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' }
    to = await (await fetch(join, { method: 'POST', headers, body: '{}' })).json()
  }
  await room.connect(to.mediaUrl, to.mediaToken)
  const connected = performance.now() - started
  const times = { connected, firstFrame: await firstFrame }
  await room.disconnect()
  document.body.replaceChildren()
  return times
}`

const goOnAir = `async ({ mediaUrl, mediaToken }) => {
  window.room = new window.LivekitClient.Room()
  await window.room.connect(mediaUrl, mediaToken)
  await window.room.localParticipant.setCameraEnabled(true)
}`

const call = <T>(page: Page, code: string, input: unknown) =>
  page.evaluate(`(${code})(${JSON.stringify(input)})`) as Promise<T>

/**
 * From the click to the picture: `join` and then the media connection through our origin, against the same client with
 * a token it has already, straight to the engine.
 */
export const benchBrowser = async (
  { url, token, client }: { url: string; token: string; client: Client },
  data: string,
  at: { spaceId: string; roomId: string },
): Promise<boolean[]> => {
  const engine = readAccess(data)
  if (!engine) throw new Error('the engine has no settings')
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
  })
  // On a page of our own origin, where the room page is.
  const openPage = async () => {
    const page = await (await browser.newContext({ bypassCSP: true })).newPage()
    await page.goto(`${url}/healthz`)
    await page.addScriptTag({ content: library })
    return page
  }
  await call(await openPage(), goOnAir, await client.joinRoom(at))
  const viewer = await openPage()

  const ours = () =>
    call<Times>(viewer, enter, { join: `${url}/v1/spaces/${at.spaceId}/rooms/${at.roomId}/join`, token })
  // A participant who goes past us to the engine must have joined through us before, or is disconnected.
  const known = { ...at, tabKey: 'bare-client' }
  const { mediaToken, mediaUrl } = admitted(await client.joinRoom(known))
  await call<Times>(viewer, enter, { token: mediaToken, url: mediaUrl })
  const bare = async () =>
    call<Times>(viewer, enter, {
      token: admitted(await client.joinRoom(known)).mediaToken,
      url: engine.url.replace(/^http/, 'ws'),
    })
  const pairs: { ours: Times; bare: Times }[] = []
  for (let round = 0; round < ROUNDS + 2; round++) {
    const pair =
      round % 2 === 0 ? { ours: await ours(), bare: await bare() } : { bare: await bare(), ours: await ours() }
    // The first rounds warm both up.
    if (round > 1) pairs.push(pair)
  }
  await browser.close()

  return (['connected', 'firstFrame'] as const).map(moment => {
    const ratio = median(pairs.map(pair => pair.ours[moment] / pair.bare[moment]))
    const usual = (of: 'ours' | 'bare') => median(pairs.map(pair => pair[of][moment])).toFixed(0)
    const name = moment === 'connected' ? 'from join to connected' : 'from join to the first frame'
    console.log(
      `${ratio <= AT_MOST ? 'ok  ' : 'SLOW'} ${`${name}, against the bare client`.padEnd(58)} ${ratio.toFixed(2)} (at most ${AT_MOST})   ${usual('ours')} ms against ${usual('bare')} ms`,
    )
    return ratio <= AT_MOST
  })
}
