import { setTimeout as sleep } from 'node:timers/promises'
import { flashAndBeep, median, probe, syncOf } from '../support/flash.ts'
import { startReceiver } from '../support/receiver.ts'
import { row } from './support/console.ts'
import { expect } from './support/lectern.ts'
import { enterAsGuest } from './support/participant.ts'
import { control, join, makeRoom, signIn, test, withDevicesOff } from './support/room.ts'

/* A call is recorded for real: from the button in the room to the file, which ffmpeg looks at. */

/** A busy machine takes its time to start a browser. */
const WITHIN = { timeout: 90_000 }
const SECONDS = 60

test('a call is recorded from the room and downloaded from the console', { tag: '@long' }, async ({
  lectern,
  page,
}) => {
  test.setTimeout(300_000)
  const { operator } = lectern
  const { spaceId, roomId, alias, address } = await makeRoom(lectern)
  const receiver = await startReceiver()
  try {
    await operator.createWebhook({ spaceId, url: receiver.url })
    await operator.setWebhookEvents({ spaceId, events: ['record_started', 'record_finished'] })
    await withDevicesOff(page, 'microphone')
    await signIn(page, lectern)
    await join(page, address)
    const grace = await enterAsGuest(lectern, { api: operator }, { spaceId, roomId }, 'Grace Hopper')
    const beQuiet = await flashAndBeep(grace.room)

    await control(page, 'More').click()
    await page.getByRole('menuitem', { name: 'Start recording' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start recording' }).click()
    await expect(page.getByText('Recording has started.')).toBeVisible(WITHIN)
    await sleep(SECONDS * 1000)
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop recording' }).click()
    await expect(page.getByText('Recording has stopped. You’ll find it on the room page')).toBeVisible()
    beQuiet()
    await grace.room.disconnect()

    await page.goto(`${lectern.url}/spaces/${spaceId}/rooms/${alias}/recordings`)
    const downloading = page.waitForEvent('download', WITHIN)
    await row(page, 'Ready').getByRole('button', { name: 'Download recording of' }).click(WITHIN)
    const file = await (await downloading).path()
    const { seconds, streams } = probe(file)
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac'])
    // A busy machine also takes its time from the button to the end.
    const { items } = await operator.listRecords({ spaceId, roomId })
    const time = (of: 'startedAt' | 'endedAt') => Date.parse(items[0]?.[of] ?? '')
    const lasted = (time('endedAt') - time('startedAt')) / 1000
    expect(lasted).toBeGreaterThanOrEqual(SECONDS)
    expect(Math.abs(seconds - lasted)).toBeLessThan(5)
    const { offsets } = syncOf(file)
    expect(offsets.length).toBeGreaterThan(SECONDS / 2 - 5)
    // Each with its flash. How near to it is measured where nothing else runs: test/server/recording/sync.test.ts.
    expect(Math.abs(median(offsets))).toBeLessThanOrEqual(500)

    await expect
      .poll(() => receiver.callbacks.map(({ body }) => [body.eventName, body.recordId]))
      .toEqual([
        ['record_started', items[0]?.id],
        ['record_finished', items[0]?.id],
      ])
  } finally {
    await receiver.close()
  }
})
