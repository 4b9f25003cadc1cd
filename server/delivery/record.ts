import { onCommit } from '../store/db.ts'
import { type Claimed, findExhausted, MOST_ATTEMPTS, recordResults, type TakenWebhook } from '../store/deliveries.ts'
import type { Trx } from '../store/tables.ts'
import { isFreshSuccess, noteFailures, noteSuccess } from '../store/webhooks.ts'
import type { PostResult } from './post.ts'

export interface Finished {
  delivery: Claimed
  result: PostResult
}

export interface Recording {
  webhookId: string
  now: number
  /** Milliseconds from the end of an attempt of that number to the next. */
  delay: (number: number) => number
  /** The webhook has been blocked: what is under way must be cut. */
  cancel: () => void
}

/** What the attempts that have ended mean for their deliveries and for the webhook. */
export const recordFinished = async (
  trx: Trx,
  webhook: TakenWebhook | undefined,
  finished: Finished[],
  { webhookId, now, delay, cancel }: Recording,
) => {
  let succeeded = false
  let failed = 0
  let isGone = false
  const recorded = await recordResults(
    trx,
    finished.map(({ delivery, result }) => {
      const success = result.outcome === 'success'
      const isOver = success || delivery.number >= MOST_ATTEMPTS || result.status === 410
      const state = success ? 'delivered' : isOver ? 'failed' : 'pending'
      return { delivery, state, nextAttemptAt: isOver ? null : now + delay(delivery.number) }
    }),
  )
  for (const { delivery, result } of finished) {
    if (delivery.isManual || !recorded.has(delivery.id)) continue
    if (result.outcome === 'success') {
      succeeded = true
      // Failures count in a row.
      failed = 0
    } else if (delivery.number >= MOST_ATTEMPTS || result.status === 410) failed++
    if (result.status === 410) isGone = true
  }
  // A busy webhook need not record its success with every batch.
  if (succeeded && webhook && !isFreshSuccess(webhook, now)) await noteSuccess(trx, webhookId, now)
  if ((failed > 0 || isGone) && (await noteFailures(trx, webhookId, failed, now, isGone))) onCommit(trx, cancel)
}

/** After a crash during the last attempt nothing is left to try. */
export const giveUpExhausted = async (
  trx: Trx,
  limit: number,
  { webhookId, now, cancel }: Pick<Recording, 'webhookId' | 'now' | 'cancel'>,
) => {
  const exhausted = await findExhausted(trx, webhookId, limit, now)
  await recordResults(
    trx,
    exhausted.map(delivery => ({ delivery, state: 'failed', nextAttemptAt: null })),
  )
  const failed = exhausted.filter(({ isManual }) => !isManual).length
  if (failed > 0 && (await noteFailures(trx, webhookId, failed, now))) onCommit(trx, cancel)
}
