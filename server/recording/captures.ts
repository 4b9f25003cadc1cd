import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import type { RecorderMessage, Scene } from '../../contract/recorderPage.ts'
import type { Config } from '../config.ts'
import type { Media } from '../media/media.ts'
import { keepLast } from '../media/run.ts'
import { withScratch } from '../media/scratch.ts'
import type { Db } from '../store/tables.ts'
import { type Browser, openBrowser } from './browser.ts'
import { createFragments } from './fragments.ts'
import { findPrograms, type Programs } from './programs.ts'
import { sceneOf } from './scene.ts'

const PICTURE = { width: 1280, height: 720, frameRate: 30, videoBitsPerSecond: 2_500_000, fragmentMs: 1000 }
/** A busy machine takes its time to start a browser. */
const BEGUN_WITHIN_MS = 60_000
/** Fragments come every second. */
const SILENT_FOR_MS = 30_000
const DONE_WITHIN_MS = 10_000

const OFF = 'Recording and live streams are off: LECTERN_RECORDERS is 0.'

/** How it came to its end: as asked, or why not. */
export type CapturingEnd = 'stopped' | 'recorder_lost' | 'not_started'

export interface Capturing {
  /** Whether it has begun; false: it ended before. */
  began: Promise<boolean>
  /** Nothing runs any more by then, unless for others. Never rejects. */
  ended: Promise<CapturingEnd>
  /** Gives what is under way, and ends. */
  stop: () => void
  /** Ends at once. */
  cancel: () => void
}

export interface CapturedCall {
  callId: string
  channelId: string
}

/** Captures calls on this node. Whoever wants the same call shares the browser that captures it. */
export interface Captures {
  /** Why nothing can be captured here, and what to do about it; null: it can. */
  trouble: () => string | null
  /** `take` gets the head of an MP4, and then its fragments from now on, each of them whole. */
  open: (call: CapturedCall, take: (data: Buffer) => void) => Capturing
}

interface CapturesOptions {
  /** For the browser's own files. */
  cache: string
  programs: () => Programs | { missing: string }
  media: Pick<Media, 'engine' | 'state'>
  /** Where the browser reaches this node, whatever is public. */
  localOrigin: () => string
  sceneOf: (callId: string) => Promise<Scene>
  log: FastifyBaseLogger
}

interface Taker {
  take: (data: Buffer) => void
  began: PromiseWithResolvers<boolean>
  ended: PromiseWithResolvers<CapturingEnd>
  /** With the next fragment. */
  isLeaving: boolean
}

interface Shared {
  add: (take: Taker['take']) => Capturing
}

const createCaptures = ({ cache, programs, media, localOrigin, sceneOf, log }: CapturesOptions): Captures => {
  /** By channel; those that others can still join. */
  const open = new Map<string, Shared>()

  const accessFor = async (captureId: string, channelId: string) => {
    const engine = media.engine()
    if (!engine) throw new Error('there is no media engine')
    return {
      mediaUrl: `${localOrigin().replace(/^http/, 'ws')}/media`,
      mediaToken: await engine.control.createRecorderToken(channelId, captureId),
    }
  }

  const begin = ({ callId, channelId }: CapturedCall): Shared => {
    const captureId = randomUUID()
    const takers = new Set<Taker>()
    const { promise: outcome, resolve: end } = Promise.withResolvers<CapturingEnd>()
    let browser: Browser | undefined
    let isBegun = false
    let isStopping = false
    let init: Buffer | null = null
    let silence: NodeJS.Timeout | undefined

    const close = () => {
      if (open.get(channelId) === shared) open.delete(channelId)
    }
    const expectWithin = (ms: number, what: string) => {
      clearTimeout(silence)
      silence = setTimeout(() => {
        log.warn({ callId }, `the recorder was given up: ${what}`)
        end(isBegun ? 'recorder_lost' : 'not_started')
      }, ms)
    }
    const leave = (taker: Taker, how: CapturingEnd) => {
      takers.delete(taker)
      taker.began.resolve(false)
      taker.ended.resolve(how)
    }
    /** The last one ends it for good. */
    const depart = (taker: Taker, how: CapturingEnd) => {
      if (takers.size > 1) return leave(taker, how)
      close()
      end(how)
    }

    const fragments = createFragments({
      onInit(data) {
        init = data
        for (const { take } of takers) take(data)
      },
      onFragment(data) {
        for (const taker of takers) {
          taker.take(data)
          if (taker.isLeaving && !isStopping) depart(taker, 'stopped')
        }
      },
    })
    const takeData = (data: Buffer) => {
      try {
        fragments(data)
      } catch (error) {
        log.error({ err: error, callId }, 'the recorder was given up')
        end('recorder_lost')
      }
    }

    const answer = async (what: 'scene' | 'access') => {
      if (what === 'scene') return browser?.call('show', await sceneOf(callId))
      return browser?.call('connect', await accessFor(captureId, channelId))
    }
    const start = async () =>
      browser?.call('start', {
        ...PICTURE,
        scene: await sceneOf(callId),
        access: await accessFor(captureId, channelId),
      })
    const hear = (message: RecorderMessage) => {
      switch (message.type) {
        case 'ready':
          return start().catch(error => {
            log.warn({ err: error, callId }, 'the recorder could not begin')
            end('not_started')
          })
        case 'begun':
          isBegun = true
          expectWithin(SILENT_FOR_MS, 'nothing came from it')
          for (const { began } of takers) began.resolve(true)
          return
        case 'fragment':
          if (!isStopping) expectWithin(SILENT_FOR_MS, 'nothing came from it')
          return takeData(Buffer.from(message.data, 'base64'))
        case 'done':
          // It also ends when it can't go on.
          return end(isStopping ? 'stopped' : 'recorder_lost')
        case 'ask':
          return void answer(message.what).catch(error =>
            log.debug({ err: error, callId }, 'the recorder got no answer'),
          )
      }
    }

    const run = async (profile: string): Promise<CapturingEnd> => {
      const found = programs()
      if ('missing' in found) return 'not_started'
      const said: string[] = []
      let isOver = false
      browser = openBrowser({
        program: found.chromium,
        folder: profile,
        url: `${localOrigin()}/recorder`,
        width: PICTURE.width,
        height: PICTURE.height,
        onMessage: hear,
        onLine(line) {
          keepLast(said, line)
          log.debug({ callId }, `recorder: ${line}`)
        },
      })
      void browser.ended.then(() => {
        if (!isOver) log.warn({ callId, said }, 'the browser that records ended by itself')
        end(isBegun ? 'recorder_lost' : 'not_started')
      })
      if (!isStopping) expectWithin(BEGUN_WITHIN_MS, 'it did not begin')
      try {
        return await outcome
      } finally {
        isOver = true
        clearTimeout(silence)
        close()
        browser.kill()
        await browser.ended
      }
    }

    /** With the last taker. */
    const stopAll = () => {
      isStopping = true
      close()
      if (!isBegun) return end('stopped')
      expectWithin(DONE_WITHIN_MS, 'it did not end')
      browser?.call('stop').catch(() => {})
    }

    const shared: Shared = {
      add(take) {
        const taker: Taker = {
          take,
          began: Promise.withResolvers<boolean>(),
          ended: Promise.withResolvers<CapturingEnd>(),
          isLeaving: false,
        }
        takers.add(taker)
        if (isBegun) taker.began.resolve(true)
        if (init) take(init)
        return {
          began: taker.began.promise,
          ended: taker.ended.promise,
          stop() {
            if (taker.isLeaving || !takers.has(taker)) return
            taker.isLeaving = true
            if ([...takers].every(({ isLeaving }) => isLeaving)) stopAll()
            else if (!isBegun) leave(taker, 'stopped')
          },
          cancel() {
            if (takers.has(taker)) depart(taker, 'recorder_lost')
          },
        }
      },
    }

    let how: CapturingEnd | undefined
    void withScratch(cache, async profile => {
      how = await run(profile)
    })
      .catch(error => log.error({ err: error, callId }, 'the recorder failed'))
      .then(() => {
        close()
        for (const taker of takers) leave(taker, how ?? 'not_started')
      })
    open.set(channelId, shared)
    return shared
  }

  return {
    trouble() {
      const found = programs()
      if ('missing' in found) return found.missing
      return media.state().status === 'ready' ? null : 'The media engine is not ready.'
    },
    open: (call, take) => (open.get(call.channelId) ?? begin(call)).add(take),
  }
}

/** By the settings. */
export const capturesOf = (
  config: Config,
  { db, ...parts }: { db: Db } & Pick<CapturesOptions, 'media' | 'localOrigin' | 'log'>,
) =>
  createCaptures({
    cache: config.cache,
    programs: () => (config.recorders === 0 ? { missing: OFF } : findPrograms(config)),
    sceneOf: id => sceneOf(db, id),
    ...parts,
  })
