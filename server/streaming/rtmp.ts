import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { StreamTargetState } from '../../contract/streams.ts'
import { BlockedAddress, namesForbiddenAddress } from '../delivery/addresses.ts'
import { explain } from '../delivery/post.ts'
import { withoutSettings } from '../media/run.ts'
import { tiedToUs } from '../media/tied.ts'
import { sound } from '../recording/ffmpeg.ts'
import { openRelay, type Relay, type RelayOptions, type RelayTarget } from './relay.ts'

/** Waited before each further attempt; the last of them from then on. */
const RETRY_AFTER_MS = [1000, 2000, 4000, 8000, 15_000, 30_000]
const GIVE_UP_AFTER_MS = 3 * 60_000
/** Shorter, it was no success: some targets take a wrong key and hang up later. */
const LIVE_FOR_MS = 10_000
/** So long it may take less than there is. What waits meanwhile is in memory. */
const STALLED_FOR_MS = 15_000
const STOPPED_WITHIN_MS = 5000
const FLUSHED_WITHIN_MS = 1000

export interface RtmpTarget extends RelayTarget {
  app: string
  /** The stream key, with the query if there is one. */
  key: string
  /** What the target is told that it was asked for. */
  tcUrl: string
}

const DEFAULT_PORTS = { rtmp: 1935, rtmps: 443 }

const parts = /^(rtmps?):\/\/([^/?#@\\\s]+)\/([^?#]+)\/([^/?#]+(?:\?[^#]*)?)$/i

const parse = (text: string): URL | null => URL.parse(text.replace(/^rtmps?:/i, 'https:'))

/**
 * The server's address and the key of the stream, joined by a slash, as the sites that take streams give them to people.
 * null: it is no such address.
 */
export const rtmpTargetOf = (text: string): RtmpTarget | null => {
  const [, scheme, place, app, key] = parts.exec(text) ?? []
  // It has a host in one spelling, whatever the spelling of an address is.
  const host = parse(text)?.hostname.replace(/^\[|\]$/g, '')
  if (!scheme || !place || !app || !key || !host) return null
  if (/[^\x21-\x7e]/.test(text)) return null
  const protocol = scheme.toLowerCase() as keyof typeof DEFAULT_PORTS
  const port = Number(/:(\d+)$/.exec(place)?.[1] ?? DEFAULT_PORTS[protocol])
  return { host, port, isTls: protocol === 'rtmps', app, key, tcUrl: `${protocol}://${place}/${app}` }
}

/** Known before anything is sent: a literal address that is not public, or this machine by name. */
export const isForbiddenTarget = (text: string) => {
  const url = parse(text)
  return url === null || namesForbiddenAddress(url.href)
}

export interface PublisherOptions extends RelayOptions {
  url: string
  ffmpeg: string
  /** Gives what there is of the stream from now on: the init boxes, then whole fragments from one with a key frame. */
  subscribe: (take: (chunk: Buffer) => void) => () => void
  /** On each change; it is `connecting` to begin with. */
  onState: (state: StreamTargetState) => void
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  // Replaced in tests.
  retryAfterMs?: number[]
  giveUpAfterMs?: number
  stalledForMs?: number
}

export interface Publisher {
  /** Nothing runs any more by then. Never rejects. */
  stop: () => Promise<void>
}

/**
 * What the shell does before it becomes ffmpeg. The key comes on its input, ahead of the stream, and is given on by a pipe:
 * everyone on the machine can see how a program was called.
 */
const handOver = `
IFS= read -r app
IFS= read -r key
IFS= read -r url
exec "$@" 3<<END
rtmp_app=$app
rtmp_playpath=$key
rtmp_tcurl=$url
END
`

const argumentsFor = (port: number) => [
  ...['-nostdin', '-v', 'error', '-nostats', '-progress', 'pipe:1'],
  ...['-f', 'mp4', '-i', 'pipe:0', '-map', '0:v:0', '-map', '0:a:0?'],
  ...['-c:v', 'copy', '-c:a', 'aac', '-b:a', '128k', '-af', sound],
  ...['-fpre', '/dev/fd/3', '-f', 'flv', '-flvflags', 'no_duration_filesize', `rtmp://127.0.0.1:${port}`],
]

/** Without the key, of which a target may tell parts. */
const withoutKey = (line: string, { key }: RtmpTarget) =>
  [key, ...key.split(/[?&=]/)]
    .filter(part => part.length > 3)
    .reduce((text, secret) => text.replaceAll(secret, '…'), line)

const startFfmpeg = (program: string, target: RtmpTarget, port: number) => {
  const args = ['-c', handOver, 'sh', program, ...argumentsFor(port)]
  const child = spawn(...tiedToUs('/bin/sh', args, { stdio: ['pipe', 'pipe', 'pipe'], env: withoutSettings() }))
  const [input, progress, errors] = child.stdio as unknown as [Writable, Readable, Readable]
  // It has ended: that is seen elsewhere.
  input.on('error', () => {})
  let said = ''
  createInterface({ input: errors }).on('line', line => {
    said = withoutKey(line, target)
  })
  const ended = new Promise<void>(resolve => {
    child.once('error', () => resolve())
    child.once('close', () => resolve())
  })
  input.write(`${target.app}\n${target.key}\n${target.tcUrl}\n`)
  return { input, progress, ended, said: () => said, kill: () => child.kill('SIGKILL') }
}

/**
 * Publishes a stream to an RTMP or RTMPS address until it is stopped. A target that is lost, or takes less than there is,
 * is tried again, from what is live by then; after some minutes without it, it is given up.
 */
export const publishRtmp = ({
  url,
  ffmpeg,
  subscribe,
  onState,
  log,
  retryAfterMs = RETRY_AFTER_MS,
  giveUpAfterMs = GIVE_UP_AFTER_MS,
  stalledForMs = STALLED_FOR_MS,
  ...guard
}: PublisherOptions): Publisher => {
  const stopping = new AbortController()
  let state: StreamTargetState = 'connecting'
  let liveSince: number | null = null
  const become = (next: StreamTargetState) => {
    if (next === state || stopping.signal.aborted) return
    state = next
    onState(next)
  }

  /** Until the target is lost, or all is stopped. */
  const publishThrough = async (relay: Relay, target: RtmpTarget) => {
    const program = startFfmpeg(ffmpeg, target, relay.port)
    let behindSince: number | null = null
    program.input.on('drain', () => {
      behindSince = null
    })
    let isStalled = false
    const unsubscribe = subscribe(chunk => {
      isStalled ||= behindSince !== null && performance.now() - behindSince > stalledForMs
      if (isStalled) return program.kill()
      if (!program.input.write(chunk)) behindSince ??= performance.now()
    })
    // It tells so only once the target has taken the stream.
    createInterface({ input: program.progress }).on('line', line => {
      if (liveSince !== null || !/^out_time_us=[1-9]/.test(line)) return
      liveSince = performance.now()
      become('live')
    })
    let patience: NodeJS.Timeout | undefined
    const stop = () => {
      unsubscribe()
      if (liveSince === null) return program.kill()
      program.input.end()
      patience = setTimeout(program.kill, STOPPED_WITHIN_MS)
    }
    stopping.signal.addEventListener('abort', stop)
    if (stopping.signal.aborted) stop()
    await program.ended
    unsubscribe()
    stopping.signal.removeEventListener('abort', stop)
    clearTimeout(patience)
    return isStalled ? 'it is too slow' : program.said()
  }

  /** Gives why it came to its end. */
  const attempt = async (target: RtmpTarget): Promise<Error> => {
    liveSince = null
    try {
      const relay = await openRelay(target, guard)
      try {
        const said = await publishThrough(relay, target)
        // The last of it may still be on its way.
        if (stopping.signal.aborted) await Promise.race([relay.ended, sleep(FLUSHED_WITHIN_MS)])
        return relay.failure() ?? new Error(said || 'ffmpeg ended')
      } finally {
        relay.close()
      }
    } catch (error) {
      return error as Error
    }
  }

  const giveUp = (host: string, reason: string) => {
    log.warn({ host, reason }, 'streaming to an RTMP address was given up')
    become('failed')
  }

  const run = async () => {
    const target = rtmpTargetOf(url)
    if (!target) return giveUp('', 'it is no RTMP address')
    const { host } = target
    let [failures, lostAt] = [0, performance.now()]
    while (!stopping.signal.aborted) {
      const failure = await attempt(target)
      if (stopping.signal.aborted) return
      const now = performance.now()
      if (liveSince !== null && now - liveSince >= LIVE_FOR_MS) [failures, lostAt] = [0, now]
      const [reason] = explain(failure)
      if (failure instanceof BlockedAddress || now - lostAt >= giveUpAfterMs) return giveUp(host, reason)
      log.info({ host, reason }, 'streaming to an RTMP address is tried again')
      become('retrying')
      const waitMs = retryAfterMs[Math.min(failures++, retryAfterMs.length - 1)]
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
