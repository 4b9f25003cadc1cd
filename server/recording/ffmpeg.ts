import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { tiedToUs } from '../media/tied.ts'
import { environment } from './programs.ts'

const LINES_TOLD = 5

/** How much later than the picture of the same moment the browser captures its sound, whatever else the machine does. */
const SOUND_LATE_SECONDS = 0.06

/** Where sound is missing there is silence, so that what follows stays with its picture. */
const sound = [
  'aresample=async=1:first_pts=0',
  `atrim=start=${SOUND_LATE_SECONDS}`,
  `asetpts=PTS-${SOUND_LATE_SECONDS}/TB`,
].join(',')

/**
 * Makes an MP4 that players everywhere take, and begin to play before they have all of it: the video as it is, the audio
 * as AAC. Gives how long it is. It ends with us.
 */
export const makeMp4 = async (
  program: string,
  from: string,
  to: string,
  lastMs: number | null,
  signal: AbortSignal,
): Promise<number> => {
  const args = [
    ...['-nostdin', '-v', 'error', '-y', '-i', from],
    ...['-map', '0:v:0', '-map', '0:a:0?', '-c:v', 'copy', '-c:a', 'aac', '-b:a', '128k'],
    ...['-af', sound],
    ...(lastMs === null ? [] : ['-t', String(lastMs / 1000)]),
    ...['-movflags', '+faststart', '-f', 'mp4', '-progress', 'pipe:1', to],
  ]
  const child = spawn(...tiedToUs(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment() }))
  const [, outputs, complaints] = child.stdio as unknown as [null, Readable, Readable]
  const stop = () => child.kill('SIGKILL')
  signal.addEventListener('abort', stop)
  let durationMs = 0
  const errors: string[] = []
  createInterface({ input: outputs }).on('line', line => {
    const [, time] = /^out_time_us=(\d+)$/.exec(line) ?? []
    if (time) durationMs = Math.round(Number(time) / 1000)
  })
  createInterface({ input: complaints }).on('line', line => void errors.push(line))
  try {
    const ending = await new Promise<string | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, ended) => resolve(code === 0 ? null : `ended with ${ended ?? code}`))
    })
    if (ending !== null) throw new Error(`ffmpeg ${[ending, ...errors.slice(-LINES_TOLD)].join('; ')}`)
    return durationMs
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
