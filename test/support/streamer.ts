import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Streamer, StreamingHandlers } from '../../server/streaming/streamer.ts'
import { temporaryFolder } from './process.ts'

/** A streamer without a browser: the test says what its segments are. Nodes may share it. */
export const streamerByHand = () => {
  const folder = temporaryFolder()
  let count = 0
  interface Going extends StreamingHandlers {
    url: string | null
    /** How it is made to end; false: it is lost. */
    end: (wasAsked: boolean) => void
  }
  /** By the call. */
  const going = new Map<string, Going>()
  const state = { trouble: null as string | null }
  const streamer: Streamer = {
    trouble: () => state.trouble,
    stream({ callId }, url, handlers) {
      const ended = Promise.withResolvers<boolean>()
      const end = (wasAsked: boolean) => {
        if (going.get(callId) === entry) going.delete(callId)
        ended.resolve(wasAsked)
      }
      const entry: Going = { ...handlers, url, end }
      going.set(callId, entry)
      return { ended: ended.promise, stop: () => end(true), cancel: () => end(false) }
    },
  }
  const add = async (callId: string, text: string, durationMs = 2000) => {
    const file = join(folder, `${++count}.ts`)
    await writeFile(file, text)
    await going.get(callId)?.onSegment({ file, durationMs })
  }
  return { streamer, going, state, add }
}
