import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { withScratch } from '../media/scratch.ts'
import type { CapturedCall, Captures } from '../recording/captures.ts'
import { findPrograms, type Programs } from '../recording/programs.ts'
import { startHls } from './hls.ts'
import { publishRtmp } from './rtmp.ts'
import type { Streamer, StreamingHandlers } from './streamer.ts'

interface StreamerOptions {
  captures: Captures
  programs: () => Programs | { missing: string }
  /** For segments that are being made. */
  cache: string
  /** Whether an RTMP address may be one of this machine's network. */
  allowPrivate: boolean
  log: FastifyBaseLogger
}

/** Streams what a browser captures, by ffmpeg. */
const createStreamer = ({ captures, programs, cache, allowPrivate, log }: StreamerOptions): Streamer => {
  const run = async (
    call: CapturedCall,
    url: string | null,
    { onSegment, onTarget }: StreamingHandlers,
    { stopping, cancelled, folder }: { stopping: AbortSignal; cancelled: AbortSignal; folder: string },
  ): Promise<boolean> => {
    const found = programs()
    if ('missing' in found) return false
    // One after the other, in their order.
    let handled: Promise<void> = Promise.resolve()
    const hls = startHls(found.ffmpeg, folder, segment => {
      handled = handled.then(() => onSegment(segment))
    })
    const capturing = captures.open(call, hls.write)
    const publisher =
      url === null
        ? null
        : publishRtmp({
            url,
            ffmpeg: found.ffmpeg,
            allowPrivate,
            subscribe: take => captures.open(call, take).cancel,
            onState: onTarget,
            log,
          })
    const stop = () => capturing.stop()
    const cancel = () => capturing.cancel()
    // Without it there is nothing to capture for.
    void hls.ended.then(cancel)
    // Others would keep the browser going.
    const stopPublisher = () => publisher?.stop()
    stopping.addEventListener('abort', () => void stopPublisher())
    stopping.addEventListener('abort', stop)
    cancelled.addEventListener('abort', cancel)
    if (stopping.aborted) stop()
    if (cancelled.aborted) cancel()
    const how = await capturing.ended
    hls.end()
    const failure = await hls.ended
    await stopPublisher()
    await handled
    if (failure) log.warn({ err: failure, callId: call.callId }, 'segments of a live stream could not be made')
    return how === 'stopped' && failure === null
  }

  return {
    trouble: captures.trouble,
    stream(call, url, handlers) {
      const [stopping, cancelled] = [new AbortController(), new AbortController()]
      const signals = { stopping: stopping.signal, cancelled: cancelled.signal }
      return {
        ended: withScratch(cache, folder => run(call, url, handlers, { ...signals, folder })).catch(error => {
          log.error({ err: error, callId: call.callId }, 'a live stream failed')
          return false
        }),
        stop: () => stopping.abort(),
        cancel: () => cancelled.abort(),
      }
    },
  }
}

/** By the settings. */
export const streamerOf = (config: Config, parts: Pick<StreamerOptions, 'captures' | 'log'>) =>
  createStreamer({
    programs: () => findPrograms(config),
    cache: config.cache,
    allowPrivate: config.allowPrivateWebhooks,
    ...parts,
  })
