import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { buildApp } from './app.ts'
import { createFirstOperator } from './bootstrap.ts'
import type { Config } from './config.ts'
import { startHousekeeping } from './housekeeping.ts'
import { loadKeys } from './keys.ts'
import { createLimits } from './limits.ts'
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
    const app = buildApp(
      {
        config,
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
    const stopHousekeeping = startHousekeeping(db, logger, now)
    return {
      url: origin,
      firstOperator,
      async stop() {
        stopHousekeeping()
        await app.close()
        await db.destroy()
      },
    }
  } catch (error) {
    await db.destroy()
    throw error
  }
}
