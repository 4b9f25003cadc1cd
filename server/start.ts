import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.ts'
import { createFirstOperator } from './bootstrap.ts'
import type { Config } from './config.ts'
import { createPoster } from './delivery/post.ts'
import { createWorker } from './delivery/worker.ts'
import { startHousekeeping } from './housekeeping.ts'
import { loadKeys } from './keys.ts'
import { createLimits } from './limits.ts'
import { createMetrics } from './observe.ts'
import { openDb } from './store/db.ts'
import { createTokenMint } from './tokens.ts'

export interface Running {
  url: string
  /** The operator's account, when this start made it. */
  firstOperator: { email: string; password: string | null } | null
  /** Answers what is under way, then lets go of everything. */
  stop: () => Promise<void>
}

export const start = async (
  config: Config,
  logger: FastifyBaseLogger,
  now: () => number = Date.now,
): Promise<Running> => {
  const keys = loadKeys(config.data)
  const db = await openDb(config)
  try {
    const firstOperator = await createFirstOperator(db, config, now())
    let origin = config.publicUrl ?? `http://localhost:${config.port}`
    const metrics = createMetrics(db, now)
    const deliveries = createWorker({
      db,
      keys,
      now,
      schedule: config.webhookSchedule,
      log: logger,
      poster: createPoster(config.allowPrivateWebhooks),
      onAttempt: ({ outcome, durationMs }) => metrics.attempt(outcome, durationMs / 1000),
    })
    if (config.allowPrivateWebhooks)
      logger.warn(
        'LECTERN_ALLOW_PRIVATE_WEBHOOKS is on: callbacks may reach this machine and its network. Not for production.',
      )
    const app = buildApp(
      {
        config,
        deliveries,
        metrics,
        db,
        keys,
        now,
        media: null,
        mint: createTokenMint(keys, now),
        limits: createLimits(config.rateLimits),
        publicOrigin: () => origin,
      },
      logger,
    )
    await app.listen({ port: config.port, host: config.host })
    if (!config.publicUrl) origin = `http://localhost:${(app.server.address() as AddressInfo).port}`
    deliveries.start()
    const stopHousekeeping = startHousekeeping(db, logger, now)
    return {
      url: origin,
      firstOperator,
      async stop() {
        stopHousekeeping()
        // A connection that was busy when we began to close is idle after its answer, and would keep us waiting.
        const reaping = setInterval(() => app.server.closeIdleConnections(), 100)
        await app.close()
        clearInterval(reaping)
        await deliveries.stop()
        await db.destroy()
      },
    }
  } catch (error) {
    await db.destroy()
    throw error
  }
}
