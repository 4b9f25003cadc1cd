import type { FastifyBaseLogger } from 'fastify'
import type { Keys } from '../keys.ts'
import { planIsActive } from '../rules.ts'
import { onCommit, transact } from '../store/db.ts'
import {
  type Claimed,
  cancelPending,
  claimDue,
  findExhausted,
  handBack,
  MOST_ATTEMPTS,
  nextDue,
  settle,
  type TakenWebhook,
  takeWebhook,
  webhooksDue,
} from '../store/deliveries.ts'
import type { Db, Row, Trx } from '../store/tables.ts'
import { hasArrived, isFreshSuccess, noteFailures, noteSuccess, secretsInForce } from '../store/webhooks.ts'
import { type Poster, type PostResult, TIMEOUT_MS } from './post.ts'
import { callbackHeaders, callbackPayload } from './sign.ts'

/** Attempts under way at once for one webhook: few at first, more while it succeeds, one after a failure. */
const FIRST_WIDTH = 2
const MOST_WIDTH = 16
/** Reserved ahead for a webhook that takes all it gets: one transaction then serves many. */
const AHEAD = 112
/**
 * And for all of them; whoever waits for a place is served in turn. Half of the places are for webhooks whose last
 * callback arrived, so that any number of dead receivers delays no living one.
 */
const MOST_IN_FLIGHT = 1000
const MOST_UNPROVEN_IN_FLIGHT = 500
/** Work is announced when it is committed; this finds what a crash or another node has left. */
const LOOK_EVERY_MS = 5000
const TRY_AGAIN_MS = 1000
const MOST_LANES = 1000
/** An attempt is given up for lost well after its timeout, so that its own result is always recorded first. */
const LOST_AFTER_MS = TIMEOUT_MS + 5000
const GATHER_MS = 10

export interface Worker {
  /** There is something due for this webhook. */
  wake: (webhookId: string) => void
  /** The webhook was switched off or deleted: attempts under way are cut short. */
  cancel: (webhookId: string) => void
  start: () => void
  /** Ends when the attempts under way have ended and are recorded. */
  stop: () => Promise<void>
}

export interface WorkerOptions {
  db: Db
  keys: Keys
  poster: Poster
  /** Seconds to wait before each of the attempts. */
  schedule: readonly number[]
  log: FastifyBaseLogger
  now: () => number
  onAttempt: (result: PostResult) => void
}

interface Finished {
  delivery: Claimed
  result: PostResult
}

interface Ready {
  delivery: Claimed
  webhook: Row<'webhooks'>
  secrets: string[]
  cancelled: AbortSignal
}

/** What one webhook has under way. Lanes share nothing but the total, so a slow receiver delays only its own. */
interface Lane {
  webhookId: string
  width: number
  inFlight: number
  /** Its last callback arrived. Taken for granted until the webhook has been read. */
  isProven: boolean
  /** An attempt has failed since, of which the webhook itself may not know yet. */
  hasFailed: boolean
  isDue: boolean
  isTurning: boolean
  /** What is reserved must not be sent now. */
  isHandingBack: boolean
  /** Reserved, and sent as soon as there is a place. */
  ready: Ready[]
  finished: Finished[]
  cancellation: AbortController
  timer: NodeJS.Timeout | undefined
  gathering: NodeJS.Timeout | undefined
  /** Set while the database refuses, until the next try. */
  pause: NodeJS.Timeout | undefined
}

const isBusy = (lane: Lane) => lane.inFlight > 0 || lane.isTurning || lane.finished.length > 0 || lane.ready.length > 0

export const createWorker = ({ db, keys, poster, schedule, log, now, onAttempt }: WorkerOptions): Worker => {
  const lanes = new Map<string, Lane>()
  const waiting = new Set<Lane>()
  let inFlight = 0
  let unprovenInFlight = 0
  let stopped = false
  let idle: (() => void) | undefined
  let looking: NodeJS.Timeout | undefined

  /** ±20 %, so that receivers that failed together are not tried again together. */
  const delay = (number: number) => Math.round((schedule[number] ?? 0) * 1000 * (0.8 + Math.random() * 0.4))

  const laneOf = (webhookId: string): Lane => {
    let lane = lanes.get(webhookId)
    if (!lane) {
      lane = {
        webhookId,
        width: FIRST_WIDTH,
        inFlight: 0,
        isProven: true,
        hasFailed: false,
        isDue: false,
        isTurning: false,
        isHandingBack: false,
        ready: [],
        finished: [],
        cancellation: new AbortController(),
        timer: undefined,
        gathering: undefined,
        pause: undefined,
      }
      lanes.set(webhookId, lane)
    }
    return lane
  }

  const wake = (webhookId: string) => {
    if (stopped) return
    const lane = laneOf(webhookId)
    lane.isDue = true
    void turn(lane)
  }

  const wakeAt = (lane: Lane, time: number) => {
    clearTimeout(lane.timer)
    const fire = () => {
      lane.timer = undefined
      wake(lane.webhookId)
    }
    // A timer cannot wait longer than 2^31 ms; the look-around finds what is due after that.
    lane.timer = setTimeout(fire, Math.min(Math.max(0, time - now()), 2 ** 31 - 1))
    lane.timer.unref()
  }

  /** What was reserved ahead is not for a webhook that fails, nor for a service that stops. */
  const mustHandBack = (lane: Lane) => lane.ready.length > 0 && (stopped || lane.isHandingBack)

  const fill = (lane: Lane) => {
    while (lane.inFlight < lane.width && !mustHandBack(lane)) {
      const next = lane.ready.shift()
      if (!next) return
      void send(lane, next)
    }
  }

  /** How many attempts the lane may reserve now. */
  const places = (lane: Lane) => {
    if (stopped || !lane.isDue) return 0
    const left = Math.min(
      MOST_IN_FLIGHT - inFlight,
      lane.isProven ? MOST_IN_FLIGHT : MOST_UNPROVEN_IN_FLIGHT - unprovenInFlight,
    )
    if (left <= 0) waiting.add(lane)
    const wanted = lane.width === MOST_WIDTH ? MOST_WIDTH + AHEAD : lane.width
    return Math.max(0, Math.min(wanted - lane.inFlight - lane.ready.length, left))
  }

  const turn = async (lane: Lane) => {
    if (lane.isTurning || lane.pause) return
    lane.isTurning = true
    clearTimeout(lane.gathering)
    lane.gathering = undefined
    try {
      while (lane.finished.length > 0 || mustHandBack(lane) || places(lane) > 0) await advance(lane)
    } catch (error) {
      log.warn({ err: error }, 'deliveries could not be recorded, and will be tried again')
      lane.isDue = true
      lane.pause = setTimeout(() => {
        lane.pause = undefined
        void turn(lane)
      }, TRY_AGAIN_MS)
    } finally {
      lane.isTurning = false
    }
    // What a lane has learnt of its receiver is kept, as long as there are not too many.
    if (lanes.size > MOST_LANES && !isBusy(lane) && !lane.isDue && !lane.timer) lanes.delete(lane.webhookId)
    if (stopped && ![...lanes.values()].some(isBusy)) idle?.()
  }

  /** Records what has ended and reserves what is due, in one transaction, then sends. */
  const advance = async (lane: Lane) => {
    const { webhookId } = lane
    const finished: Finished[] = []
    const returned: Ready[] = []
    try {
      const { webhook, claimed, dueNext, cancelled } = await transact(db, async trx => {
        // Taken before the webhook is read: whoever switches it off after that also cuts what is claimed here.
        const cancelled = lane.cancellation.signal
        // Only now: what ended while this transaction waited for its turn goes along.
        finished.push(...lane.finished.splice(0))
        if (mustHandBack(lane)) returned.push(...lane.ready.splice(0))
        lane.isHandingBack = false
        await handBack(
          trx,
          returned.map(({ delivery }) => delivery),
        )
        const webhook = await takeWebhook(trx, webhookId)
        if (webhook) lane.isProven = hasArrived(webhook) && !lane.hasFailed
        const free = places(lane)
        if (free > 0) lane.isDue = false
        await record(trx, webhookId, webhook, finished)
        if (!webhook || webhook.isActive === 0 || !planIsActive(webhook, now())) {
          await cancelPending(trx, webhookId)
          return { webhook, claimed: [], dueNext: null, cancelled }
        }
        const lostAt = (number: number) => now() + LOST_AFTER_MS + (number < MOST_ATTEMPTS ? delay(number) : 0)
        const claimed = free > 0 ? await claimDue(trx, webhookId, free, lostAt, now()) : []
        const isDrained = claimed.length < free
        if (isDrained) await giveUp(trx, webhookId)
        return { webhook, claimed, dueNext: isDrained ? await nextDue(trx, webhookId) : now(), cancelled }
      })
      if (dueNext !== null) {
        if (dueNext <= now()) lane.isDue = true
        else wakeAt(lane, dueNext)
      }
      if (webhook && claimed.length > 0) {
        const secrets = secretsOf(webhook)
        for (const delivery of claimed) lane.ready.push({ delivery, webhook, secrets, cancelled })
      }
      fill(lane)
    } catch (error) {
      lane.finished.unshift(...finished)
      lane.ready.unshift(...returned)
      throw error
    }
  }

  /** After a crash during the last attempt nothing is left to try. */
  const giveUp = async (trx: Trx, webhookId: string) => {
    const exhausted = await findExhausted(trx, webhookId, MOST_WIDTH, now())
    await settle(
      trx,
      exhausted.map(delivery => ({ delivery, state: 'failed', nextAttemptAt: null })),
    )
    const failed = exhausted.filter(({ isManual }) => !isManual).length
    if (failed > 0 && (await noteFailures(trx, webhookId, failed, now()))) onCommit(trx, () => cancel(webhookId))
  }

  /** What the attempts that have ended mean for their deliveries and for the webhook. */
  const record = async (trx: Trx, webhookId: string, webhook: TakenWebhook | undefined, finished: Finished[]) => {
    let succeeded = false
    let failed = 0
    let isGone = false
    const settled = await settle(
      trx,
      finished.map(({ delivery, result }) => {
        const success = result.outcome === 'success'
        const isOver = success || delivery.number >= MOST_ATTEMPTS || result.status === 410
        const state = success ? 'delivered' : isOver ? 'failed' : 'pending'
        return { delivery, state, nextAttemptAt: isOver ? null : now() + delay(delivery.number) }
      }),
    )
    for (const { delivery, result } of finished) {
      if (delivery.isManual || !settled.has(delivery.id)) continue
      if (result.outcome === 'success') {
        succeeded = true
        // Failures count in a row.
        failed = 0
      } else if (delivery.number >= MOST_ATTEMPTS || result.status === 410) failed++
      if (result.status === 410) isGone = true
    }
    // A busy webhook need not write the same good news with every batch.
    if (succeeded && webhook && !isFreshSuccess(webhook, now())) await noteSuccess(trx, webhookId, now())
    if ((failed > 0 || isGone) && (await noteFailures(trx, webhookId, failed, now(), isGone)))
      onCommit(trx, () => cancel(webhookId))
  }

  const post = async ({ delivery: { id, body }, webhook, secrets, cancelled }: Ready): Promise<PostResult> => {
    const [secret] = secrets
    if (!secret)
      return { outcome: 'connection', status: null, durationMs: 0, detail: 'The callback could not be signed.' }
    const payload = callbackPayload(body, secret)
    return poster.post(webhook.url, callbackHeaders(id, payload, secrets, now()), payload, cancelled)
  }

  /** None, when they were sealed with another installation's key, say: one webhook's trouble, not everybody's. */
  const secretsOf = (webhook: Row<'webhooks'>): string[] => {
    try {
      return secretsInForce(keys, webhook, now())
    } catch (error) {
      log.error({ err: error, webhookId: webhook.id }, 'the secret of a webhook cannot be read')
      return []
    }
  }

  const send = async (lane: Lane, ready: Ready) => {
    const { delivery } = ready
    const { isProven } = lane
    lane.inFlight++
    inFlight++
    if (!isProven) unprovenInFlight++
    const result = await post(ready)
    const { outcome, status, durationMs, detail } = result
    const attempt = delivery.attempts.at(-1)
    if (attempt) Object.assign(attempt, { outcome, status, durationMs, detail })
    onAttempt(result)
    lane.hasFailed = outcome !== 'success'
    if (lane.hasFailed) lane.isHandingBack = true
    lane.width = outcome === 'success' ? Math.min(MOST_WIDTH, lane.width + 1) : 1
    lane.finished.push({ delivery, result })
    lane.inFlight--
    inFlight--
    if (!isProven) unprovenInFlight--
    // A place is free here, and one in the total: this lane has something to record anyway, the others take turns.
    lane.isDue = true
    const next = [...waiting].find(other => other.isProven || unprovenInFlight < MOST_UNPROVEN_IN_FLIGHT)
    if (next) {
      waiting.delete(next)
      void turn(next)
    }
    fill(lane)
    // Results that come close together are recorded together, with one flush for all; none waits long for another.
    const runsShort =
      lane.width === MOST_WIDTH ? lane.ready.length <= MOST_WIDTH : lane.finished.length >= lane.inFlight
    if (runsShort || mustHandBack(lane)) void turn(lane)
    else
      lane.gathering ??= setTimeout(() => {
        lane.gathering = undefined
        void turn(lane)
      }, GATHER_MS)
  }

  const look = async () => {
    try {
      for (const webhookId of await webhooksDue(db, now())) wake(webhookId)
    } catch (error) {
      log.warn({ err: error }, 'the queue could not be read, and will be tried again')
    }
  }

  const cancel = (webhookId: string) => {
    const lane = lanes.get(webhookId)
    if (!lane) return
    lane.cancellation.abort()
    lane.cancellation = new AbortController()
  }

  return {
    wake,
    cancel,
    start() {
      void look()
      looking = setInterval(look, LOOK_EVERY_MS)
    },
    async stop() {
      stopped = true
      clearInterval(looking)
      for (const lane of lanes.values()) {
        clearTimeout(lane.timer)
        void turn(lane)
      }
      if ([...lanes.values()].some(isBusy)) await new Promise<void>(resolve => (idle = resolve))
      await poster.close()
    },
  }
}
