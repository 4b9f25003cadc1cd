import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createClient } from '../../../client/client.ts'
import { readConfig } from '../../../server/config.ts'
import { newId } from '../../../server/ids.ts'
import { folderStorage } from '../../../server/recording/folder.ts'
import { s3Storage } from '../../../server/recording/s3.ts'
import { createStorage } from '../../../server/recording/storages.ts'
import { openDb } from '../../../server/store/db.ts'
import { callsByHand } from '../../support/calls.ts'
import { closeAtTheEnd } from '../../support/closing.ts'
import { OPERATOR_PASSWORD } from '../../support/databases.ts'
import { probe } from '../../support/flash.ts'
import { startLectern } from '../../support/lectern.ts'
import { isLong } from '../../support/long.ts'
import { startProcess, temporaryFolder } from '../../support/process.ts'
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

  test('what has been sent of a file goes with it', async () => {
    const crash = new AbortController()
    const first = bucket({}, () => crash.abort())
    await expect(first.keep('five', file(randomBytes(2 * PART)), 'mp4', crash.signal)).rejects.toThrow()
    expect(await s3.uploads()).toHaveLength(1)
    await bucket().remove('s3:five.mp4')
    expect(await s3.uploads()).toEqual([])
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
    const { endpoint, methods } = await startGate(s3.environment.LECTERN_S3_ENDPOINT)
    const settings = { ...s3.environment, LECTERN_S3_ENDPOINT: endpoint }
    const lectern = await startLectern(settings, { recorder: hand.recorder })
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
    methods.splice(0)
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe(`${10 + recordId.length}`)
    const part = await fetch(url, { headers: { range: 'bytes=0-8' } })
    expect([part.status, await part.text()]).toEqual([206, 'Recording'])
    // Who asks only how long it is gets nothing of it, nor do we.
    expect(methods).toEqual(['HEAD', 'HEAD', 'GET'])
    const { place } = await byHand.db
      .selectFrom('records')
      .select('place')
      .where('id', '=', recordId)
      .executeTakeFirstOrThrow()
    expect(place).toBe(`s3:${recordId}.mp4`)
    await owner.deleteRecord({ ...at, recordId })
    await vi.waitFor(async () => expect(await bucket().open(place ?? '')).toBeNull(), { timeout: 10_000 })
  }, 90_000)

  test('what a service that was killed had sent is not sent again by the next, which ends the recording', async () => {
    const { endpoint, sent, hold } = await startGate(s3.environment.LECTERN_S3_ENDPOINT)
    const settings = {
      LECTERN_DATA: temporaryFolder(),
      LECTERN_ADMIN_PASSWORD: OPERATOR_PASSWORD,
      ...s3.environment,
      LECTERN_S3_ENDPOINT: endpoint,
    }
    const first = await startProcess(settings)
    const client = createClient({ baseUrl: first.url })
    await client.signIn('operator', OPERATOR_PASSWORD)
    const { id: spaceId } = await client.createSpaces({ name: 'School' })
    const { id: roomId } = await client.createRooms({ spaceId, name: 'Algebra' })
    first.child.kill('SIGKILL')
    await first.ended

    // A recording that was stopped and has no file yet: three parts of 16 MB.
    const id = newId(Date.now())
    const db = await openDb(readConfig(settings))
    await db.insertInto('records').values(capturedIn({ id, spaceId, roomId })).execute()
    await db.destroy()
    const captured = join(settings.LECTERN_DATA, 'records', `${id}.part`)
    mkdirSync(dirname(captured), { recursive: true })
    makeCapture(captured)

    // Killed while it sends the second part.
    const reached = hold(2)
    const killed = await startProcess(settings)
    await reached
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(sent.splice(0)).toEqual([1, 2])

    const again = createClient({ baseUrl: (await startProcess(settings)).url })
    await again.signIn('operator', OPERATOR_PASSWORD)
    const at = { spaceId, roomId, recordId: id }
    await vi.waitFor(async () => expect((await again.getRecord(at)).state).toBe('ready'), {
      timeout: 60_000,
      interval: 200,
    })
    expect(sent).toEqual([2, 3])
    expect(await s3.uploads()).toEqual([])
    const downloaded = join(temporaryFolder(), 'downloaded.mp4')
    writeFileSync(downloaded, await (await fetch((await again.downloadRecord(at)).url)).bytes())
    expect(statSync(downloaded).size).toBe((await again.getRecord(at)).size)
    expect(probe(downloaded).streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac'])
    expect(existsSync(captured)).toBe(false)
  }, 180_000)
})

/** A capture, as the browser would have left it, of more than 32 MB. */
const makeCapture = (file: string) => {
  const [video, audio] = ['nullsrc=s=640x360:r=30,geq=random(1)*255:128:128', 'sine=r=48000']
  const from = [video, audio].flatMap(source => ['-f', 'lavfi', '-i', source])
  const to = ['-t', '20', '-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '16M', '-g', '60', '-c:a', 'libopus']
  execFileSync('ffmpeg', ['-v', 'error', ...from, ...to, '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4', file])
}

const capturedIn = (at: { id: string; spaceId: string; roomId: string }) => ({
  ...at,
  roomName: 'Algebra',
  callId: newId(Date.now()),
  channelId: 'channel',
  state: 'processing' as const,
  reason: null,
  workerId: 'gone',
  leaseUntil: 0,
  createdAt: Date.now(),
  startedAt: Date.now(),
  stopAt: Date.now(),
  endedAt: Date.now(),
  finishedAt: null,
  durationMs: null,
  size: 0,
  place: null,
  picture: null,
  deletedAt: null,
})

/** In front of a storage: tells what it was asked and which parts were sent, and lets one of them wait for ever. */
const startGate = async (storage: string) => {
  const methods: string[] = []
  const sent: number[] = []
  let held: { part: number; reached: () => void } | null = null
  const gate = http.createServer((request, response) => {
    const part = Number(/partNumber=(\d+)/.exec(request.url ?? '')?.[1] ?? 0)
    methods.push(request.method ?? '')
    if (request.method === 'PUT' && part > 0) sent.push(part)
    if (held && part === held.part) {
      held.reached()
      held = null
      return
    }
    const { method, headers } = request
    const onwards = http.request(new URL(request.url ?? '', storage), { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    onwards.on('error', () => response.destroy())
    request.pipe(onwards)
  })
  await new Promise<void>(ready => gate.listen(0, '127.0.0.1', ready))
  closeAtTheEnd(() => {
    gate.closeAllConnections()
    gate.close()
  })
  return {
    endpoint: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    methods,
    sent,
    hold: (part: number) =>
      new Promise<void>(reached => {
        held = { part, reached }
      }),
  }
}
