import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Client, createClient } from '../../../client/client.ts'
import { closeAtTheEnd } from '../../support/closing.ts'
import { flashAndBeep, median, probe, syncOf } from '../../support/flash.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'
import { ENGINE_WITHIN_MS, enter, openRoomOf, type Place, untilMedia } from '../../support/live.ts'
import { isLong } from '../../support/long.ts'
import { isRunning, launchProgram, readyAt, startProcess, temporaryFolder } from '../../support/process.ts'
import { browsersOf, childrenOf, commandOf, running } from '../../support/processes.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

/* A real browser records a real call, and ffmpeg looks at what it has made. */

/** A busy machine takes its time to start a browser. */
const WITHIN_MS = 90_000
const SECONDS = 10

const folder = temporaryFolder()

/** The first ffmpeg to make a file is killed. */
const unluckyFfmpeg = () => {
  const [program, marker] = [join(folder, 'ffmpeg'), join(folder, 'was-killed')]
  const lines = ['#!/bin/sh', `[ -e ${marker} ] || { touch ${marker}; kill -9 $$; }`, 'exec ffmpeg "$@"', '']
  writeFileSync(program, lines.join('\n'), { mode: 0o755 })
  return program
}

let lectern: Lectern
let owner: Person
let receiver: Receiver

beforeAll(async () => {
  lectern = await startLectern({
    LECTERN_MEDIA: 'on',
    LECTERN_CALL_GRACE: '1',
    LECTERN_RECORDERS: '2',
    LECTERN_FFMPEG: unluckyFfmpeg(),
    LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
  })
  receiver = await startReceiver()
  closeAtTheEnd(receiver.close)
  owner = await lectern.user('Ada')
  await untilMedia(lectern.url, 'ready', ENGINE_WITHIN_MS)
}, ENGINE_WITHIN_MS + 60_000)

const openRoom = async () => {
  const { spaceId, roomId } = await openRoomOf(owner, receiver)
  const events = ['participant_joined', 'record_started', 'record_finished', 'record_aborted', 'record_failed'] as const
  await owner.setWebhookEvents({ spaceId, events: [...events] })
  return { spaceId, roomId }
}

const untilRecord = (client: Client, at: Place, recordId: string, ...states: string[]) =>
  vi.waitFor(
    async () => {
      const record = await client.getRecord({ ...at, recordId })
      expect(states).toContain(record.state)
      return record
    },
    { timeout: WITHIN_MS, interval: 200 },
  )

/** Somebody flashes and beeps, and is recorded. */
const startRecording = async (client: Client, at: Place) => {
  const { room } = await enter(client, at)
  onTestFinished(await flashAndBeep(room))
  const { id } = await vi.waitFor(() => client.startRecord(at), { timeout: 10_000, interval: 200 })
  await untilRecord(client, at, id, 'recording')
  return { room, recordId: id }
}

/** A fragment is on disk, beyond the head of the file. */
const untilCaptured = (client: Client, at: Place, recordId: string) =>
  vi.waitFor(async () => expect((await client.getRecord({ ...at, recordId })).size).toBeGreaterThan(5000), {
    timeout: WITHIN_MS,
    interval: 200,
  })

const download = async (client: Client, at: Place, recordId: string) => {
  const file = join(folder, `${recordId}.mp4`)
  const { url } = await client.downloadRecord({ ...at, recordId })
  writeFileSync(file, Buffer.from(await (await fetch(url)).arrayBuffer()))
  return file
}

const eventsOf = ({ roomId }: Place) =>
  receiver.callbacks.map(({ body }) => body).filter(body => body.roomId === roomId)

const untilEvents = (at: Place, names: string[]) =>
  vi.waitFor(() => expect(eventsOf(at).map(({ eventName }) => eventName)).toEqual(names), { timeout: 10_000 })

test(
  'makes an MP4 in which picture and sound stay together, though ffmpeg is killed, and nobody sees who records',
  async () => {
    const at = await openRoom()
    const guest = await lectern.user('Grace')
    await owner.updateSpace({ spaceId: at.spaceId, isPublic: true })
    await owner.updateRoom({ ...at, isPublic: true })
    const { room, recordId } = await startRecording(owner, at)
    const other = await enter(guest, at)
    await sleep(SECONDS * 1000)
    const call = await owner.getLiveCall(at)
    expect(call.record).toMatchObject({ id: recordId, state: 'recording', size: expect.any(Number) })
    expect(call.participants.map(({ name }) => name)).toEqual(['Ada', 'Grace'])
    expect(room.remoteParticipants.size).toBe(1)
    expect(other.room.remoteParticipants.size).toBe(1)
    await owner.stopRecord(at)
    const ready = await untilRecord(owner, at, recordId, 'ready', 'failed', 'aborted')
    expect(ready).toMatchObject({ state: 'ready', reason: null })
    expect(readdirSync(folder)).toContain('was-killed')
    await untilEvents(at, ['participant_joined', 'record_started', 'participant_joined', 'record_finished'])
    expect(eventsOf(at).at(-1)).toMatchObject({ recordId, callId: call.id })
    const { items } = await owner.getAttendance({ ...at, callId: call.id })
    expect(items.map(({ name }) => name)).toEqual(['Ada', 'Grace'])

    const file = await download(owner, at, recordId)
    const { seconds, streams } = probe(file)
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac'])
    expect(streams[0]).toMatchObject({ width: 1280, height: 720 })
    const recorded = (Date.parse(ready.endedAt ?? '') - Date.parse(ready.startedAt ?? '')) / 1000
    expect(Math.abs(seconds - recorded)).toBeLessThan(2)
    expect(Math.abs(seconds - (ready.durationSeconds ?? 0))).toBeLessThan(1)
    const picture = join(folder, `${recordId}.jpg`)
    writeFileSync(picture, Buffer.from(await (await fetch(ready.pictureUrl ?? '')).arrayBuffer()))
    expect(probe(picture).streams[0]).toMatchObject({ codec_name: 'mjpeg', width: 640, height: 360 })
    // It plays before all of it is there.
    const bytes = readFileSync(file)
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))

    const { offsets } = syncOf(file)
    expect(offsets.length).toBeGreaterThanOrEqual(SECONDS / 2 - 1)
    // Each with its flash. How near to it is measured where nothing else runs: sync.test.ts.
    expect(Math.abs(median(offsets))).toBeLessThanOrEqual(500)
  },
  2 * WITHIN_MS + SECONDS * 1000,
)

test.runIf(isLong)(
  'keeps what was recorded when the browser is killed, ends with the last participant, and leaves nothing running',
  async () => {
    const at = await openRoom()
    const { room, recordId } = await startRecording(owner, at)
    await untilCaptured(owner, at, recordId)
    for (const pid of browsersOf(process.pid)) process.kill(pid, 'SIGKILL')
    const aborted = await untilRecord(owner, at, recordId, 'aborted')
    expect(aborted).toMatchObject({ reason: 'recorder_lost', isDownloadable: true })
    expect(probe(await download(owner, at, recordId)).seconds).toBeGreaterThan(1)
    await untilEvents(at, ['participant_joined', 'record_started', 'record_aborted'])

    // Stopped before it has begun.
    const { id: early } = await owner.startRecord(at)
    await owner.stopRecord(at)
    expect(await untilRecord(owner, at, early, 'aborted')).toMatchObject({ reason: 'stopped_early' })

    const { id: last } = await owner.startRecord(at)
    await untilRecord(owner, at, last, 'recording')
    await sleep(2500)
    await room.disconnect()
    const ready = await untilRecord(owner, at, last, 'ready')
    const { seconds } = probe(await download(owner, at, last))
    expect(seconds).toBeLessThan(30)
    expect(ready.reason).toBeNull()
    expect(browsersOf(process.pid)).toEqual([])
  },
  4 * WITHIN_MS,
)

/** The program in a process of its own, with somebody in a call there. */
const inProcess = async (url: string) => {
  await untilMedia(url, 'ready', WITHIN_MS)
  const client = createClient({ baseUrl: url })
  await client.signIn('operator', 'operator password')
  const { id: spaceId } = await client.createSpaces({ name: 'Space' })
  const { id: roomId } = await client.createRooms({ spaceId, name: 'Room' })
  return { client, at: { spaceId, roomId } }
}

test.runIf(isLong)(
  'keeps what was recorded when the service is killed, with which browser and ffmpeg end',
  async () => {
    const data = temporaryFolder()
    const settings = {
      LECTERN_DATA: data,
      LECTERN_MEDIA: 'on',
      LECTERN_CALL_GRACE: '1',
      LECTERN_ADMIN_PASSWORD: 'operator password',
    }
    const first = await startProcess(settings)
    const { client, at } = await inProcess(first.url)
    const { recordId } = await startRecording(client, at)
    await untilCaptured(client, at, recordId)
    await client.startStream(at)
    await vi.waitFor(() => client.watchStream(at), { timeout: WITHIN_MS, interval: 200 })
    const segments = () => readdirSync(join(data, 'records')).filter(name => name.endsWith('.ts'))
    expect(segments().length).toBeGreaterThan(0)
    const browsers = browsersOf(first.child.pid ?? 0)
    expect(browsers).toHaveLength(1)
    const [profile = ''] = /--user-data-dir=\S+/.exec(commandOf(browsers[0] ?? 0)) ?? []
    expect(running(profile).length).toBeGreaterThan(2)
    const cutting = childrenOf(first.child.pid ?? 0, 'segment_list')
    expect(cutting).toHaveLength(1)
    first.child.kill('SIGKILL')
    await first.ended
    await vi.waitFor(() => expect([...running(profile), ...cutting.filter(isRunning)]).toEqual([]), {
      timeout: 10_000,
      interval: 100,
    })

    const { url } = await startProcess(settings)
    const again = createClient({ baseUrl: url })
    await again.signIn('operator', 'operator password')
    const record = await untilRecord(again, at, recordId, 'aborted')
    expect(record).toMatchObject({ reason: 'recorder_lost', isDownloadable: true })
    expect(probe(await download(again, at, recordId)).seconds).toBeGreaterThan(1)
    // With the call, or half a minute after it.
    if (isLong) await vi.waitFor(() => expect(segments()).toEqual([]), { timeout: WITHIN_MS, interval: 500 })
  },
  4 * WITHIN_MS,
)

test.runIf(isLong)(
  'ends when the disk is full, with what fitted, and the call goes on',
  async () => {
    const [data, records] = [temporaryFolder(), temporaryFolder()]
    const program = join(import.meta.dirname, '../../../bin/lectern.js')
    const mount = `mount -t tmpfs -o size=400k tmpfs ${records} && exec ${process.execPath} ${program} start`
    const started = launchProgram('unshare', ['--map-root-user', '--mount', 'sh', '-c', mount], {
      PORT: '0',
      LECTERN_DATA: data,
      LECTERN_RECORDS: records,
      LECTERN_MEDIA: 'on',
      LECTERN_RATE_LIMITS: 'off',
      LECTERN_ADMIN_PASSWORD: 'operator password',
    })
    const { client, at } = await inProcess(await readyAt(started))
    const { room, recordId } = await startRecording(client, at)
    const failed = await untilRecord(client, at, recordId, 'failed')
    expect(failed).toMatchObject({ reason: 'disk_full', isDownloadable: true })
    expect(probe(await download(client, at, recordId)).seconds).toBeGreaterThan(1)
    expect((await client.getLiveCall(at)).participantCount).toBe(1)
    expect(room.isConnected).toBe(true)
  },
  4 * WITHIN_MS,
)
