import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CaptureEnd, Recorder } from '../../server/recording/recorder.ts'
import { temporaryFolder } from './process.ts'

/** A recorder without a browser: it begins at once, and its file says which recording it is of. Nodes may share it. */
export const recorderByHand = () => {
  const folder = temporaryFolder()
  const fileOf = (id: string) => join(folder, `${id}.captured`)
  /** Of those that go on: how they are made to end. */
  const running = new Map<string, (end: CaptureEnd) => void>()
  const state = {
    trouble: null as string | null,
    /** Whether it begins as soon as it is asked to. */
    isQuick: true,
    size: 1000,
    /** How many times making a file still fails. */
    failures: 0,
    lastMs: undefined as number | null | undefined,
  }
  const recorder: Recorder = {
    trouble: () => state.trouble,
    capture({ id }) {
      const began = Promise.withResolvers<boolean>()
      const ended = Promise.withResolvers<CaptureEnd>()
      const begin = async () => {
        await writeFile(fileOf(id), `Recording ${id}`)
        began.resolve(true)
      }
      const end = (how: CaptureEnd) => {
        running.delete(id)
        began.resolve(false)
        ended.resolve(how)
      }
      running.set(id, end)
      if (state.isQuick) void begin()
      return {
        began: began.promise,
        ended: ended.promise,
        size: () => state.size,
        stop: () => end('stopped'),
        cancel: () => end('recorder_lost'),
      }
    },
    hasCaptured: async id => existsSync(fileOf(id)),
    async finish(id, lastMs) {
      state.lastMs = lastMs
      if (state.failures-- > 0) throw new Error('no file could be made')
      return recorder.keepAsIs(id)
    },
    async keepAsIs(id) {
      if (!existsSync(fileOf(id))) return null
      const picture = `${fileOf(id)}.jpg`
      await writeFile(picture, `Picture of ${id}`)
      return { file: fileOf(id), durationMs: 61_400, size: Buffer.byteLength(`Recording ${id}`), picture }
    },
    discard: id => rm(fileOf(id), { force: true }),
  }
  return { recorder, running, state, fileOf }
}
