import { type AddressInfo, isIPv6 } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Cluster } from './cluster/cluster.ts'
import { joinCluster } from './cluster/join.ts'
import { type Config, ConfigError } from './config.ts'
import { createPoster, type Poster } from './delivery/post.ts'
import { createWorker, type Worker } from './delivery/worker.ts'
import { buildApp } from './http/app.ts'
import { type ConnectionTimeouts, usualConnectionTimeouts } from './http/connections.ts'
import { createLimits } from './http/limits.ts'
import { createMetrics } from './http/observe.ts'
import { createTell } from './http/tell.ts'
import { createFirstOperator, type FirstOperator } from './identity/firstOperator.ts'
import { loadKeys } from './identity/keys.ts'
import { createPasswords, type Passwords } from './identity/passwords.ts'
import { createPersonalTokens } from './identity/personalTokens.ts'
import { createTokenMint } from './identity/tokens.ts'
import { createLive } from './live/live.ts'
import { createMedia, type Media } from './media/media.ts'
import { createPlaces } from './recording/places.ts'
import { quotaOf } from './recording/quota.ts'
import type { Recorder } from './recording/recorder.ts'
import { createRecordings } from './recording/recordings.ts'
import { bucketOf, createStorage } from './recording/storages.ts'
import { ENGINE_EVENTS_PATH } from './routes/media.ts'
import { connectBackground, openDb } from './store/db.ts'
import { startHousekeeping } from './store/housekeeping.ts'
import { belongsToKey } from './store/installation.ts'
import { sharedLimits } from './store/rateLimits.ts'
import { schemaOf } from './store/schema.ts'
import type { Db } from './store/tables.ts'
import type { Streamer } from './streaming/streamer.ts'
import { createStreams } from './streaming/streams.ts'
import { createViewers } from './streaming/viewers.ts'

export interface Running {
  url: string
  /** Of this node, whatever is public. */
  localUrl: string
  /**
   * Answers what is under way, then lets go of everything. What a client has sent may not have been read yet: for
   * `drainMs` requests are still taken, and their connections closed after the answer.
   */
  stop: (drainMs?: number) => Promise<void>
  // Read by tests.
  db: Db
  deliveries: Worker
  media: Media
}

export interface StartOptions {
  /** Told at once, on the first start: whatever fails later, the account is made. */
  onFirstOperator?: (operator: FirstOperator) => void
  // Replaced in tests.
  now?: () => number
  connectionTimeouts?: ConnectionTimeouts
  passwords?: Passwords
  poster?: Poster
  recorder?: Recorder
  streamer?: Streamer
}

/** What records and streams share one browser for each call. Not loaded where a test brings its own. */
const capturersOf = async (
  config: Config,
  parts: { db: Db; media: Media; localOrigin: () => string; log: FastifyBaseLogger },
  given: { recorder: Recorder | undefined; streamer: Streamer | undefined },
) => {
  if (given.recorder && given.streamer) return { recorder: given.recorder, streamer: given.streamer }
  const [{ capturesOf }, { chromiumRecorderOf }, { streamerOf }] = await Promise.all([
    import('./recording/captures.ts'),
    import('./recording/chromium.ts'),
    import('./streaming/ffmpegStreamer.ts'),
  ])
  const [captures, { log }] = [capturesOf(config, parts), parts]
  return {
    recorder: given.recorder ?? chromiumRecorderOf(config, { captures, log }),
    streamer: given.streamer ?? streamerOf(config, { captures, log }),
  }
}

/** Where this machine reaches what listens there. */
export const localOriginOf = (host: string, port: number) => {
  const own = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${isIPv6(own) ? `[${own}]` : own}:${port}`
}

export const start = async (
  config: Config,
  logger: FastifyBaseLogger,
  {
    onFirstOperator,
    now: ownClock,
    connectionTimeouts = usualConnectionTimeouts,
    passwords = createPasswords(),
    poster = createPoster(config.allowPrivateWebhooks, { log: logger }),
    recorder,
    streamer,
  }: StartOptions = {},
): Promise<Running> => {
  const keys = loadKeys(config)
  const db = await openDb(config)
  const background = await connectBackground(config, db)
  const disconnect = async () => {
    await cluster?.leave()
    if (background !== db) await background.destroy()
    await db.destroy()
  }
  let cluster: Cluster | undefined
  try {
    if (!(await belongsToKey(db, keys)))
      throw new ConfigError(
        `The master key in ${config.masterKey ? 'LECTERN_MASTER_KEY' : join(config.data, 'master.key')} does not belong to this database. Restore the original from your backup; without it, the secrets in the database can’t be decrypted.`,
      )
    if ((await schemaOf(db)) === 'newer')
      logger.warn(
        'The schema of the database is newer than this release, which it still serves. Upgrade this node soon.',
      )
    cluster = await joinCluster({ config, keys, db, log: logger })
    const { isLead, publish, resign } = cluster
    const now = ownClock ?? cluster.now
    let isStopping = false
    /** Where this machine reaches us. */
    let localOrigin = ''
    let origin = config.publicUrl ?? `http://localhost:${config.port}`
    const media = createMedia(config, logger, cluster.now)
    const metrics = createMetrics(db, media, now)
    const deliveries = createWorker({
      db: background,
      keys,
      now,
      schedule: config.webhookSchedule,
      log: logger,
      poster,
      publish,
      onAttempt: ({ outcome, durationMs }) => metrics.attempt(outcome, durationMs / 1000),
    })
    if (config.allowPrivateWebhooks)
      logger.warn(
        'LECTERN_ALLOW_PRIVATE_WEBHOOKS is on: webhooks can reach this machine and its network. Do not use it in production.',
      )
    if (config.captchaSecret && !config.captchaProvider)
      logger.warn(
        'A captcha is required, but the pages can’t show one, so no one can register, create users or sign in after many failed attempts. Set LECTERN_CAPTCHA_PROVIDER and LECTERN_CAPTCHA_SITE_KEY.',
      )
    const live = createLive({
      db,
      background,
      media,
      graceSeconds: config.callGrace,
      now,
      wake: deliveries.wake,
      isLead,
      publishClosed: (trx, channelId) => publish(trx, { type: 'closed', channelId }),
      publishDecision: (trx, roomId, person) => publish(trx, { type: 'entry', roomId, person }),
      log: logger,
    })
    const capturers = await capturersOf(
      config,
      { db: background, media, localOrigin: () => localOrigin, log: logger },
      { recorder, streamer },
    )
    const places = createPlaces(config.recorders ?? Math.max(1, Math.floor(availableParallelism() / 2)))
    const storage = createStorage(config.records ?? join(config.data, 'records'), await bucketOf(config, logger))
    const recordings = createRecordings({
      db: background,
      recorder: capturers.recorder,
      storage,
      places,
      quota: quotaOf(config),
      hasOthers: config.databaseUrl !== null,
      now,
      wake: deliveries.wake,
      callChanged: live.callChanged,
      publish: trx => publish(trx, { type: 'records' }),
      log: logger,
    })
    const streams = createStreams({
      db: background,
      keys,
      streamer: capturers.streamer,
      storage,
      places,
      hasOthers: config.databaseUrl !== null,
      now,
      callChanged: live.callChanged,
      publish: trx => publish(trx, { type: 'streams' }),
      log: logger,
    })
    const viewers = createViewers({ db: background, fingerprint: keys.fingerprint, now, log: logger })
    const app = buildApp(
      {
        config,
        deliveries,
        tell: createTell(now, deliveries.wake),
        metrics,
        db,
        keys,
        now,
        media,
        live,
        recordings,
        storage,
        streams,
        viewers,
        mint: createTokenMint(keys, now),
        personalTokens: createPersonalTokens(db, now),
        passwords,
        limits: createLimits(config.rateLimits, sharedLimits(db)),
        publicOrigin: () => origin,
        isStopping: () => isStopping,
      },
      logger,
      connectionTimeouts,
    )
    // Before anybody can ask: as soon as the service answers, its operator can sign in.
    const firstOperator = await createFirstOperator(db, passwords, config, now())
    if (firstOperator) onFirstOperator?.(firstOperator)
    await app.listen({ port: config.port, host: config.host })
    const { port } = app.server.address() as AddressInfo
    if (!config.publicUrl) origin = `http://localhost:${port}`
    localOrigin = localOriginOf(config.host, port)
    media.start(`${localOrigin}${ENGINE_EVENTS_PATH}`)
    cluster.listen({
      onNotice(notice) {
        if (notice.type === 'webhook') deliveries.cutHere(notice.webhookId, notice.cut)
        else if (notice.type === 'closed') media.engine()?.control.forget(notice.channelId)
        else if (notice.type === 'entry') live.waiters.wake(notice.roomId, notice.person)
        else if (notice.type === 'records') recordings.changed()
        else if (notice.type === 'streams') streams.changed()
        else if (notice.type === 'rights' && isLead()) live.rightsChanged(notice.where)
      },
      onMissed() {
        deliveries.recallAll()
        live.waiters.wakeAll()
        if (isLead()) live.rightsChanged('anywhere')
      },
      canLead: () => media.state().status !== 'unavailable',
    })
    live.start()
    recordings.start()
    streams.start()
    viewers.start()
    deliveries.start()
    const stopHousekeeping = startHousekeeping(background, config, logger, now, isLead)
    return {
      url: origin,
      localUrl: `http://localhost:${port}`,
      db,
      deliveries,
      media,
      async stop(drainMs = 0) {
        isStopping = true
        live.waiters.wakeAll()
        if (drainMs > 0) await sleep(drainMs)
        stopHousekeeping()
        live.stop()
        viewers.stop()
        await Promise.all([recordings.stop(), streams.stop()])
        await resign()
        // A connection that was busy when we began to close is idle after its answer, and would keep us waiting.
        const reaping = setInterval(() => app.server.closeIdleConnections(), 100)
        await app.close()
        clearInterval(reaping)
        await media.stop()
        await deliveries.stop()
        await disconnect()
      },
    }
  } catch (error) {
    await disconnect()
    throw error
  }
}
