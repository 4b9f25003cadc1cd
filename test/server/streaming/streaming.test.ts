import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  LocalVideoTrack,
  type Room,
  TrackPublishOptions,
  TrackSource,
  VideoBufferType,
  VideoFrame,
  VideoSource,
} from '@livekit/rtc-node'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { flashAndBeep, median, probe, syncOf } from '../../support/flash.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'
import { ENGINE_WITHIN_MS, enter, type Place, untilMedia } from '../../support/live.ts'
import { isLong } from '../../support/long.ts'
import { freePort } from '../../support/ports.ts'
import { launchProgram, temporaryFolder } from '../../support/process.ts'
import { browsersOf, childrenOf } from '../../support/processes.ts'

/* A real browser captures a real call, ffmpeg cuts it, and ffmpeg looks at what players get. */

/** A busy machine takes its time to start a browser. */
const WITHIN = { timeout: 90_000, interval: 200 }

const folder = temporaryFolder()
let lectern: Lectern
let owner: Person

beforeAll(async () => {
  lectern = await startLectern({
    LECTERN_MEDIA: 'on',
    LECTERN_RECORDERS: '1',
    LECTERN_RECORDS: folder,
    LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
  })
  owner = await lectern.user('Ada')
  await untilMedia(lectern.url, 'ready', ENGINE_WITHIN_MS)
}, ENGINE_WITHIN_MS + 60_000)

/** What a player does: gets each segment once, in order. */
const watch = async (client: Client, at: Place) => {
  const { playlistUrl } = await vi.waitFor(() => client.watchStream(at), WITHIN)
  const segments = new Map<number, Buffer>()
  const look = async () => {
    const text = await (await fetch(playlistUrl)).text()
    for (const [path, sequence] of text.matchAll(/^\S*\/(\d+)\.ts\S*$/gm)) {
      if (segments.has(Number(sequence))) continue
      segments.set(Number(sequence), Buffer.from(await (await fetch(lectern.url + path)).arrayBuffer()))
    }
    return text
  }
  return {
    look,
    /** Until there are so many. */
    until: (count: number) =>
      vi.waitFor(async () => {
        await look()
        expect(segments.size).toBeGreaterThanOrEqual(count)
      }, WITHIN),
    /** Played one after the other. */
    file(from: number, to: number) {
      const file = join(temporaryFolder(), 'played.ts')
      const wanted = [...segments.entries()].filter(([sequence]) => sequence >= from && sequence < to)
      writeFileSync(file, Buffer.concat(wanted.map(([, bytes]) => bytes)))
      return file
    },
    count: () => segments.size,
    last: () => [...segments.values()].at(-1) ?? Buffer.alloc(0),
  }
}

test.runIf(isLong)(
  'streams a call, also one without pictures, from the browser that records it, and goes on when that is killed',
  async () => {
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const at = { spaceId, roomId }
    const { room } = await enter(owner, at)
    const port = await freePort()
    const received = join(temporaryFolder(), 'received.flv')
    const from = ['-listen', '1', '-i', `rtmp://127.0.0.1:${port}/live/any`]
    const target = launchProgram('ffmpeg', ['-nostdin', '-v', 'error', ...from, '-c', 'copy', received], {})
    const url = `rtmp://127.0.0.1:${port}/live/key`
    const { id } = await vi.waitFor(() => owner.startStream({ ...at, url }), { timeout: 10_000, interval: 200 })
    const player = await watch(owner, at)
    // Nothing moves, and there is something to play all the same.
    await player.until(2)
    onTestFinished(await flashAndBeep(room))

    const begun = player.count()
    const { id: recordId } = await owner.startRecord(at)
    await player.until(begun + 5)
    expect(browsersOf(process.pid)).toHaveLength(1)
    expect((await owner.getLiveCall(at)).stream?.target).toEqual({ host: '127.0.0.1', state: 'live' })
    await owner.stopRecord(at)
    const record = await vi.waitFor(async () => {
      const found = await owner.getRecord({ ...at, recordId })
      expect(found).toMatchObject({ state: 'ready', reason: null })
      return found
    }, WITHIN)
    const download = await owner.downloadRecord({ ...at, recordId })
    const file = join(temporaryFolder(), 'recorded.mp4')
    writeFileSync(file, Buffer.from(await (await fetch(download.url)).arrayBuffer()))
    // Only what was there while it was recorded.
    const recorded = (Date.parse(record.endedAt ?? '') - Date.parse(record.startedAt ?? '')) / 1000
    expect(Math.abs(probe(file).seconds - recorded)).toBeLessThan(4)
    expect((await owner.getLiveCall(at)).stream?.state).toBe('live')

    const played = player.file(begun, player.count())
    const { streams } = probe(played)
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(['h264', 'aac'])
    expect(streams[0]).toMatchObject({ width: 1280, height: 720 })
    const { offsets } = syncOf(played)
    expect(offsets.length).toBeGreaterThan(2)
    // Each with its flash. How near to it is measured where nothing else runs: test/server/recording/sync.test.ts.
    expect(Math.abs(median(offsets))).toBeLessThanOrEqual(500)

    for (const pid of browsersOf(process.pid)) process.kill(pid, 'SIGKILL')
    await vi.waitFor(async () => expect(await player.look()).toContain('#EXT-X-DISCONTINUITY\n'), WITHIN)
    // There is nobody any more, which is no matter to others.
    await target.ended
    expect(
      probe(received)
        .streams.map(({ codec_name }) => codec_name)
        .sort(),
    ).toEqual(['aac', 'h264'])
    expect((await owner.getLiveCall(at)).stream?.target?.state).not.toBe('live')
    await owner.stopStream(at)
    await vi.waitFor(async () => expect(await player.look()).toContain('#EXT-X-ENDLIST'), WITHIN)
    await vi.waitFor(
      () => expect([...browsersOf(process.pid), ...childrenOf(process.pid, 'segment_list')]).toEqual([]),
      WITHIN,
    )
    // They stay for half a minute.
    lectern.advance(31_000)
    await vi.waitFor(() => expect(readdirSync(folder).filter(name => name.startsWith(id))).toEqual([]), WITHIN)
  },
  4 * WITHIN.timeout,
)

/** Somebody whose picture is dark until they are told. */
const publishDark = async (room: Room) => {
  const [width, height] = [640, 360]
  const source = new VideoSource(width, height)
  const options = new TrackPublishOptions()
  options.source = TrackSource.SOURCE_CAMERA
  await room.localParticipant?.publishTrack(LocalVideoTrack.createVideoTrack('light', source), options)
  const picture = (luma: number) => {
    const data = new Uint8Array((width * height * 3) / 2).fill(128)
    return new VideoFrame(data.fill(luma, 0, width * height), width, height, VideoBufferType.I420)
  }
  let [shown, next] = [picture(16), picture(235)]
  const timer = setInterval(() => source.captureFrame(shown), 33)
  onTestFinished(() => clearInterval(timer))
  return () => {
    ;[shown, next] = [next, shown]
    return performance.now()
  }
}

/** When it becomes bright in what was played, in seconds from its start; null: it does not. */
const brightAt = (bytes: Buffer) => {
  const file = join(temporaryFolder(), 'segment.ts')
  writeFileSync(file, bytes)
  const filter = 'signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-'
  const args = ['-nostdin', '-v', 'error', '-i', file, '-an', '-vf', filter, '-f', 'null', '-']
  const { stdout } = spawnSync('ffmpeg', args, { encoding: 'utf8' })
  const values = [...stdout.matchAll(/pts_time:([\d.]+)\n\S+YAVG=([\d.]+)/g)].map(([, at, value]) =>
    [at, value].map(Number),
  )
  const [first] = values
  const bright = values.find(([, value]) => (value ?? 0) > 90)
  return first && bright ? (bright[0] ?? 0) - (first[0] ?? 0) : null
}

test.runIf(isLong)(
  'tells how late the newest segment is',
  async () => {
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const at = { spaceId, roomId }
    const { room } = await enter(owner, at)
    const change = await publishDark(room)
    await vi.waitFor(() => owner.startStream(at), { timeout: 10_000, interval: 200 })
    const player = await watch(owner, at)
    await player.until(5)
    const changedAt = change()
    for (let known = player.count(); ; known = player.count()) {
      const text = await vi.waitFor(
        async () => {
          const found = await player.look()
          expect(player.count()).toBeGreaterThan(known)
          return found
        },
        { timeout: 30_000, interval: 50 },
      )
      const listedAt = performance.now()
      const at = brightAt(player.last())
      if (at === null) continue
      const seconds = Number(
        text
          .match(/#EXTINF:([\d.]+)/g)
          ?.at(-1)
          ?.slice(8),
      )
      const late = (listedAt - changedAt) / 1000
      console.log(
        `a picture can be fetched after ${late.toFixed(1)} s; then the newest is ${(late - (seconds - at)).toFixed(1)} s old`,
      )
      break
    }
    await owner.stopStream(at)
  },
  4 * WITHIN.timeout,
)
