import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { flashAndBeep, median, probe, syncOf } from '../../support/flash.ts'
import { startLectern } from '../../support/lectern.ts'
import { ENGINE_WITHIN_MS, enter, untilMedia } from '../../support/live.ts'
import { temporaryFolder } from '../../support/process.ts'

/*
 * How near sound and picture stay to each other. On a busy machine the one who flashes is late, the engine and the browser
 * are, and all that would be measured: so this has the machine for itself, at the end of the long run.
 */

const SECONDS = 120

test(
  'sound and picture are within 100 ms of each other, and do not drift apart',
  async () => {
    const lectern = await startLectern({ LECTERN_MEDIA: 'on' })
    await untilMedia(lectern.url, 'ready', ENGINE_WITHIN_MS)
    const { operator } = lectern
    const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
    const { id: roomId } = await operator.createRooms({ spaceId, name: 'Room' })
    const at = { spaceId, roomId }
    const { room } = await enter(operator, at)
    onTestFinished(await flashAndBeep(room))
    const { id: recordId } = await vi.waitFor(() => operator.startRecord(at), { timeout: 10_000, interval: 200 })
    const until = (state: string) =>
      vi.waitFor(async () => expect((await operator.getRecord({ ...at, recordId })).state).toBe(state), {
        timeout: 60_000,
        interval: 200,
      })
    await until('recording')
    await sleep(SECONDS * 1000)
    await operator.stopRecord(at)
    await until('ready')

    const file = join(temporaryFolder(), 'record.mp4')
    const { url } = await operator.downloadRecord({ ...at, recordId })
    writeFileSync(file, Buffer.from(await (await fetch(url)).arrayBuffer()))
    expect(Math.abs(probe(file).seconds - SECONDS)).toBeLessThan(2)
    const { offsets } = syncOf(file)
    console.log(`beeps after flashes, in ms: ${offsets.join(' ')}`)
    expect(offsets.length).toBeGreaterThanOrEqual(SECONDS / 2 - 1)
    const third = Math.floor(offsets.length / 3)
    for (const some of [offsets, offsets.slice(0, third), offsets.slice(-third)])
      expect(Math.abs(median(some))).toBeLessThanOrEqual(100)
    expect(Math.abs(median(offsets.slice(-third)) - median(offsets.slice(0, third)))).toBeLessThanOrEqual(50)
  },
  ENGINE_WITHIN_MS + 5 * 60_000,
)
