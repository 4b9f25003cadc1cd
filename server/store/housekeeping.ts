import type { Config } from '../config.ts'
import { DAY_MS } from '../times.ts'
import { forgetOldActs } from './audit.ts'
import { forgetOldCalls, forgetOldEngineEvents } from './calls.ts'
import { forgetClosedChannels } from './channels.ts'
import { forgetOldDeliveries } from './deliveries.ts'
import { forgetExpiredAnswers } from './idempotency.ts'
import { forgetExpiredGuests, forgetOldLinks } from './links.ts'
import { forgetOldMessages } from './messages.ts'
import { createKeyRepair } from './nameKeys.ts'
import { forgetIdleParticipants } from './participants.ts'
import { forgetExpiredLimits } from './rateLimits.ts'
import { deleteOldRecords } from './records.ts'
import { forgetExpiredSessions } from './sessions.ts'
import type { Db } from './tables.ts'
import { forgetOldWaiting } from './waiting.ts'

const EVERY_MS = 10 * 60 * 1000

type Keeping = Pick<
  Config,
  'keepChatDays' | 'keepCallsDays' | 'keepDeliveriesDays' | 'keepLinksDays' | 'keepAuditDays' | 'keepRecordsDays'
>

/**
 * Gives what removes everything that has expired, or is older than it is to be kept, in small batches. What has expired
 * counts for nothing already: this only frees the room. Once a day it also makes the keys of names that have none.
 */
export const createSweep = (
  db: Db,
  { keepChatDays, keepCallsDays, keepDeliveriesDays, keepLinksDays, keepAuditDays, keepRecordsDays }: Keeping,
  now: () => number,
) => {
  /** Participants up to here have been looked at; those that were kept are not looked at again. */
  let lookedAt = ''
  const repairKeys = createKeyRepair(db)
  let repairedAt: number | null = null
  const daysAgo = (days: number) => now() - days * DAY_MS

  /** Each deletes a batch, and says whether there may be more. */
  const steps: (() => Promise<boolean>)[] = [
    () => forgetExpiredSessions(db, now()),
    () => forgetExpiredGuests(db, now()),
    () => forgetExpiredAnswers(db, now()),
    () => forgetExpiredLimits(db, now()),
    () => forgetOldEngineEvents(db, now()),
    () => forgetClosedChannels(db, now()),
    () => forgetOldWaiting(db, now()),
    () => forgetOldDeliveries(db, daysAgo(keepDeliveriesDays)),
    () => forgetOldMessages(db, daysAgo(keepChatDays)),
    () => forgetOldLinks(db, daysAgo(keepLinksDays)),
    () => forgetOldActs(db, daysAgo(keepAuditDays)),
    () => deleteOldRecords(db, daysAgo(keepRecordsDays), now()),
    () => forgetOldCalls(db, daysAgo(keepCallsDays), now()),
    async () => {
      const next = await forgetIdleParticipants(db, lookedAt, now())
      lookedAt = next ?? lookedAt
      return next !== null
    },
    async () => {
      if (repairedAt !== null && repairedAt > daysAgo(1)) return false
      if (await repairKeys()) return true
      repairedAt = now()
      return false
    },
  ]
  return async (isStopped = () => false) => {
    for (const step of steps) while (!isStopped() && (await step()));
  }
}

/** Sweeps now and then. */
export const startHousekeeping = (
  db: Db,
  keeping: Keeping,
  log: { warn: (what: object, message: string) => void },
  now: () => number,
  /** One node does it for all. */
  isLead: () => boolean,
) => {
  const sweep = createSweep(db, keeping, now)
  let isStopped = false
  let isSweeping = false
  const timer = setInterval(async () => {
    // The first time there may be much to remove.
    if (isSweeping || !isLead()) return
    isSweeping = true
    try {
      await sweep(() => isStopped || !isLead())
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, 'housekeeping failed; retrying later')
    } finally {
      isSweeping = false
    }
  }, EVERY_MS)
  timer.unref()
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}
