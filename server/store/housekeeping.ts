import type { Config } from '../config.ts'
import { forgetOldEvents } from './calls.ts'
import { forgetClosedChannels } from './channels.ts'
import { forgetOldDeliveries } from './deliveries.ts'
import { forgetExpiredAnswers } from './idempotency.ts'
import { forgetExpiredGuests } from './links.ts'
import { forgetOldMessages } from './messages.ts'
import { forgetIdleParticipants } from './participants.ts'
import { forgetExpiredSessions } from './sessions.ts'
import type { Db } from './tables.ts'

const EVERY_MS = 10 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000

/** Removes what has expired, now and then. What has expired counts for nothing already: this only frees the room. */
export const startHousekeeping = (
  db: Db,
  { keepChatDays }: Pick<Config, 'keepChatDays'>,
  log: { warn: (what: object, message: string) => void },
  now: () => number,
) => {
  /** Participants up to here have been looked at: who stays is never looked at again. */
  let lookedAt = ''
  const sweep = async () => {
    try {
      await forgetExpiredSessions(db, now())
      await forgetExpiredGuests(db, now())
      await forgetExpiredAnswers(db, now())
      await forgetOldEvents(db, now())
      await forgetClosedChannels(db, now())
      while (await forgetOldDeliveries(db, now()));
      while (await forgetOldMessages(db, now() - keepChatDays * DAY_MS));
      for (let next: string | null = lookedAt; next !== null; next = await forgetIdleParticipants(db, next, now()))
        lookedAt = next
    } catch (error) {
      log.warn({ err: error }, 'housekeeping failed; retrying later')
    }
  }
  const timer = setInterval(sweep, EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
