import { existsSync, readdirSync } from 'node:fs'
import { copyFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { CaptureEnd, Recorder } from '../../server/recording/recorder.ts'
import { temporaryFolder } from './process.ts'

/** A recorder without a browser: it begins at once, and its file says which recording it is of. Nodes may share it. */
export const recorderByHand = () => {
  const folder = temporaryFolder()
  const fileOf = (id: string) => join(folder, `${id}.captured`)
  /** Of those that go on: how they are made to end. */
  const running = new Map<string, (end: CaptureEnd) => void>()
  /** Of those that have not begun: how they do. */
  const waiting = new Map<string, () => void>()
  const state = {
    trouble: null as string | null,
    /** Whether it begins as soon as it is asked to. */
    isQuick: true,
    /** Whether it ends as soon as it is asked to. */
    isSlow: false,
    size: 1000,
    /** How many times making a file still fails. */
    failures: 0,
    lastMs: undefined as number | null | undefined,
    /** What making a file waits for. */
    gate: Promise.resolve(),
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
      waiting.set(id, begin)
      if (state.isQuick) void begin()
      return {
        began: began.promise,
        ended: ended.promise,
        size: () => state.size,
        stop: () => void (state.isSlow || end('stopped')),
        cancel: () => end('recorder_lost'),
      }
    },
    hasCaptured: async id => existsSync(fileOf(id)),
    async finish(id, lastMs) {
      state.lastMs = lastMs
      await state.gate
      if (state.failures-- > 0) throw new Error('no file could be made')
      return recorder.keepAsIs(id)
    },
    async keepAsIs(id) {
      if (!existsSync(fileOf(id))) return null
      const [file, picture] = [`${fileOf(id)}.mp4`, `${fileOf(id)}.jpg`]
      await copyFile(fileOf(id), file)
      await writeFile(picture, `Picture of ${id}`)
      return { file, durationMs: 61_400, size: Buffer.byteLength(`Recording ${id}`), picture }
    },
    discard: id => rm(fileOf(id), { force: true }),
    listOld: async () => readdirSync(folder).map(name => basename(name, '.captured')),
  }
  return { recorder, running, begin: (id: string) => waiting.get(id)?.(), state, fileOf }
}
