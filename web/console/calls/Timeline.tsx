import { Text, Tooltip } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PastPerson } from '../../../contract/calls.ts'
import type { Call } from '../data/calls.ts'
import classes from './Timeline.module.css'
import { stayWords, type TimelineRow, timelineOf } from './timeline.ts'

interface TimelineProps {
  call: Call
  people: PastPerson[]
}

const MOST_ROWS = 50
const SHORT_MS = 600_000
/** Where the axis says the time, in parts of the whole. */
const ticks = [0, 0.25, 0.5, 0.75, 1]

const percent = (part: number) => `${part * 100}%`

/** One row for each person, a bar for each stay. Whoever cannot see it has the same in the table. */
export const Timeline = ({ call, people }: TimelineProps) => {
  const { t, i18n } = useTranslation()
  const { start, length, rows } = timelineOf(call, people, Date.now())
  const clock = new Intl.DateTimeFormat(i18n.language, { timeStyle: length < SHORT_MS ? 'medium' : 'short' })
  return (
    <>
      <div className={classes.chart} role="img" aria-label={t('call.timeline.label', { count: rows.length })}>
        {rows.slice(0, MOST_ROWS).map(row => (
          <Row key={row.id} row={row} length={length} />
        ))}
        <div className={classes.axis}>
          {ticks.map(part => (
            <span key={part} style={{ left: percent(part) }}>
              {clock.format(start + part * length)}
            </span>
          ))}
        </div>
      </div>
      {rows.length > MOST_ROWS && (
        <Text size="sm" c="dimmed">
          {t('call.timeline.more', { count: MOST_ROWS })}
        </Text>
      )}
    </>
  )
}

const Row = ({ row, length }: { row: TimelineRow; length: number }) => (
  <Tooltip label={<Stays row={row} />} events={{ hover: true, focus: false, touch: true }}>
    <div className={classes.row}>
      <span className={classes.name}>{row.name}</span>
      <div className={classes.track}>
        {row.spans.map(({ from, to }) => (
          <div
            key={from}
            className={classes.stay}
            data-stay={row.id}
            style={{ left: percent(from / length), width: percent((to - from) / length) }}
          />
        ))}
      </div>
    </div>
  </Tooltip>
)

/** Of the person pointed at. */
const Stays = ({ row: { name, stays } }: { row: TimelineRow }) => {
  const { t, i18n } = useTranslation()
  return (
    <>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      {stays.map(stay => (
        <Text key={stay.joinedAt} size="xs">
          {stayWords(stay, t, i18n.language)}
        </Text>
      ))}
    </>
  )
}
