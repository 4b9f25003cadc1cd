import type { TFunction } from 'i18next'
import type { PastPerson } from '../../../contract/calls.ts'
import type { Call } from '../data/calls.ts'

type Stay = PastPerson['stays'][number]

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

/** When each one was there, and how long the whole is. */
export const timelineOf = (call: Call, people: PastPerson[], now: number) => {
  const start = Date.parse(call.startedAt)
  const end = call.endedAt === null ? now : Date.parse(call.endedAt)
  const length = Math.max(end - start, 1000)
  const within = (time: string | null) =>
    Math.min(Math.max((time === null ? end : Date.parse(time)) - start, 0), length)
  const rows = people.map(
    ({ name, stays }, index): TimelineRow => ({
      id: String(index),
      name,
      stays,
      spans: stays.map(({ joinedAt, leftAt }) => ({ from: within(joinedAt), to: within(leftAt) })),
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
