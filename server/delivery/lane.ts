import type { Cluster } from '../cluster/cluster.ts'
import { isPlanActive } from '../rules.ts'
import { onCommit, transact } from '../store/db.ts'
import {
  cancelPending,
  claimDue,
  type Delivery,
  findExhausted,
  handBack,
  type LockedWebhook,
  lastAttempt,
  lockWebhook,
  nextDue,
} from '../store/deliveries.ts'
import type { Db, Trx } from '../store/tables.ts'
import { hasArrived } from '../store/webhooks.ts'
import { type CallbackOptions, callbacksTo } from './callback.ts'
import { recordEnded } from './outcomes.ts'
import { firstPace, isStale, type Load, MAX_WIDTH, paceAfter, roomFor, runsShort } from './pacing.ts'
import type { Places, Waiter } from './places.ts'
import type { PostResult } from './post.ts'
import { lostAt, type Schedule } from './retries.ts'

/** Results that come close together are recorded together; none waits longer than this for another. */
const GATHER_MS = 25
const TRY_AGAIN_MS = 1000

export interface LaneOptions extends CallbackOptions {
  db: Db
  schedule: Schedule
  onAttempt: (result: PostResult) => void
  publish: Cluster['publish']
}

/** With what all deliveries that were claimed together share. */
interface Claimed {
  delivery: Delivery
  batch: { claimedAt: number; webhook: LockedWebhook; post: (delivery: Delivery) => Promise<PostResult> }
}

/**
 * The deliveries of one webhook: claim → post → record, until nothing is due. Lanes share nothing but the places, so a
 * slow receiver delays only its own.
 */
export class Lane implements Waiter {
  readonly webhookId: string
  readonly #options: LaneOptions
  readonly #places: Places
  readonly #onRest: (lane: Lane) => void
  /** Taken for granted until the webhook has been read. */
  isProven = true
  #pace = firstPace
  /** Claimed, and posted as soon as the pace allows. */
  readonly #ahead: Claimed[] = []
  #underWay = 0
  /** Posted, and recorded with the next exchange. */
  readonly #ended: Delivery[] = []
  #isDue = false
  #isRunning = false
  #isStopped = false
  /** What is claimed ahead must not be posted as it is. */
  #isRecalled = false
  #cancellation = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #gathering: NodeJS.Timeout | undefined
  /** Set while the database refuses, until the next try. */
  #pause: NodeJS.Timeout | undefined

  /** `onRest` is told whenever the lane has done what it could. */
  constructor(webhookId: string, options: LaneOptions, places: Places, onRest: (lane: Lane) => void) {
    this.webhookId = webhookId
    this.#options = options
    this.#places = places
    this.#onRest = onRest
  }

  get isBusy() {
    return this.#underWay > 0 || this.#isRunning || this.#ended.length > 0 || this.#ahead.length > 0
  }

  /** It has nothing to do, now or later, that it knows of. */
  get isIdle() {
    return !this.isBusy && !this.#isDue && !this.#timer
  }

  wake() {
    this.#isDue = true
    void this.#run()
  }

  proceed() {
    void this.#run()
  }

  /** Attempts under way are cut short, and those claimed given back. */
  cancel() {
    this.#cutUnderWay()
    this.recall()
  }

  #cutUnderWay() {
    this.#cancellation.abort()
    this.#cancellation = new AbortController()
  }

  /** The webhook has changed: what is claimed is claimed anew, and if it is off, what is under way is cut. */
  recall() {
    this.#isRecalled = true
    void this.#run()
  }

  /** Nothing more is sent; what is under way is recorded. */
  stop() {
    this.#isStopped = true
    clearTimeout(this.#timer)
    void this.#run()
  }

  get #load(): Load {
    return { ahead: this.#ahead.length, underWay: this.#underWay, ended: this.#ended.length }
  }

  get #mustHandBack() {
    return this.#ahead.length > 0 && (this.#isStopped || this.#isRecalled)
  }

  /** How many deliveries may be claimed now. */
  #room() {
    if (this.#isStopped || !this.#isDue) return 0
    const left = this.#places.left(this.isProven)
    if (left <= 0) this.#places.await(this)
    return roomFor(this.#pace, this.#load, left)
  }

  async #run() {
    if (this.#isRunning || this.#pause) return
    this.#isRunning = true
    try {
      while (this.#ended.length > 0 || this.#isRecalled || this.#mustHandBack || this.#room() > 0) {
        await this.#exchange()
        this.#postAhead()
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'delivery attempts could not be recorded; retrying')
      this.#isDue = true
      this.#pause = setTimeout(() => {
        this.#pause = undefined
        void this.#run()
      }, TRY_AGAIN_MS)
    } finally {
      this.#isRunning = false
      // Whatever has ended by now is recorded, or will be after the pause.
      clearTimeout(this.#gathering)
      this.#gathering = undefined
    }
    this.#onRest(this)
  }

  /** With the database: what has ended for what is due. */
  async #exchange() {
    const ended: Delivery[] = []
    const unsent: Claimed[] = []
    try {
      const { claimed, dueAt } = await transact(this.#options.db, trx => this.#recordAndClaim(trx, ended, unsent))
      this.#ahead.push(...claimed)
      if (dueAt !== null) this.#wakeAt(dueAt)
    } catch (error) {
      this.#ended.unshift(...ended)
      this.#ahead.unshift(...unsent)
      this.#isRecalled ||= unsent.length > 0
      throw error
    }
  }

  /** May run more than once; what it has taken from the lane stays in `ended` and `unsent`. */
  async #recordAndClaim(trx: Trx, ended: Delivery[], unsent: Claimed[]) {
    const { webhookId } = this
    const { schedule } = this.#options
    const now = this.#options.now()
    const onBlocked = async () => {
      onCommit(trx, () => this.cancel())
      await this.#options.publish(trx, { type: 'webhook', webhookId, cut: 'cancel' })
    }
    const recording = { schedule, now, onBlocked }
    // Before the webhook is read: switching it off after that also cuts what is claimed here.
    const cancelled = this.#cancellation.signal
    // Only now: what ended while this transaction waited for its turn goes along.
    ended.push(...this.#ended.splice(0))
    const webhook = await lockWebhook(trx, webhookId)
    const isOn = webhook?.isActive === true && isPlanActive(webhook, now)
    if (!isOn && this.#isRecalled) this.#cutUnderWay()
    if (this.#mustHandBack || !isOn) unsent.push(...this.#ahead.splice(0))
    this.#isRecalled = false
    await handBack(
      trx,
      unsent.map(({ delivery }) => delivery),
    )
    if (webhook) this.isProven = hasArrived(webhook) && !this.#pace.isFailing
    const room = this.#room()
    if (room > 0) this.#isDue = false
    await recordEnded(trx, webhook, ended, recording)
    if (!isOn) {
      await cancelPending(trx, webhookId)
      return { claimed: [], dueAt: null }
    }
    const due = room > 0 ? await claimDue(trx, webhookId, room, number => lostAt(schedule, number, now), now) : []
    const isDrained = due.length < room
    // After a crash during the last attempt nothing is left to try.
    if (isDrained) await recordEnded(trx, webhook, await findExhausted(trx, webhookId, MAX_WIDTH, now), recording)
    const dueAt = isDrained ? await nextDue(trx, webhookId) : now
    if (due.length === 0) return { claimed: [], dueAt }
    const batch = { claimedAt: now, webhook, post: callbacksTo(webhook, this.#options, cancelled) }
    return { claimed: due.map((delivery): Claimed => ({ delivery, batch })), dueAt }
  }

  #wakeAt(time: number) {
    const wait = time - this.#options.now()
    if (wait <= 0) {
      this.#isDue = true
      return
    }
    clearTimeout(this.#timer)
    // A timer cannot wait longer than 2^31 ms; the worker's look-around finds what is due after that.
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.wake()
      },
      Math.min(wait, 2 ** 31 - 1),
    ).unref()
  }

  #postAhead() {
    while (this.#underWay < this.#pace.width && !this.#mustHandBack) {
      const [next] = this.#ahead
      if (!next) return
      const { claimedAt, webhook } = next.batch
      const now = this.#options.now()
      if (isStale(claimedAt, now) || !isPlanActive(webhook, now)) this.#isRecalled = true
      else {
        this.#ahead.shift()
        void this.#post(next)
      }
    }
  }

  async #post({ delivery, batch }: Claimed) {
    const { isProven } = this
    this.#underWay++
    this.#places.take(isProven)
    const result = await batch.post(delivery)
    Object.assign(lastAttempt(delivery), result)
    this.#options.onAttempt(result)
    this.#pace = paceAfter(this.#pace, result)
    if (this.#pace.isFailing) this.#isRecalled = true
    this.#ended.push(delivery)
    this.#underWay--
    this.#isDue = true
    this.#places.give(isProven)
    this.#postAhead()
    if (this.#mustHandBack || runsShort(this.#pace, this.#load)) void this.#run()
    else this.#gathering ??= setTimeout(() => this.#run(), GATHER_MS)
  }
}
