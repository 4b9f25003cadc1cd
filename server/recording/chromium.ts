import { type FileHandle, mkdir, open, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { RecorderMessage, Scene } from '../../contract/recorderPage.ts'
import type { Config } from '../config.ts'
import type { Media } from '../media/media.ts'
import { withScratch } from '../media/scratch.ts'
import type { Db } from '../store/tables.ts'
import { type Browser, openBrowser } from './browser.ts'
import { makeMp4, makePicture } from './ffmpeg.ts'
import { findPrograms, type Programs } from './programs.ts'
import type { Capture, CaptureEnd, RecordedFile, Recorder } from './recorder.ts'
import { sceneOf } from './scene.ts'

const PICTURE = { width: 1280, height: 720, frameRate: 30, videoBitsPerSecond: 2_500_000, fragmentMs: 2000 }
/** A busy machine takes its time to start a browser. */
const BEGUN_WITHIN_MS = 60_000
/** Fragments come every two seconds. */
const SILENT_FOR_MS = 30_000
const DONE_WITHIN_MS = 10_000
/** Left free for the database and everything else, beside what the finished file will take: of the disk, but no more than. */
const SPARE_SHARE = 0.05
const SPARE_BYTES = 256 * 2 ** 20

interface ChromiumRecorderOptions {
  /** Where what is captured goes until there is a file. */
  folder: string
  /** For the browser's own files. */
  cache: string
  programs: () => Programs | { missing: string }
  media: Pick<Media, 'engine' | 'state'>
  /** Where the browser reaches this node, whatever is public. */
  localOrigin: () => string
  sceneOf: (recordId: string) => Promise<Scene>
  log: FastifyBaseLogger
}

const isDiskFull = (error: unknown) =>
  ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Records by a browser without windows that is in the call, unseen, and captures what it shows and plays. */
const createChromiumRecorder = ({
  folder,
  cache,
  programs,
  media,
  localOrigin,
  sceneOf,
  log,
}: ChromiumRecorderOptions): Recorder => {
  const capturedFile = (id: string) => join(folder, `${id}.part`)
  const unfinishedFile = (id: string) => join(folder, `${id}.making`)
  const pictureFile = (id: string) => join(folder, `${id}.picture`)

  const accessFor = async ({ id, channelId }: { id: string; channelId: string }) => {
    const engine = media.engine()
    if (!engine) throw new Error('there is no media engine')
    return {
      mediaUrl: `${localOrigin().replace(/^http/, 'ws')}/media`,
      mediaToken: await engine.control.createRecorderToken(channelId, id),
    }
  }

  const isSpaceLeft = async (size: number) => {
    const { bsize, bavail, blocks } = await statfs(folder)
    return bsize * bavail > size + Math.min(SPARE_BYTES, bsize * blocks * SPARE_SHARE)
  }

  /** Appends fragments one after the other; what it says is written is on disk. */
  const openFile = async (id: string) => {
    await mkdir(folder, { recursive: true })
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

  /** Until it ends, in whichever way. */
  const run = async (
    record: { id: string; channelId: string },
    profile: string,
    handles: { begin: () => void; onSize: (size: number) => void; stopping: AbortSignal; cancelled: AbortSignal },
  ): Promise<CaptureEnd> => {
    const { id } = record
    const found = programs()
    if ('missing' in found) return 'not_started'
    const file = await openFile(id)
    const { promise: outcome, resolve: end } = Promise.withResolvers<CaptureEnd>()
    let isBegun = false
    let isDone = false
    let written: Promise<void> = Promise.resolve()
    let silence: NodeJS.Timeout | undefined
    const expectWithin = (ms: number, what: string) => {
      clearTimeout(silence)
      silence = setTimeout(() => {
        log.warn({ recordId: id }, `the recorder was given up: ${what}`)
        end(isBegun ? 'recorder_lost' : 'not_started')
      }, ms)
    }

    const write = (data: string) => {
      written = written.then(async () => {
        await file.append(Buffer.from(data, 'base64'))
        handles.onSize(file.size())
        if (!(await isSpaceLeft(file.size()))) end('disk_full')
      })
      written.catch(error => {
        log.error({ err: error, recordId: id }, 'a recording could not be written')
        end(isDiskFull(error) ? 'disk_full' : 'recorder_lost')
      })
    }

    const answer = async (what: 'scene' | 'access') => {
      if (what === 'scene') return browser.call('show', await sceneOf(id))
      return browser.call('connect', await accessFor(record))
    }

    const hear = (message: RecorderMessage) => {
      switch (message.type) {
        case 'ready':
          return begin().catch(error => {
            log.warn({ err: error, recordId: id }, 'the recorder could not begin')
            end('not_started')
          })
        case 'begun':
          isBegun = true
          expectWithin(SILENT_FOR_MS, 'nothing came from it')
          return handles.begin()
        case 'fragment':
          if (!isDone) expectWithin(SILENT_FOR_MS, 'nothing came from it')
          return write(message.data)
        case 'done':
          isDone = true
          return void written.then(() => end('stopped'))
        case 'ask':
          return void answer(message.what).catch(error =>
            log.debug({ err: error, recordId: id }, 'the recorder got no answer'),
          )
      }
    }
    const begin = async () =>
      browser.call('start', { ...PICTURE, scene: await sceneOf(id), access: await accessFor(record) })

    const browser: Browser = openBrowser({
      program: found.chromium,
      folder: profile,
      url: `${localOrigin()}/recorder`,
      width: PICTURE.width,
      height: PICTURE.height,
      onMessage: hear,
      onLine: line => log.debug({ recordId: id }, `recorder: ${line}`),
    })
    void browser.ended.then(() => end(isBegun ? 'recorder_lost' : 'not_started'))

    const stop = () => {
      if (!isBegun) return end('stopped')
      isDone = true
      expectWithin(DONE_WITHIN_MS, 'it did not end')
      browser.call('stop').catch(() => {})
    }
    const cancel = () => end('recorder_lost')
    handles.stopping.addEventListener('abort', stop)
    handles.cancelled.addEventListener('abort', cancel)
    if (handles.stopping.aborted) stop()
    if (handles.cancelled.aborted) cancel()
    if (!isDone) expectWithin(BEGUN_WITHIN_MS, 'it did not begin')
    try {
      return await outcome
    } finally {
      clearTimeout(silence)
      browser.kill()
      await browser.ended
      await written.catch(() => {})
      await file.close().catch(() => {})
    }
  }

  return {
    trouble() {
      const found = programs()
      if ('missing' in found) return found.missing
      return media.state().status === 'ready' ? null : 'The media engine is not ready.'
    },

    capture(record): Capture {
      const began = Promise.withResolvers<boolean>()
      const [stopping, cancelled] = [new AbortController(), new AbortController()]
      let size = 0
      const handles = {
        begin: () => began.resolve(true),
        onSize: (bytes: number) => {
          size = bytes
        },
        stopping: stopping.signal,
        cancelled: cancelled.signal,
      }
      let end: CaptureEnd | undefined
      const capturing = withScratch(cache, async profile => {
        end = await run(record, profile, handles)
      })
      const ended = capturing
        .catch(error => {
          log.error({ err: error, recordId: record.id }, 'the recorder failed')
          end ??= isDiskFull(error) ? 'disk_full' : 'not_started'
        })
        .then(() => {
          began.resolve(false)
          return end ?? 'not_started'
        })
      return {
        began: began.promise,
        ended,
        size: () => size,
        stop: () => stopping.abort(),
        cancel: () => cancelled.abort(),
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
      const durationMs = await makeMp4(found.ffmpeg, capturedFile(id), file, lastMs, signal)
      // The browser was lost before its first fragment was whole: there is a head, and no picture.
      if (durationMs === 0) return null
      const { size } = await stat(file)
      const picture = pictureFile(id)
      try {
        await makePicture(found.ffmpeg, file, picture, durationMs, signal)
        return { file, durationMs, size, picture }
      } catch (error) {
        signal.throwIfAborted()
        log.warn({ err: error, recordId: id }, 'there is no picture of a recording')
        return { file, durationMs, size }
      }
    },

    async keepAsIs(id) {
      const file = capturedFile(id)
      const found = await stat(file).catch(() => null)
      return found && found.size > 0 ? { file, durationMs: null, size: found.size } : null
    },

    async discard(id) {
      for (const file of [capturedFile(id), unfinishedFile(id), pictureFile(id)]) await rm(file, { force: true })
    },
  }
}

/** By the settings. */
export const chromiumRecorderOf = (
  config: Config,
  { db, ...parts }: { db: Db } & Pick<ChromiumRecorderOptions, 'media' | 'localOrigin' | 'log'>,
) =>
  createChromiumRecorder({
    folder: config.records ?? join(config.data, 'records'),
    cache: config.cache,
    programs: () => findPrograms(config),
    sceneOf: id => sceneOf(db, id),
    ...parts,
  })
