import { type Delivery, type LockedWebhook, recordAttempts } from '../store/deliveries.ts'
import type { Trx } from '../store/tables.ts'
import { isFreshSuccess, noteFailures, noteSuccess } from '../store/webhooks.ts'
import { afterAttempt, isGone, type Schedule } from './retries.ts'

interface Recording {
  schedule: Schedule
  now: number
  /** The webhook has just been blocked: what is under way must be cut. */
  onBlocked: () => Promise<void>
}

/** Writes down attempts that have ended, in their order, and what they mean for the webhook. */
export const recordEnded = async (
  trx: Trx,
  webhook: LockedWebhook | undefined,
  ended: Delivery[],
  { schedule, now, onBlocked }: Recording,
) => {
  const deliveries = ended.map(delivery => afterAttempt(delivery, schedule, now))
  const recorded = await recordAttempts(trx, deliveries)
  const counted = deliveries.filter(({ id, isManual }) => !isManual && recorded.has(id))
  if (!webhook || counted.length === 0) return
  const delivered = counted.findLastIndex(({ state }) => state === 'delivered')
  // Failures count in a row: those since the last success.
  const failed = counted.slice(delivered + 1).filter(({ state }) => state === 'failed').length
  const isBlocking = counted.some(isGone)
  // At most one write a second while deliveries succeed.
  if (delivered >= 0 && !isFreshSuccess(webhook, now)) await noteSuccess(trx, webhook.id, now)
  if ((failed > 0 || isBlocking) && (await noteFailures(trx, webhook.id, failed, now, isBlocking))) await onBlocked()
}
