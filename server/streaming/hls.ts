import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { keepLast, withoutSettings } from '../media/run.ts'
import { tiedToUs } from '../media/tied.ts'
import { sound } from '../recording/ffmpeg.ts'

/** There is a key frame as often. */
const SEGMENT_SECONDS = 2
/** What it has not taken yet. By then it has stood still for a minute. */
const MOST_WAITING_BYTES = 32 * 2 ** 20
const ENDED_WITHIN_MS = 5000

const argumentsFor = (folder: string) => [
  ...['-nostdin', '-v', 'error', '-probesize', '100k', '-analyzeduration', '0'],
  ...['-f', 'mp4', '-i', 'pipe:0', '-map', '0:v:0', '-map', '0:a:0?'],
  ...['-c:v', 'copy', '-c:a', 'aac', '-b:a', '128k', '-af', sound],
  ...['-f', 'segment', '-segment_time', String(SEGMENT_SECONDS), '-segment_format', 'mpegts'],
  // They are one stream, with the counters of its packets going on.
  ...['-individual_header_trailer', '0'],
  // Each is listed once it is whole.
  ...['-segment_list', 'pipe:1', '-segment_list_type', 'csv', join(folder, '%d.ts')],
]

export interface Hls {
  write: (data: Buffer) => void
  /** Makes the last segment, and ends. */
  end: () => void
  /** Why it ended; null: as asked. All segments have been told by then. Never rejects. */
  ended: Promise<Error | null>
}

/** Cuts a call that is being captured into segments for players. It ends with us. */
export const startHls = (
  program: string,
  folder: string,
  onSegment: (segment: { file: string; durationMs: number }) => void,
): Hls => {
  const options = { stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'], env: withoutSettings() }
  const child = spawn(...tiedToUs(program, argumentsFor(folder), options))
  const [input, list, complaints] = child.stdio as unknown as [Writable, Readable, Readable]
  const errors: string[] = []
  let patience: NodeJS.Timeout | undefined
  const kill = () => child.kill('SIGKILL')
  createInterface({ input: list }).on('line', line => {
    const [name = '', from, to] = line.split(',')
    onSegment({ file: join(folder, name), durationMs: Math.round((Number(to) - Number(from)) * 1000) })
  })
  createInterface({ input: complaints }).on('line', line => keepLast(errors, line))
  // It has ended: that is seen below.
  input.on('error', () => {})
  const ended = new Promise<Error | null>(resolve => {
    child.once('error', resolve)
    child.once('close', (code, signal) => {
      clearTimeout(patience)
      const told = [`ffmpeg ended with ${signal ?? code}`, ...errors]
      resolve(code === 0 ? null : new Error(told.join('; ')))
    })
  })
  return {
    ended,
    write(data) {
      if (input.writableLength > MOST_WAITING_BYTES) return kill()
      if (input.writable) input.write(data)
    },
    end() {
      input.end()
      patience ??= setTimeout(kill, ENDED_WITHIN_MS)
    },
  }
}
