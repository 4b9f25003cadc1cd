import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Config } from '../../config.ts'
import { type EngineAccess, launchEngine, type MediaAddress, readAccess } from '../../media/launch.ts'
import { createLiveKit } from '../../media/livekit.ts'
import { probeMedia, probeSignalling } from '../../media/probe.ts'
import { findEngine, requireBuilder } from '../../media/provision.ts'
import { attempt, type Finding, trouble } from './finding.ts'
import { requireTcp, requireUdp } from './ports.ts'
import { requirePrivate } from './reach.ts'

const READY_WITHIN_MS = 15_000

const connectTo = async ({ url, apiKey, apiSecret }: EngineAccess, media: MediaAddress | null) => {
  await probeSignalling(createLiveKit({ urls: () => [url], apiKey, apiSecret, now: Date.now }), url)
  if (media) await probeMedia(media)
}

/** An engine of its own for a moment, with the settings the service would give it. */
const tryOut = async (config: Config, program: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-doctor-'))
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  let starts = 0
  const engine = await launchEngine({
    program,
    folder,
    mediaIp: config.mediaIp,
    mediaPorts: config.mediaPorts,
    // Nobody is there to hear of it.
    eventsUrl: 'http://127.0.0.1:9/',
    log: pino({ level: 'silent' }),
    onState: state => {
      if (state === 'ready') resolve()
      else if (++starts > 1) reject(new Error('it exits right after starting'))
    },
  })
  const late = setTimeout(() => reject(new Error('it does not respond')), READY_WITHIN_MS)
  try {
    await ready
    await connectTo(engine, readAccess(folder)?.media ?? null)
  } finally {
    clearTimeout(late)
    await engine.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const outside = async ({ livekitApiKey, livekitApiSecret }: Config, url: string): Promise<Finding[]> => {
  const access = { url, apiKey: livekitApiKey ?? '', apiSecret: livekitApiSecret ?? '' }
  const answers = await attempt(`media engine at ${url}`, () =>
    createLiveKit({ urls: () => [access.url], apiKey: access.apiKey, apiSecret: access.apiSecret, now: Date.now })
      .channels()
      .catch(error => trouble(`it does not respond or rejects the key (${error.message}). Check LECTERN_LIVEKIT_*`)),
  )
  const reach = await attempt(`media engine port of ${url}`, () => requirePrivate(url))
  return answers.trouble
    ? [answers, reach]
    : [answers, reach, await attempt(`connection to the media engine at ${url}`, () => connectTo(access, null))]
}

/** The engine of the service that runs already. */
const running = async ({ data }: Config, state: string): Promise<Finding[]> => {
  if (state !== 'ready')
    return [
      await attempt(
        `media engine: ${state}`,
        () => state === 'failed' && trouble('it could not be started. See the log'),
      ),
    ]
  const access = readAccess(data)
  return [
    await attempt('media engine: running', () => undefined),
    await attempt('connection to the media engine', () =>
      access
        ? connectTo(access, access.media)
        : trouble(`the running service does not use ${data}. Set LECTERN_DATA to its data folder`),
    ),
  ]
}

const own = async (config: Config): Promise<Finding[]> => {
  const findings: Finding[] = []
  if (config.mediaPorts) {
    const { tcp, udp } = config.mediaPorts
    findings.push(
      await attempt(`media port ${tcp} (TCP)`, () => requireTcp(tcp, '0.0.0.0', 'LECTERN_MEDIA_PORTS')),
      await attempt(`media port ${udp} (UDP)`, () => requireUdp(udp, 'LECTERN_MEDIA_PORTS')),
    )
  }
  const program = await findEngine(config.cache)
  if (!program)
    return [...findings, await attempt('media engine: built on first start', () => requireBuilder(config.cache))]
  findings.push(await attempt(`media engine ${program}`, () => undefined))
  if (findings.every(finding => finding.trouble === null))
    findings.push(await attempt('connection to the media engine', () => tryOut(config, program)))
  return findings
}

/** Whether people will be able to meet. `runningState`: what a service that runs already says of its engine. */
export const examineMedia = (config: Config, runningState: string | null): Promise<Finding[]> => {
  if (!config.media) return attempt('media: off', () => undefined).then(finding => [finding])
  if (config.livekitUrl.length > 0)
    return Promise.all(config.livekitUrl.map(url => outside(config, url))).then(findings => findings.flat())
  return runningState === null ? own(config) : running(config, runningState)
}
