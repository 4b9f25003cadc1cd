import { spawnSync } from 'node:child_process'
import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  LocalVideoTrack,
  type Room,
  TrackPublishOptions,
  TrackSource,
  VideoBufferType,
  VideoFrame,
  VideoSource,
} from '@livekit/rtc-node'

/* Somebody whose picture flashes every two seconds, at the very moment of a beep, and the look whether that is so still. */

const EVERY_MS = 2000
const LASTS_MS = 200
const [WIDTH, HEIGHT, RATE] = [320, 180, 48_000]
const FRAME_MS = 33
const SOUND_MS = 10
const QUEUED_MS = 200

const picture = (luma: number) => {
  const data = new Uint8Array((WIDTH * HEIGHT * 3) / 2).fill(128)
  data.fill(luma, 0, WIDTH * HEIGHT)
  return new VideoFrame(data, WIDTH, HEIGHT, VideoBufferType.I420)
}

const sound = (isOn: boolean) => {
  const samples = (RATE * SOUND_MS) / 1000
  const data = new Int16Array(samples)
  if (isOn) for (let n = 0; n < samples; n++) data[n] = 12_000 * Math.sin((2 * Math.PI * 1000 * n) / RATE)
  return new AudioFrame(data, RATE, 1, samples)
}

const isOnAt = (ms: number) => ms % EVERY_MS < LASTS_MS

/** Until the room is disconnected. */
export const flashAndBeep = async (room: Room) => {
  const video = new VideoSource(WIDTH, HEIGHT)
  const audio = new AudioSource(RATE, 1, 2 * QUEUED_MS)
  const publish = (track: LocalVideoTrack | LocalAudioTrack, source: TrackSource) => {
    const options = new TrackPublishOptions()
    options.source = source
    // As browsers say that the two belong together: they are played so.
    options.stream = 'camera'
    return room.localParticipant?.publishTrack(track, options)
  }
  await publish(LocalVideoTrack.createVideoTrack('flash', video), TrackSource.SOURCE_CAMERA)
  await publish(LocalAudioTrack.createAudioTrack('beep', audio), TrackSource.SOURCE_MICROPHONE)
  const [dark, bright] = [picture(16), picture(235)]
  const [silent, loud] = [sound(false), sound(true)]
  /** Of the sound, in milliseconds. It waits while we are too busy to go on, and what follows is later from then on. */
  let heardUntil = 0
  let seenAt = -FRAME_MS
  const timer = setInterval(() => {
    for (let queued = audio.queuedDuration; queued < QUEUED_MS; queued += SOUND_MS, heardUntil += SOUND_MS)
      // The queue is full, or the room is gone: nobody hears this one.
      audio.captureFrame(isOnAt(heardUntil) ? loud : silent).catch(() => {})
    const now = performance.now()
    if (now < seenAt + FRAME_MS - 5) return
    video.captureFrame(isOnAt(heardUntil - audio.queuedDuration) ? bright : dark)
    seenAt = now
  }, 5)
  return () => clearInterval(timer)
}

/** When each value rises well above the least, in seconds: a flash is smaller with others beside it. */
const rises = (values: { at: number; value: number }[], share: number) => {
  const all = values.map(({ value }) => value)
  const [least, most] = [Math.min(...all), Math.max(...all)]
  const limit = least + (most - least) * share
  return values
    .filter(({ value }, index) => value > limit && (values[index - 1]?.value ?? limit) <= limit)
    .map(({ at }) => at)
}

const measure = (file: string, filter: string, kind: 'vf' | 'af', key: string) => {
  const args = [...quiet, '-i', file, ...anyRate, kind === 'vf' ? '-an' : '-vn', `-${kind}`, filter]
  const { stdout, stderr, status } = spawnSync('ffmpeg', [...args, '-f', 'null', '-'], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  if (status !== 0) throw new Error(stderr)
  return [...stdout.matchAll(new RegExp(`pts_time:([\\d.]+)\\n${key}=(\\S+)`, 'g'))].map(([, at, value]) => ({
    at: Number(at),
    value: Math.max(value === '-inf' ? -80 : Number(value), -80),
  }))
}

/** Of each beep in the file, how many milliseconds after the flash next to it it is heard. */
export const syncOf = (file: string) => {
  const luma = 'lavfi.signalstats.YAVG'
  const level = 'lavfi.astats.Overall.RMS_level'
  const flashes = rises(measure(file, `signalstats,metadata=print:key=${luma}:file=-`, 'vf', luma), 0.25)
  const beeps = rises(
    measure(
      file,
      `aresample=48000,asetnsamples=240,astats=metadata=1:reset=1,ametadata=print:key=${level}:file=-`,
      'af',
      level,
    ),
    0.6,
  )
  const nearest = (beep: number) =>
    flashes.toSorted((one, other) => Math.abs(one - beep) - Math.abs(other - beep))[0] ?? Number.NaN
  return { flashes, beeps, offsets: beeps.map(beep => Math.round((beep - nearest(beep)) * 1000)) }
}

/** Of the offsets: on a busy machine single ones are late, and so is the one who flashes. */
export const median = (values: number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

const quiet = ['-nostdin', '-v', 'error']
/** Pictures come when something has changed. */
const anyRate = ['-fps_mode', 'passthrough', '-enc_time_base', '1:90000']

interface Probed {
  seconds: number
  streams: { codec_name: string; codec_type: string; width?: number; height?: number; avg_frame_rate: string }[]
}

/** What is in the file; throws if it can't be played from end to end. */
export const probe = (file: string): Probed => {
  const played = spawnSync('ffmpeg', [...quiet, '-xerror', '-i', file, ...anyRate, '-f', 'null', '-'], {
    encoding: 'utf8',
  })
  if (played.status !== 0) throw new Error(`it can't be played: ${played.stderr}`)
  const { stdout } = spawnSync('ffprobe', ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', file], {
    encoding: 'utf8',
  })
  const { format, streams } = JSON.parse(stdout)
  return { seconds: Number(format.duration), streams }
}
