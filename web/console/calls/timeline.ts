import type { TFunction } from 'i18next'
import type { PastParticipant } from '../../../contract/calls.ts'
import type { Call } from '../data/calls.ts'

type Stay = PastParticipant['stays'][number]

/** In milliseconds since the call began. */
interface Span {
  from: number
  to: number
}

export interface TimelineRow {
  id: string
  name: string
  stays: Stay[]
  /** In their order, and apart from each other. */
  spans: Span[]
}

/** A connection that replaces another overlaps with it for a moment. */
const merged = (spans: Span[]): Span[] => {
  const apart: Span[] = []
  for (const span of spans) {
    const last = apart.at(-1)
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to)
    else apart.push({ ...span })
  }
  return apart
}

/** When each one was there, and how long the whole is. */
export const timelineOf = (call: Call, participants: PastParticipant[], now: number) => {
  const start = Date.parse(call.startedAt)
  const end = call.endedAt === null ? now : Date.parse(call.endedAt)
  const length = Math.max(end - start, 1000)
  const within = (time: string | null) =>
    Math.min(Math.max((time === null ? end : Date.parse(time)) - start, 0), length)
  const rows = participants.map(
    ({ participantId, name, stays }): TimelineRow => ({
      id: participantId,
      name,
      stays,
      spans: merged(stays.map(({ joinedAt, leftAt }) => ({ from: within(joinedAt), to: within(leftAt) }))),
    }),
  )
  return { start, length, rows }
}

/** From when to when, in the reader's time. */
export const stayWords = ({ joinedAt, leftAt }: Stay, t: TFunction, language: string) => {
  const format = new Intl.DateTimeFormat(language, { timeStyle: 'medium' })
  return leftAt === null
    ? t('call.stay.open', { time: format.format(new Date(joinedAt)) })
    : format.formatRange(new Date(joinedAt), new Date(leftAt))
}
