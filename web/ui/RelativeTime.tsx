import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** One clock for all times on the page. */
let minute = Date.now()
const subscribe = (changed: () => void) => {
  const timer = setInterval(() => {
    minute = Date.now()
    changed()
  }, 30_000)
  return () => clearInterval(timer)
}
const useMinute = () => useSyncExternalStore(subscribe, () => minute)

const relative = (seconds: number, language: string) => {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  // "in 0 seconds" is "now".
  return unit === 'second' ? format.format(0, 'second') : format.format(Math.round(seconds / size), unit)
}

export const exactTime = (time: string, language: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(time))

/** How long ago or until when: the one form of times. Exactly, on hover, focus or touch. */
export const RelativeTime = ({ time }: { time: string }) => {
  const { i18n } = useTranslation()
  const now = Math.max(useMinute(), Date.now())
  return (
    <Tooltip label={exactTime(time, i18n.language)} events={{ hover: true, focus: true, touch: true }} withArrow>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is to be had by keyboard, too */}
      <time dateTime={time} tabIndex={0} style={{ whiteSpace: 'nowrap' }}>
        {relative((Date.parse(time) - now) / 1000, i18n.language)}
      </time>
    </Tooltip>
  )
}
