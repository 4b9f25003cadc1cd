import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { folderStorage } from '../../../server/recording/folder.ts'
import { s3Storage } from '../../../server/recording/s3.ts'
import { createStorage } from '../../../server/recording/storages.ts'
import { callsByHand } from '../../support/calls.ts'
import { startLectern } from '../../support/lectern.ts'
import { isLong } from '../../support/long.ts'
import { temporaryFolder } from '../../support/process.ts'
import { recorderByHand } from '../../support/recorder.ts'
import { startS3 } from '../../support/s3.ts'

/* Against a real storage, whose program takes minutes to build where that has not been done yet. */
describe.runIf(isLong)('recordings in an S3 bucket', () => {
  let s3: Awaited<ReturnType<typeof startS3>>
  beforeAll(async () => {
    s3 = await startS3()
  }, 1_200_000)

  const PART = 5 * 2 ** 20
  const never = new AbortController().signal
  const bucket = (change: Record<string, string> = {}, onProgress?: (place: string, done: number) => void) => {
    const config = readConfig({ ...s3.environment, ...change })
    return s3Storage(
      { ...config, s3Bucket: config.s3Bucket ?? '' },
      { partBytes: PART, ...(onProgress && { onProgress }) },
    )
  }
  const file = (content: Buffer) => {
    const path = join(temporaryFolder(), 'recording.mp4')
    writeFileSync(path, content)
    return path
  }
  const contentOf = async (storage: ReturnType<typeof bucket>, place: string) => {
    const found = await storage.open(place)
    return found && buffer(found.read(0, found.size - 1))
  }

  test('go there in parts, are read in ranges, and are removed', async () => {
    const content = randomBytes(2 * PART + 7)
    const path = file(content)
    const progress: number[] = []
    const storage = bucket({}, (_place, done) => progress.push(done))
    const place = await storage.keep('one', path, 'mp4', never)
    expect(progress).toEqual([PART, 2 * PART, content.length])
    expect(existsSync(path)).toBe(false)
    const found = await storage.open(place)
    expect(found?.size).toBe(content.length)
    expect(found && (await buffer(found.read(PART - 2, PART + 2)))).toEqual(content.subarray(PART - 2, PART + 3))
    await storage.remove(place)
    expect(await storage.open(place)).toBeNull()
    // Gone already.
    await storage.remove(place)
  })

  test('what has been sent is not sent again after a crash, unless the file has changed', async () => {
    const content = randomBytes(3 * PART)
    const path = file(content)
    const crash = new AbortController()
    const first = bucket({}, (_place, done) => done === 2 * PART && crash.abort())
    await expect(first.keep('two', path, 'mp4', crash.signal)).rejects.toThrow()
    expect(existsSync(path)).toBe(true)
    // Made anew, and almost the same.
    content[PART + 1] = (content[PART + 1] ?? 0) ^ 1
    writeFileSync(path, content)
    await s3.kill()
    await s3.start()
    const requests = vi.spyOn(http, 'request')
    const place = await bucket().keep('two', path, 'mp4', never)
    const asked = requests.mock.calls.map(([target]) => (target as unknown as http.RequestOptions).path ?? '')
    requests.mockRestore()
    const sent = asked.flatMap(path => /partNumber=(\d+)/.exec(path)?.[1] ?? [])
    expect(sent).toEqual(['2', '3'])
    expect((await contentOf(bucket(), place))?.equals(content)).toBe(true)
  })

  test('those from before are still in the folder', async () => {
    const folder = temporaryFolder()
    const before = await folderStorage(folder).keep('three', file(Buffer.from('before')), 'mp4', never)
    const storage = createStorage(folder, bucket())
    const after = await storage.keep('four', file(Buffer.from('after')), 'mp4', never)
    const sizes = await Promise.all([before, after].map(async place => (await storage.open(place))?.size))
    expect(sizes).toEqual([6, 5])
    // Without the bucket there is nothing to find, and nothing is forgotten.
    const alone = createStorage(folder, null)
    expect(await alone.open(after)).toBeNull()
    await expect(alone.remove(after)).rejects.toThrow('LECTERN_S3_BUCKET')
  })

  test.each([
    ['a secret that is wrong', { LECTERN_S3_SECRET_KEY: 'wrong' }],
    ['a bucket that is not there', { LECTERN_S3_BUCKET: 'nowhere' }],
  ])('%s is found out', async (_what, change) => {
    await bucket().check()
    await expect(bucket(change).check()).rejects.toThrow()
  })

  test('a recording waits for a storage that is away, and is then downloaded and deleted', async () => {
    const hand = recorderByHand()
    const lectern = await startLectern(s3.environment, { recorder: hand.recorder })
    const owner = await lectern.user()
    const { id: spaceId } = await owner.createSpaces({ name: 'School' })
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Algebra' })
    const at = { spaceId, roomId }
    const byHand = await callsByHand(lectern)
    await byHand.tell('joined', roomId, await byHand.join(roomId, { userId: owner.id }))
    const { id: recordId } = await owner.startRecord(at)
    const until = (state: string) =>
      vi.waitFor(async () => expect((await owner.getRecord({ ...at, recordId })).state).toBe(state), {
        timeout: 40_000,
        interval: 200,
      })
    await until('recording')
    await s3.kill()
    await owner.stopRecord(at)
    await until('processing')
    await s3.start()
    await until('ready')
    const { url } = await owner.downloadRecord({ ...at, recordId })
    const part = await fetch(url, { headers: { range: 'bytes=0-8' } })
    expect([part.status, await part.text()]).toEqual([206, 'Recording'])
    const { place } = await byHand.db
      .selectFrom('records')
      .select('place')
      .where('id', '=', recordId)
      .executeTakeFirstOrThrow()
    expect(place).toBe(`s3:${recordId}.mp4`)
    await owner.deleteRecord({ ...at, recordId })
    await vi.waitFor(async () => expect(await bucket().open(place ?? '')).toBeNull(), { timeout: 10_000 })
  }, 90_000)
})
