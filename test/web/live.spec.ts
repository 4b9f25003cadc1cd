import type { Browser } from '@playwright/test'
import type { Client } from '../../client/client.ts'
import { createClient } from '../../client/client.ts'
import { admitted } from '../support/admitted.ts'
import { connect, startBareSite } from './support/bare.ts'
import { expect, type Installation, test } from './support/lectern.ts'

/* Two browsers, the real engine and nothing of our pages. What the engine refuses to such clients is in test/server/media. */

let site: Awaited<ReturnType<typeof startBareSite>>
test.beforeAll(async () => {
  site = await startBareSite()
})
test.afterAll(() => site.stop())

const openRoom = async ({ operator }: Installation) => {
  const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
  const { id: roomId } = await operator.createRooms({ spaceId, name: 'Room' })
  return { spaceId, roomId }
}

const guestOf = async ({ url, operator }: Installation, at: { spaceId: string; roomId: string }) => {
  const link = new URL((await operator.generateAccess({ ...at, role: 'user', username: 'Ann' })).url)
  const accessToken = link.searchParams.get('accessToken') ?? ''
  const { guestToken } = await operator.redeemAccess({ accessToken })
  return createClient({ baseUrl: url, token: guestToken })
}

/** In a browser of their own. */
const enter = async (browser: Browser, client: Client, at: { spaceId: string; roomId: string }) => {
  const page = await (await browser.newContext()).newPage()
  await page.goto(site.url)
  await connect(page, admitted(await client.joinRoom(at)))
  return page
}

type Participant = Awaited<ReturnType<typeof enter>>

const goOnAir = (page: Participant) =>
  page.evaluate(async () => {
    await window.room.localParticipant.setCameraEnabled(true)
    await window.room.localParticipant.setMicrophoneEnabled(true)
  })

/** What has really come from the others: pictures decoded, and sound that is not silence. */
const received = (page: Participant) =>
  page.evaluate(async () => {
    const sums = { frames: 0, soundEnergy: 0 }
    for (const participant of window.room.remoteParticipants.values())
      for (const { track } of participant.trackPublications.values()) {
        // The engine sends pictures to who shows them.
        if (track && track.attachedElements.length === 0) document.body.append(track.attach())
        for (const report of (await track?.getRTCStatsReport())?.values() ?? [])
          if (report.type === 'inbound-rtp') {
            sums.frames += report.framesDecoded ?? 0
            sums.soundEnergy += report.totalAudioEnergy ?? 0
          }
      }
    return sums
  })

test('in a lesson pictures and sound of each reach the other', async ({ browser, lectern }) => {
  const at = await openRoom(lectern)
  const teacher = await enter(browser, lectern.operator, at)
  const pupil = await enter(browser, await guestOf(lectern, at), at)
  await Promise.all([goOnAir(teacher), goOnAir(pupil)])
  for (const page of [teacher, pupil])
    await expect(async () => {
      const { frames, soundEnergy } = await received(page)
      expect(frames).toBeGreaterThan(20)
      expect(soundEnergy).toBeGreaterThan(0)
    }).toPass({ timeout: 20_000 })
  expect((await lectern.operator.getLiveCall(at)).participants).toHaveLength(2)
})
