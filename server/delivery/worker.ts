import type { Cut } from '../cluster/notices.ts'
import { onCommit } from '../store/db.ts'
import { webhooksDue } from '../store/deliveries.ts'
import type { Trx } from '../store/tables.ts'
import { Lane, type LaneOptions } from './lane.ts'
import { createPlaces } from './places.ts'

/** Work is announced when it is committed; this finds what a crash or another node has left. */
const LOOK_EVERY_MS = 5000
const MAX_LANES = 1000

export interface Worker {
  /** There is something due for this webhook. */
  wake: (webhookId: string) => void
  /**
   * Once the transaction is committed, on every node: the webhook was switched off or deleted, and attempts under way
   * are cut short (`cancel`); or it has another address or secret, for whatever is not on its way yet (`recall`).
   */
  cut: (trx: Trx, webhookId: string, cut: Cut) => Promise<void>
  /** Another node has cut it. */
  cutHere: (webhookId: string, cut: Cut) => void
  /** Any webhook may have changed. */
  recallAll: () => void
  start: () => void
  /** Ends when the attempts under way have ended and are recorded. */
  stop: () => Promise<void>
}

export const createWorker = (options: LaneOptions): Worker => {
  const { db, poster, log, now, publish } = options
  const lanes = new Map<string, Lane>()
  const places = createPlaces()
  let stopped = false
  let idle: (() => void) | undefined
  let looking: NodeJS.Timeout | undefined

  const anyBusy = () => lanes.values().some(lane => lane.isBusy)

  const rest = (lane: Lane) => {
    // What a lane has learnt of its receiver is kept, as long as there are not too many.
    if (lanes.size > MAX_LANES && lane.isIdle) lanes.delete(lane.webhookId)
    if (stopped && !anyBusy()) idle?.()
  }

  const wake = (webhookId: string) => {
    if (stopped) return
    let lane = lanes.get(webhookId)
    if (!lane) {
      lane = new Lane(webhookId, options, places, rest)
      lanes.set(webhookId, lane)
    }
    lane.wake()
  }

  const cutHere: Worker['cutHere'] = (webhookId, cut) => lanes.get(webhookId)?.[cut]()

  const look = async () => {
    try {
      for (const webhookId of await webhooksDue(db, now())) wake(webhookId)
    } catch (error) {
      log.warn({ err: error }, 'the delivery queue could not be read; retrying')
    }
  }

  return {
    wake,
    async cut(trx, webhookId, cut) {
      onCommit(trx, () => cutHere(webhookId, cut))
      await publish(trx, { type: 'webhook', webhookId, cut })
    },
    cutHere,
    recallAll() {
      for (const lane of lanes.values()) if (lane.isBusy) lane.recall()
    },
    start() {
      void look()
      looking = setInterval(look, LOOK_EVERY_MS)
    },
    async stop() {
      stopped = true
      clearInterval(looking)
      for (const lane of lanes.values()) lane.stop()
      if (anyBusy()) await new Promise<void>(resolve => (idle = resolve))
      await poster.close()
    },
  }
}
