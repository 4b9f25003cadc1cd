import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { MediaEngine } from './engine.ts'
import { createProgress } from './progress.ts'
import type { MediaState } from './state.ts'

export interface Engine {
  control: MediaEngine
  /** Where to connect to it: the others if the first is away. */
  urls: () => string[]
  /** Whether a channel whose node has died can be opened on another; otherwise the people in it join again. */
  canMoveChannels: boolean
}

export interface Media {
  /** Another object after every change, so that one which has passed is noticed too. */
  state: () => MediaState
  /** null until it is known where the engine is. */
  engine: () => Engine | null
  /** Finds, builds and runs the engine in the background; the rest of the service does not wait for it. */
  start: (eventsUrl: string) => void
  stop: () => Promise<void>
}

export const createMedia = (config: Config, log: FastifyBaseLogger, now: () => number): Media => {
  let state: MediaState = config.media ? { status: 'starting' } : { status: 'off' }
  let engine: Engine | null = null
  let running: Promise<(() => Promise<void>) | undefined> | undefined
  const cancelled = new AbortController()

  const show = createProgress(log, process.stdout)
  const become = (next: MediaState) => {
    state = next
    show(next)
  }

  const run = async (eventsUrl: string): Promise<(() => Promise<void>) | undefined> => {
    // Loaded here: an installation without media has no use for any of it.
    const { createLiveKit } = await import('./livekit.ts')
    if (config.livekitUrl.length > 0) {
      const { watchNodes } = await import('./nodes.ts')
      const nodes = watchNodes(config.livekitUrl, log, anyAnswers =>
        become({ status: anyAnswers ? 'ready' : 'unavailable' }),
      )
      const urls = nodes.inOrder
      const { livekitApiKey, livekitApiSecret } = config
      const control = createLiveKit({ urls, apiKey: livekitApiKey ?? '', apiSecret: livekitApiSecret ?? '', now })
      engine = { control, urls, canMoveChannels: true }
      return async () => nodes.stop()
    }
    const { EngineMissing, provideEngine } = await import('./provision.ts')
    const { launchEngine } = await import('./launch.ts')
    try {
      let shown = -1
      const program = await provideEngine(
        config.cache,
        progress => {
          if (progress.status === 'downloading') return become(progress)
          const whole = Math.min(99, Math.floor(progress.percent))
          if (whole > shown) become({ status: 'preparing', percent: whole })
          shown = Math.max(shown, whole)
        },
        cancelled.signal,
      )
      const launched = await launchEngine({
        program,
        folder: config.data,
        mediaIp: config.mediaIp,
        mediaPorts: config.mediaPorts,
        eventsUrl,
        log,
        onState: (status, { url, apiKey, apiSecret }) => {
          // Another one each time: what the last knew of its channels went with it.
          if (status === 'starting') {
            const urls = () => [url]
            engine = { control: createLiveKit({ urls, apiKey, apiSecret, now }), urls, canMoveChannels: false }
          }
          become({ status })
        },
      })
      return launched.stop
    } catch (error) {
      if (cancelled.signal.aborted) return undefined
      const reason =
        error instanceof EngineMissing
          ? error.message
          : `The media engine could not be started: ${(error as Error).message}`
      become({ status: 'failed', reason })
      log.error(reason)
      return undefined
    }
  }

  return {
    state: () => state,
    engine: () => engine,
    start(eventsUrl) {
      if (config.media) running = run(eventsUrl)
    },
    async stop() {
      cancelled.abort()
      await (await running)?.()
    },
  }
}
