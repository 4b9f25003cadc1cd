import { copyFile, type FileHandle, link, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Captures } from './captures.ts'
import { makeMp4, makePicture } from './ffmpeg.ts'
import { findPrograms, type Programs } from './programs.ts'
import type { Capture, CaptureEnd, RecordedFile, Recorder } from './recorder.ts'

/** Left free for the database and everything else, beside what the finished file will take: of the disk, but no more than. */
const SPARE_SHARE = 0.05
const SPARE_BYTES = 256 * 2 ** 20

const OLD_AFTER_MS = 24 * 3600_000

interface ChromiumRecorderOptions {
  /** Where what is captured goes until there is a file. */
  folder: string
  programs: () => Programs | { missing: string }
  captures: Captures
  log: FastifyBaseLogger
}

const isDiskFull = (error: unknown) =>
  ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Records what a browser captures that is in the call, unseen. */
const createChromiumRecorder = ({ folder, programs, captures, log }: ChromiumRecorderOptions): Recorder => {
  const capturedFile = (id: string) => join(folder, `${id}.part`)
  const unfinishedFile = (id: string) => join(folder, `${id}.making`)
  const pictureFile = (id: string) => join(folder, `${id}.picture`)

  const isSpaceLeft = async (size: number) => {
    const { bsize, bavail, blocks } = await statfs(folder)
    return bsize * bavail > size + Math.min(SPARE_BYTES, bsize * blocks * SPARE_SHARE)
  }

  /** Appends fragments one after the other; what it says is written is on disk. */
  const openFile = async (id: string) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const handle: FileHandle = await open(capturedFile(id), 'a', 0o600)
    let size = 0
    return {
      size: () => size,
      async append(data: Buffer) {
        for (let written = 0; written < data.length; )
          written += (await handle.write(data, written, data.length - written)).bytesWritten
        await handle.datasync()
        size += data.length
      },
      close: () => handle.close(),
    }
  }

  return {
    trouble: captures.trouble,

    capture({ id, callId, channelId }): Capture {
      const opened = openFile(id)
      let size = 0
      let hasBegun = false
      let failure: CaptureEnd | null = null
      let written: Promise<void> = opened.then(() => {})
      const fail = (error: unknown) => {
        log.error({ err: error, recordId: id }, 'a recording could not be written')
        failure ??= isDiskFull(error) ? 'disk_full' : hasBegun ? 'recorder_lost' : 'not_started'
        capturing.cancel()
      }
      const append = async (data: Buffer) => {
        const file = await opened
        await file.append(data)
        size = file.size()
        if (await isSpaceLeft(size)) return
        failure ??= 'disk_full'
        capturing.cancel()
      }
      const capturing = captures.open({ callId, channelId }, data => {
        written = written.then(() => append(data))
        written.catch(fail)
      })
      written.catch(fail)
      const finish = async (how: CaptureEnd) => {
        await written.catch(() => {})
        await opened.then(file => file.close()).catch(() => {})
        return failure ?? how
      }
      return {
        began: capturing.began.then(has => {
          hasBegun = has
          return has
        }),
        ended: capturing.ended.then(finish),
        size: () => size,
        stop: capturing.stop,
        cancel: capturing.cancel,
      }
    },

    hasCaptured: id =>
      stat(capturedFile(id)).then(
        ({ size }) => size > 0,
        () => false,
      ),

    async finish(id, lastMs, signal): Promise<RecordedFile | null> {
      const found = programs()
      const { size: captured } = await stat(capturedFile(id)).catch(() => ({ size: 0 }))
      if (captured === 0) return null
      if ('missing' in found) throw new Error(found.missing)
      const file = unfinishedFile(id)
      // It may be what was captured, by another name.
      await rm(file, { force: true })
      const durationMs = await makeMp4(found.ffmpeg, capturedFile(id), file, lastMs, signal)
      // The browser was lost before its first fragment was whole: there is a head, and no picture.
      if (durationMs === 0) return null
      const { size } = await stat(file)
      const picture = pictureFile(id)
      try {
        await makePicture(found.ffmpeg, file, picture, durationMs, signal)
        // Without a frame from there on it makes none, and does not say so.
        await stat(picture)
        return { file, durationMs, size, picture }
      } catch (error) {
        signal.throwIfAborted()
        log.warn({ err: error, recordId: id }, 'there is no picture of a recording')
        return { file, durationMs, size }
      }
    },

    async keepAsIs(id) {
      const found = await stat(capturedFile(id)).catch(() => null)
      if (!found || found.size === 0) return null
      const file = unfinishedFile(id)
      await rm(file, { force: true })
      // The disk may be full; some know no links.
      await link(capturedFile(id), file).catch(() => copyFile(capturedFile(id), file))
      return { file, durationMs: null, size: found.size }
    },

    async discard(id) {
      for (const file of [capturedFile(id), unfinishedFile(id), pictureFile(id)]) await rm(file, { force: true })
    },

    async listOld() {
      const names = (await readdir(folder).catch(() => [])).filter(name => name.endsWith('.part'))
      const files = await Promise.all(names.map(name => stat(join(folder, name)).catch(() => null)))
      const isOld = (_name: string, index: number) =>
        (files[index]?.mtimeMs ?? Number.POSITIVE_INFINITY) < Date.now() - OLD_AFTER_MS
      return names.filter(isOld).map(name => basename(name, '.part'))
    },
  }
}

/** By the settings. */
export const chromiumRecorderOf = (config: Config, parts: Pick<ChromiumRecorderOptions, 'captures' | 'log'>) =>
  createChromiumRecorder({
    folder: config.records ?? join(config.data, 'records'),
    programs: () => findPrograms(config),
    ...parts,
  })
