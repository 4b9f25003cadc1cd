import type { FastifyBaseLogger } from 'fastify'
import { forgetOldEvents } from './store/calls.ts'
import { forgetOldDeliveries } from './store/deliveries.ts'
import { forgetExpiredAnswers } from './store/idempotency.ts'
import { forgetExpiredGuests } from './store/links.ts'
import { forgetExpiredSessions } from './store/sessions.ts'
import type { Db } from './store/tables.ts'

const EVERY_MS = 10 * 60 * 1000

/** Removes what has expired, now and then. What has expired counts for nothing already: this only frees the room. */
export const startHousekeeping = (db: Db, log: FastifyBaseLogger, now: () => number) => {
  const sweep = async () => {
    try {
      await forgetExpiredSessions(db, now())
      await forgetExpiredGuests(db, now())
      await forgetExpiredAnswers(db, now())
      await forgetOldEvents(db, now())
      while (await forgetOldDeliveries(db, now()));
    } catch (error) {
      log.warn({ err: error }, 'housekeeping failed, and will be tried again')
    }
  }
  const timer = setInterval(sweep, EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
