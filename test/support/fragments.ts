import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './process.ts'

/* A stream as the browser that captures a call gives it: init boxes, then whole fragments, H.264 and Opus. */

const FRAGMENT_MS = 500

/** Each is so long, and begins with a key frame. */
const makeFragments = (seconds: number) => {
  const file = join(temporaryFolder(), 'fragments.mp4')
  const [video, audio] = ['testsrc=size=320x180:rate=30', 'sine=frequency=1000:sample_rate=48000']
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '15', '-c:a', 'libopus']
  const fragmented = ['-movflags', '+frag_keyframe+empty_moov+default_base_moof', '-f', 'mp4', file]
  const inputs = ['-f', 'lavfi', '-i', video, '-f', 'lavfi', '-i', audio, '-t', String(seconds)]
  execFileSync('ffmpeg', ['-v', 'error', ...inputs, ...codecs, ...fragmented])
  const data = readFileSync(file)
  const boxes: { type: string; bytes: Buffer }[] = []
  for (let at = 0; at < data.length; at += data.readUInt32BE(at))
    boxes.push({ type: data.toString('latin1', at + 4, at + 8), bytes: data.subarray(at, at + data.readUInt32BE(at)) })
  const firstFragment = boxes.findIndex(({ type }) => type === 'moof')
  const init = Buffer.concat(boxes.slice(0, firstFragment).map(({ bytes }) => bytes))
  const fragments = boxes.flatMap(({ type, bytes }, index) =>
    type === 'moof' ? [Buffer.concat([bytes, boxes[index + 1]?.bytes ?? Buffer.alloc(0)])] : [],
  )
  return { init, fragments }
}

/** As it would be captured from now on. */
export const streamByHand = (seconds: number) => {
  const { init, fragments } = makeFragments(seconds)
  const began = performance.now()
  return {
    subscribe(take: (chunk: Buffer) => void) {
      let next = Math.ceil((performance.now() - began) / FRAGMENT_MS)
      take(init)
      const timer = setInterval(() => {
        for (; (next + 1) * FRAGMENT_MS < performance.now() - began; next++) {
          const fragment = fragments[next]
          if (fragment) take(fragment)
        }
      }, FRAGMENT_MS / 5)
      return () => clearInterval(timer)
    },
  }
}
