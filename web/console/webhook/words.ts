import type { TFunction } from 'i18next'
import type { EventName } from '../../../contract/events.ts'
import type { Attempt, Delivery, DeliveryState } from '../../../contract/webhooks.ts'
import type { Tone } from '../ui/StateMark.tsx'

/* What the service tells of a webhook, in the words of the reader. */

export const eventGroups = {
  calls: ['call_started', 'call_finished'],
  participants: [
    'participant_joined',
    'participant_left',
    'participant_waiting',
    'link_redeemed',
    'hand_raised',
    'message_posted',
  ],
  records: ['record_started', 'record_finished', 'record_aborted', 'record_failed'],
  rooms: ['room_created', 'room_updated', 'room_deleted'],
  members: ['member_joined', 'member_role_changed', 'member_left', 'role_granted', 'role_revoked'],
} as const satisfies Record<string, EventName[]>

type Grouped = (typeof eventGroups)[keyof typeof eventGroups][number]
/** An event that is in no group does not compile. */
export const eventNames: Grouped[] & (EventName extends Grouped ? unknown : never) = Object.values(eventGroups).flat()
/** What may be found in the log. */
export const loggedEventNames = [...eventNames, 'webhook_test']

export const eventWords = (eventName: string, t: TFunction) =>
  t(`webhook.event.${eventName}`, { defaultValue: eventName })

export const deliveryStates: DeliveryState[] = ['pending', 'delivered', 'failed', 'cancelled']

type Progress = Pick<Delivery, 'state' | 'attempts'>

/** Attempts that have failed so far, of a delivery that is still to come. */
const failuresOf = ({ state, attempts }: Progress) =>
  state === 'pending' ? attempts.filter(({ outcome }) => outcome !== 'sending').length : 0

const tones: Record<Exclude<DeliveryState, 'pending'>, Tone> = { delivered: 'good', failed: 'bad', cancelled: 'quiet' }

/** Nothing is wrong with a delivery that waits for its first attempt. */
export const toneOf = (delivery: Progress): Tone =>
  delivery.state === 'pending' ? (failuresOf(delivery) > 0 ? 'busy' : 'quiet') : tones[delivery.state]

/** A pending delivery whose first attempt has failed says which attempt is under way or due. */
export const stateWords = (delivery: Progress, t: TFunction) => {
  const failed = failuresOf(delivery)
  return failed > 0 ? t('delivery.state.retrying', { number: failed + 1 }) : t(`delivery.state.${delivery.state}`)
}

/** What became of an attempt, and where the receiver could have done better, how. */
export const outcomeWords = ({ outcome, reason, status }: Attempt, t: TFunction): string => {
  if (reason !== null) return t(`delivery.reason.${reason}`, { status })
  return outcome === 'success' ? t('delivery.outcome.success', { status }) : t('delivery.outcome.sending')
}

/** The start of the receiver's answer; other details are told in words. */
export const answerOf = ({ outcome, detail }: Attempt) =>
  outcome === 'status' || outcome === 'success' ? detail : null

const clock = (time: string, language: string) =>
  new Intl.DateTimeFormat(language, { timeStyle: 'medium' }).format(new Date(time))

/** How it stands with a delivery, in a sentence or two. */
export const deliveryWords = (
  { state, attempts, nextAttemptAt }: Pick<Delivery, 'state' | 'attempts' | 'nextAttemptAt'>,
  t: TFunction,
  language: string,
): string => {
  const last = attempts.at(-1)
  const what = last ? outcomeWords(last, t) : ''
  if (state === 'delivered') return t('delivery.told.delivered', { status: last?.status, ms: last?.durationMs })
  if (state === 'failed') return t('delivery.told.failed', { count: attempts.length, what })
  if (state === 'cancelled') return t('delivery.told.cancelled')
  if (!last || last.outcome === 'sending') return t('delivery.told.sending')
  if (nextAttemptAt === null) return what
  return t('delivery.told.again', { number: last.number, what, time: clock(nextAttemptAt, language) })
}
