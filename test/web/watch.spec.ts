import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import type { Page } from '@playwright/test'
import { probe } from '../support/flash.ts'
import { freePort } from '../support/ports.ts'
import { expect } from './support/lectern.ts'
import { join, makeRoom, openHostPanel, signIn, test } from './support/room.ts'

/* A call is streamed for real: a browser captures it, another plays it, and an RTMP server takes it as well. */

/** A busy machine takes its time to start a browser. */
const WITHIN = { timeout: 90_000 }

/** Takes one stream, into a file. */
const startTarget = async () => {
  const [port, folder] = [await freePort(), mkdtempSync(path(tmpdir(), 'lectern-rtmp-'))]
  const file = path(folder, 'received.flv')
  const from = ['-listen', '1', '-i', `rtmp://127.0.0.1:${port}/live/any`]
  const child = spawn('ffmpeg', ['-nostdin', '-v', 'error', ...from, '-c', 'copy', file], { stdio: 'ignore' })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  return {
    url: `rtmp://127.0.0.1:${port}/live/key`,
    file,
    ended,
    async close() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

const played = (page: Page) =>
  page
    .locator('video')
    .evaluate((video: HTMLVideoElement) => ({ seconds: video.currentTime, lines: video.videoHeight }))

test('a call is streamed to the live page and to an RTMP address', { tag: '@long' }, async ({
  lectern,
  person,
  page,
}) => {
  const room = await makeRoom(lectern, { isPublic: true })
  const target = await startTarget()
  try {
    const viewer = await person()
    await viewer.page.goto((await room.link('Grace Hopper')).replace('?', '/live?'))
    await viewer.page.getByRole('button', { name: 'Watch' }).click()
    await expect(viewer.page.getByText('The live stream hasn’t started')).toBeVisible()

    await signIn(page, lectern)
    await join(page, room.address)
    const panel = await openHostPanel(page)
    await panel.getByRole('button', { name: 'Start live stream' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('RTMP address (optional)').fill(target.url)
    await dialog.getByRole('button', { name: 'Start live stream' }).click()
    await expect(panel.getByText('Also streaming to 127.0.0.1')).toBeVisible(WITHIN)
    await expect.poll(() => played(viewer.page), WITHIN).toMatchObject({ lines: 720 })
    const { seconds } = await played(viewer.page)
    await expect.poll(async () => (await played(viewer.page)).seconds, WITHIN).toBeGreaterThan(seconds + 4)
    await expect(panel.getByText(/ · 1 viewer$/)).toBeVisible()

    await panel.getByRole('button', { name: 'Stop live stream' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop live stream' }).click()
    await expect(viewer.page.getByText('The live stream has ended')).toBeVisible(WITHIN)
    expect(viewer.complaints()).toEqual([])
    await target.ended
    expect(probe(target.file).streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac'])
  } finally {
    await target.close()
  }
})
