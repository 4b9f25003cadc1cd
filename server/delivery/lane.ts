import type { FastifyBaseLogger } from 'fastify'
import type { Keys } from '../identity/keys.ts'
import { planIsActive } from '../rules.ts'
import { transact } from '../store/db.ts'
import {
  type Claimed,
  cancelPending,
  claimDue,
  handBack,
  MOST_ATTEMPTS,
  nextDue,
  type TakenWebhook,
  takeWebhook,
} from '../store/deliveries.ts'
import type { Db, Row, Trx } from '../store/tables.ts'
import { hasArrived, secretsInForce } from '../store/webhooks.ts'
import type { Places, Waiter } from './places.ts'
import { type Post, type Poster, type PostResult, TIMEOUT_MS } from './post.ts'
import { type Finished, giveUpExhausted, recordFinished } from './record.ts'
import { callbackHeaders, callbackPayload } from './sign.ts'

/** Attempts under way at once for one webhook: few at first, more while it succeeds, one after a failure. */
const FIRST_WIDTH = 2
const MOST_WIDTH = 16
/**
 * Claimed ahead for a webhook that keeps up, so that one transaction serves many deliveries. No more than it accepts in
 * a second, and what waits longer than expected is handed back: an attempt must end well before it counts as lost.
 */
const MOST_AHEAD = 240
const AHEAD_MS = 1000
const STALE_MS = 3000
/** Results that come close together are recorded together; none waits longer than this for another. */
const GATHER_MS = 25
const TRY_AGAIN_MS = 1000
/** An attempt is given up for lost well after its timeout, so that its own result is always recorded first. */
const LOST_AFTER_MS = TIMEOUT_MS + 5000

export interface LaneOptions {
  db: Db
  keys: Keys
  poster: Poster
  /** Seconds to wait before each of the attempts. */
  schedule: readonly number[]
  log: FastifyBaseLogger
  now: () => number
  onAttempt: (result: PostResult) => void
}

/** What all attempts that were claimed together share. */
interface Batch {
  claimedAt: number
  webhook: TakenWebhook
  post: Post
  secrets: string[]
  cancelled: AbortSignal
}

interface Ready {
  delivery: Claimed
  batch: Batch
}

/** What one webhook has under way. Lanes share nothing but the places, so a slow receiver delays only its own. */
export class Lane implements Waiter {
  readonly webhookId: string
  readonly #options: LaneOptions
  readonly #places: Places
  readonly #onRest: (lane: Lane) => void
  #width = FIRST_WIDTH
  /** Milliseconds an attempt takes, lately. */
  #pace = 0
  #inFlight = 0
  /** Taken for granted until the webhook has been read. */
  isProven = true
  /** An attempt has failed since, of which the webhook itself may not know yet. */
  #hasFailed = false
  #isDue = false
  #isTurning = false
  #isStopped = false
  /** What is claimed must not be sent now. */
  #isHandingBack = false
  /** Claimed, and sent as soon as there is a free slot. */
  readonly #ready: Ready[] = []
  readonly #finished: Finished[] = []
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
    return this.#inFlight > 0 || this.#isTurning || this.#finished.length > 0 || this.#ready.length > 0
  }

  /** It has nothing to do, now or later, that it knows of. */
  get isIdle() {
    return !this.isBusy && !this.#isDue && !this.#timer
  }

  wake() {
    this.#isDue = true
    void this.#turn()
  }

  proceed() {
    void this.#turn()
  }

  /** Attempts under way are cut short, and those claimed given back. */
  cancel() {
    this.#cancellation.abort()
    this.#cancellation = new AbortController()
    this.recall()
  }

  /** The webhook has another address or secret: what is claimed is claimed anew. */
  recall() {
    this.#isHandingBack = true
    void this.#turn()
  }

  /** Nothing more is sent; what is under way is recorded. */
  stop() {
    this.#isStopped = true
    clearTimeout(this.#timer)
    void this.#turn()
  }

  #wakeAt(time: number) {
    clearTimeout(this.#timer)
    const fire = () => {
      this.#timer = undefined
      this.wake()
    }
    // A timer cannot wait longer than 2^31 ms; the look-around finds what is due after that.
    this.#timer = setTimeout(fire, Math.min(Math.max(0, time - this.#options.now()), 2 ** 31 - 1))
    this.#timer.unref()
  }

  /** What was claimed ahead is not for a webhook that fails, nor for a service that stops. */
  get #mustHandBack() {
    return this.#ready.length > 0 && (this.#isStopped || this.#isHandingBack)
  }

  /** How many attempts may be claimed now. */
  #free() {
    if (this.#isStopped || !this.#isDue) return 0
    const left = this.#places.left(this.isProven)
    if (left <= 0) this.#places.await(this)
    const ahead = Math.min(MOST_AHEAD, Math.floor((MOST_WIDTH * AHEAD_MS) / Math.max(1, this.#pace)))
    const wanted = this.#width + (this.#width === MOST_WIDTH ? ahead : 0)
    return Math.max(0, Math.min(wanted - this.#inFlight - this.#ready.length, left))
  }

  async #turn() {
    if (this.#isTurning || this.#pause) return
    this.#isTurning = true
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    try {
      while (this.#finished.length > 0 || this.#mustHandBack || this.#free() > 0) await this.#advance()
    } catch (error) {
      this.#options.log.warn({ err: error }, 'delivery attempts could not be recorded; retrying')
      this.#isDue = true
      this.#pause = setTimeout(() => {
        this.#pause = undefined
        void this.#turn()
      }, TRY_AGAIN_MS)
    } finally {
      this.#isTurning = false
    }
    this.#onRest(this)
  }

  /** Records what has ended and claims what is due, in one transaction, then sends. */
  async #advance() {
    const { now } = this.#options
    const finished: Finished[] = []
    const returned: Ready[] = []
    try {
      const { dueNext, claimed } = await transact(this.#options.db, trx => this.#exchange(trx, finished, returned))
      if (dueNext !== null) {
        if (dueNext <= now()) this.#isDue = true
        else this.#wakeAt(dueNext)
      }
      this.#ready.push(...claimed)
      this.#fill()
    } catch (error) {
      this.#finished.unshift(...finished)
      this.#ready.unshift(...returned)
      this.#isHandingBack ||= returned.length > 0
      throw error
    }
  }

  /** May run more than once; what it has taken from the lane stays in `finished` and `returned`. */
  async #exchange(trx: Trx, finished: Finished[], returned: Ready[]) {
    const { webhookId } = this
    const now = this.#options.now()
    const recording = { webhookId, now, delay: this.#delay, cancel: () => this.cancel() }
    // Taken before the webhook is read: whoever switches it off after that also cuts what is claimed here.
    const cancelled = this.#cancellation.signal
    // Only now: what ended while this transaction waited for its turn goes along.
    finished.push(...this.#finished.splice(0))
    const webhook = await takeWebhook(trx, webhookId)
    const isOn = webhook?.isActive && planIsActive(webhook, now)
    if (this.#mustHandBack || !isOn) returned.push(...this.#ready.splice(0))
    this.#isHandingBack = false
    await handBack(
      trx,
      returned.map(({ delivery }) => delivery),
    )
    if (webhook) this.isProven = hasArrived(webhook) && !this.#hasFailed
    const free = this.#free()
    if (free > 0) this.#isDue = false
    await recordFinished(trx, webhook, finished, recording)
    if (!isOn) {
      await cancelPending(trx, webhookId)
      return { claimed: [], dueNext: null }
    }
    const lostAt = (number: number) => now + LOST_AFTER_MS + (number < MOST_ATTEMPTS ? this.#delay(number) : 0)
    const claimed = free > 0 ? await claimDue(trx, webhookId, free, lostAt, now) : []
    const isDrained = claimed.length < free
    if (isDrained) await giveUpExhausted(trx, MOST_WIDTH, recording)
    const dueNext = isDrained ? await nextDue(trx, webhookId) : now
    if (claimed.length === 0) return { claimed: [], dueNext }
    const post = this.#options.poster.to(webhook.url)
    const batch: Batch = { claimedAt: now, webhook, post, secrets: this.#secretsOf(webhook), cancelled }
    return { claimed: claimed.map((delivery): Ready => ({ delivery, batch })), dueNext }
  }

  /** ±20 %, so that receivers that failed together are not tried again together. */
  readonly #delay = (number: number) =>
    Math.round((this.#options.schedule[number] ?? 0) * 1000 * (0.8 + Math.random() * 0.4))

  /** None, when they were sealed with another installation's key, say: one webhook's trouble, not everybody's. */
  #secretsOf(webhook: Row<'webhooks'>): string[] {
    const { keys, log, now } = this.#options
    try {
      return secretsInForce(keys, webhook, now())
    } catch (error) {
      log.error({ err: error, webhookId: webhook.id }, 'the secret of a webhook could not be decrypted')
      return []
    }
  }

  #fill() {
    while (this.#inFlight < this.#width && !this.#mustHandBack) {
      const next = this.#ready.shift()
      if (!next) return
      const now = this.#options.now()
      if (now - next.batch.claimedAt > STALE_MS || !planIsActive(next.batch.webhook, now)) {
        this.#ready.unshift(next)
        this.#isHandingBack = true
      } else void this.#send(next)
    }
  }

  async #send(ready: Ready) {
    const { delivery } = ready
    const { isProven } = this
    this.#inFlight++
    this.#places.take(isProven)
    const result = await this.#post(ready)
    const { outcome, status, reason, durationMs, detail } = result
    const attempt = delivery.attempts.at(-1)
    if (attempt) Object.assign(attempt, { outcome, status, reason, durationMs, detail })
    this.#options.onAttempt(result)
    this.#pace = 0.8 * this.#pace + 0.2 * durationMs
    this.#hasFailed = outcome !== 'success'
    if (this.#hasFailed) this.#isHandingBack = true
    this.#width = this.#hasFailed ? 1 : Math.min(MOST_WIDTH, this.#width + 1)
    this.#finished.push({ delivery, result })
    this.#inFlight--
    this.#isDue = true
    this.#places.give(isProven)
    this.#fill()
    const runsShort =
      this.#width === MOST_WIDTH ? this.#ready.length <= MOST_WIDTH : this.#finished.length >= this.#inFlight
    if (runsShort || this.#mustHandBack) void this.#turn()
    else
      this.#gathering ??= setTimeout(() => {
        this.#gathering = undefined
        void this.#turn()
      }, GATHER_MS)
  }

  async #post({ delivery: { id, body }, batch: { post, secrets, cancelled } }: Ready): Promise<PostResult> {
    const [secret] = secrets
    if (!secret)
      return {
        outcome: 'connection',
        status: null,
        reason: 'not_signed',
        durationMs: 0,
        detail: 'The callback could not be signed.',
      }
    const payload = callbackPayload(body, secret)
    return post(callbackHeaders(id, payload, secrets, this.#options.now()), payload, cancelled)
  }
}
