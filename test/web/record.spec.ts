import { heading, row } from './support/console.ts'
import { expectFit } from './support/fit.ts'
import { expect, expectAccessible, PHONE } from './support/lectern.ts'
import { recordingsIn } from './support/recordings.ts'
import { control, expectIn, join, makeRoom, signIn, test, withDevicesOff } from './support/room.ts'

/* What people see of recordings. There is no recorder here: what it would write down is written down by hand. */

test.use({ environment: { LECTERN_CHROMIUM: '/nowhere', LECTERN_RECORD_QUOTA_GB: '1' } })

test('a moderator records, and everyone is told', async ({ lectern, person, page }) => {
  test.setTimeout(120_000)
  const room = await makeRoom(lectern)
  const recordings = recordingsIn(lectern, room)
  await withDevicesOff(page)
  await signIn(page, lectern)
  await join(page, room.address)
  const grace = await person()
  await withDevicesOff(grace.page)
  await join(grace.page, await room.link('Grace Hopper'))

  const more = async (name: string) => {
    await control(page, 'More').click()
    await page.getByRole('menuitem', { name }).click()
  }
  const answer = (title: string, action: string) =>
    page.getByRole('dialog', { name: title }).getByRole('button', { name: action }).click()
  await more('Start recording')
  await expect(page.getByRole('dialog').getByText('Everyone sees that the call is being recorded')).toBeVisible()
  await expectAccessible(page)
  await answer('Record this call?', 'Start recording')
  await expect(page.getByText('Recording is not set up on this server.')).toBeVisible()

  const id = await recordings.start()
  await expect(page.getByText('Recording is starting…')).toBeVisible()
  await recordings.change(id, { state: 'recording', startedAt: Date.now() - 65_000, size: 34_500_000 })
  for (const someone of [page, grace.page]) {
    await expect(someone.getByText('Recording has started.')).toBeVisible()
    await expect(someone.locator('header').getByText('Recording', { exact: true })).toBeVisible()
  }
  await expect(page.locator('header').getByText(/^01:\d\d · 34.5 MB$/)).toBeVisible()
  await expect(grace.page.getByRole('button', { name: 'Stop recording' })).toHaveCount(0)
  await expectAccessible(page)

  // Before somebody else joins, and then.
  const late = await person()
  await withDevicesOff(late.page)
  await late.page.goto(await room.link('Ada Lovelace'))
  await expect(late.page.getByText('This call is being recorded.')).toBeVisible()
  await expectAccessible(late.page)
  await late.page.getByRole('button', { name: 'Join' }).click()
  await expectIn(late.page)
  await expect(late.page.getByText('This call is being recorded.')).toBeVisible()

  await page.getByRole('button', { name: 'Stop recording' }).click()
  await answer('Stop recording?', 'Stop recording')
  await recordings.end(id)
  await expect(page.getByText('Recording has stopped. You’ll find it on the room page')).toBeVisible()
  await expect(grace.page.getByText('Recording has stopped.')).toBeVisible()
  await expect(page.locator('header').getByText('Recording', { exact: true })).toHaveCount(0)

  // On a phone, and why it has ended by itself.
  await page.setViewportSize(PHONE)
  const second = await recordings.start({ state: 'recording', startedAt: Date.now(), size: 2_000_000 })
  await expect(page.locator('header').getByText('Recording', { exact: true })).toBeVisible()
  await more('Host controls')
  const panel = page.getByRole('complementary', { name: 'Host controls' })
  await expect(panel.getByText(/^00:\d\d · 2 MB$/)).toBeVisible()
  await expect(panel.getByRole('button', { name: 'Stop recording' })).toBeVisible()
  await expectAccessible(page)
  await recordings.end(second, { reason: 'disk_full', state: 'failed' })
  await expect(page.getByText('Recording has stopped: the server’s disk is full.')).toBeVisible()

  await control(page, 'Leave').click()
  await page.getByRole('menuitem', { name: 'Leave call' }).click()
  await expect(page.getByText('The recording will be on the room page when it’s ready.')).toBeVisible()
  await page.getByRole('link', { name: 'Recordings' }).click()
  await expect(row(page, 'Processing')).toBeVisible()
  for (const someone of [grace, late]) expect(someone.complaints()).toEqual([])
})

test('the lobby says that calls are recorded from their start', async ({ lectern, page }) => {
  const { link, address, spaceId, roomId } = await makeRoom(lectern, { isAutoRecordingAllowed: true })
  await page.goto(await link('Grace Hopper'))
  await expect(page.getByText('This call will be recorded.')).toBeVisible()
  await signIn(page, lectern)
  await page.goto(address)
  await expect(page.getByText('This call will be recorded.')).toBeVisible()
  await lectern.operator.updateRoom({ spaceId, roomId, isRecordAllowed: false })
  await page.reload()
  await expect(page.getByRole('button', { name: 'Join' })).toBeVisible()
  await expect(page.getByText('This call will be recorded.')).toHaveCount(0)
})

test('recordings are watched, downloaded and deleted in the console', { tag: '@long' }, async ({
  lectern,
  page,
  person,
}) => {
  const room = await makeRoom(lectern)
  const recordings = recordingsIn(lectern, room)
  const base = `${lectern.url}/spaces/${room.spaceId}`
  await signIn(page, lectern)
  await page.goto(`${base}/rooms/${room.alias}/recordings`)
  await expect(page.getByText('No recordings yet')).toBeVisible()

  const grace = await person()
  await withDevicesOff(grace.page)
  await join(grace.page, await room.link('Grace Hopper'))
  const lost = await recordings.start({ state: 'recording', startedAt: Date.now() })
  await recordings.end(lost, { reason: 'not_started', state: 'failed', finishedAt: Date.now() })
  const id = await recordings.start({ state: 'recording', startedAt: Date.now() })
  await expect(row(page, 'Failed')).toContainText('Recording couldn’t start.')
  await expect(page.getByRole('cell', { name: 'Recording', exact: true })).toBeVisible()
  await recordings.finish(id)
  const ready = row(page, 'Ready')
  await expect(ready).toContainText('3 sec')
  await expect(ready).toContainText('34.5 MB')
  await expect(ready.locator('img')).toHaveJSProperty('naturalWidth', 320)
  await page.reload()
  await expect(page.getByText('2 recordings, 34.5 MB of 1 GB')).toBeVisible()
  await expectFit(page)

  await ready.getByRole('button', { name: 'Play recording of' }).click()
  const video = page.getByRole('dialog').locator('video')
  await expect.poll(() => video.evaluate((at: HTMLVideoElement) => at.currentTime)).toBeGreaterThan(0)
  await expectFit(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const downloading = page.waitForEvent('download')
  await ready.getByRole('button', { name: 'Download recording of' }).click()
  expect((await downloading).suggestedFilename()).toMatch(/^Algebra \d{4}-\d\d-\d\d \d\d-\d\d\.mp4$/)

  // Of the call, of the space, and of all.
  const { id: callId } = await lectern.operator.getLiveCall(room)
  await page.goto(`${base}/calls/${callId}`)
  await expect(page.getByRole('region', { name: 'Recordings' }).getByRole('row')).toHaveCount(3)
  await page.goto(`${base}/settings`)
  await expect(page.getByText('2 recordings, 34.5 MB of 1 GB')).toBeVisible()
  await expectAccessible(page)
  await page.goto(`${lectern.url}/operator/state`)
  await expect(page.getByText(/^\d+ recordings, /)).toBeVisible()

  await page.goto(`${base}/rooms/${room.alias}/recordings`)
  await ready.getByRole('button', { name: 'Delete recording of' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete recording' }).click()
  await expect(ready).toHaveCount(0)
  await expect(heading(page, 'Algebra')).toBeVisible()

  await page.goto(`${base}/rooms/${room.alias}/permissions`)
  const fromStart = page.getByRole('switch', { name: 'Record from the start' })
  await fromStart.click()
  await expect(fromStart).toBeChecked()
  await page.getByRole('switch', { name: 'Allow recording' }).click()
  await expect(fromStart).toBeDisabled()
  await expect
    .poll(() => lectern.operator.getRoom(room))
    .toMatchObject({ isRecordAllowed: false, isAutoRecordingAllowed: true })
})
