import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { keepLast, withoutSettings } from '../media/run.ts'
import { tiedToUs } from '../media/tied.ts'

/** How much later than the picture of the same moment the browser captures its sound, whatever else the machine does. */
const SOUND_LATE_SECONDS = 0.06

/** Where sound is missing there is silence, so that what follows stays with its picture. */
export const sound = [
  'aresample=async=1:first_pts=0',
  `atrim=start=${SOUND_LATE_SECONDS}`,
  `asetpts=PTS-${SOUND_LATE_SECONDS}/TB`,
].join(',')

/** Of what it says, when the disk is full at the end; it ends with 0 all the same. */
const isTorn = (complaint: string) => /^Error (writing trailer|closing file)/.test(complaint)

/** Gives what it prints, line by line. It ends with us. */
const run = async (program: string, args: string[], signal: AbortSignal, onLine: (line: string) => void = () => {}) => {
  signal.throwIfAborted()
  const always = ['-nostdin', '-v', 'error', '-y']
  const options = { stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'], env: withoutSettings() }
  const child = spawn(...tiedToUs(program, [...always, ...args], options))
  const [, outputs, complaints] = child.stdio as unknown as [null, Readable, Readable]
  const stop = () => child.kill('SIGKILL')
  signal.addEventListener('abort', stop)
  const errors: string[] = []
  createInterface({ input: outputs }).on('line', onLine)
  createInterface({ input: complaints }).on('line', line => keepLast(errors, line))
  try {
    const ending = await new Promise<string | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, ended) => resolve(code === 0 ? null : `ended with ${ended ?? code}`))
    })
    if (ending !== null || errors.some(isTorn)) throw new Error(`ffmpeg ${[ending ?? 'failed', ...errors].join('; ')}`)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * Makes an MP4 that players everywhere take, and begin to play before they have all of it: the video as it is, the audio
 * as AAC. Gives how long it is.
 */
export const makeMp4 = async (
  program: string,
  from: string,
  to: string,
  lastMs: number | null,
  signal: AbortSignal,
): Promise<number> => {
  const args = [
    ...['-i', from, '-map', '0:v:0', '-map', '0:a:0?', '-c:v', 'copy', '-c:a', 'aac', '-b:a', '128k'],
    ...['-af', sound],
    ...(lastMs === null ? [] : ['-t', String(lastMs / 1000)]),
    ...['-movflags', '+faststart', '-f', 'mp4', '-progress', 'pipe:1', to],
  ]
  let durationMs = 0
  await run(program, args, signal, line => {
    const [, time] = /^out_time_us=(\d+)$/.exec(line) ?? []
    if (time) durationMs = Math.round(Number(time) / 1000)
  })
  return durationMs
}

/** Nobody is there yet at the very beginning. */
const PICTURE_AT_SECONDS = 10

/** Makes a small JPEG of it. */
export const makePicture = (program: string, from: string, to: string, durationMs: number, signal: AbortSignal) => {
  const at = Math.min(PICTURE_AT_SECONDS, durationMs / 2000)
  const picture = ['-frames:v', '1', '-vf', 'scale=640:-2', '-q:v', '5', '-f', 'image2']
  return run(program, ['-ss', String(at), '-i', from, ...picture, '-update', '1', to], signal)
}
