import { Paper, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Bar, BarChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import type { PastParticipant } from '../../../contract/calls.ts'
import type { Call } from '../data/calls.ts'
import { stayWords, type TimelineRow, timelineOf } from './timeline.ts'

interface TimelineProps {
  call: Call
  participants: PastParticipant[]
}

const MOST_ROWS = 50
const ROW_PX = 30
const AXIS_PX = 30
const LABEL_PX = 128
const LONGEST_NAME = 17

/** On one line, whatever its length. */
const shortened = (name: string) =>
  (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name).replaceAll(' ', '\u00A0')

/** One row for each person, a bar for each stay. Whoever cannot see it has the same in the table. */
const Timeline = ({ call, participants }: TimelineProps) => {
  const { t, i18n } = useTranslation()
  const { start, length, rows } = timelineOf(call, participants, Date.now())
  const drawn = rows.slice(0, MOST_ROWS)
  const mostSpans = Math.max(...drawn.map(({ spans }) => spans.length), 1)
  const clock = new Intl.DateTimeFormat(i18n.language, { timeStyle: length < 600_000 ? 'medium' : 'short' })
  const nameOf = (id: string) => shortened(drawn.find(row => row.id === id)?.name ?? '')
  const tick = { fontSize: 12, fill: 'var(--mantine-color-dimmed)' }
  return (
    <>
      <div role="img" aria-label={t('call.timeline.label', { count: rows.length })}>
        <ResponsiveContainer width="100%" height={drawn.length * ROW_PX + AXIS_PX}>
          <BarChart layout="vertical" data={drawn} barSize={14} accessibilityLayer={false} margin={{ right: 24 }}>
            <XAxis
              type="number"
              domain={[0, length]}
              tickFormatter={(ms: number) => clock.format(start + ms)}
              tick={tick}
              stroke="var(--mantine-color-default-border)"
              minTickGap={32}
              height={AXIS_PX}
            />
            <YAxis
              type="category"
              dataKey="id"
              tickFormatter={nameOf}
              tick={tick}
              width={LABEL_PX}
              axisLine={false}
              tickLine={false}
              interval={0}
            />
            <Tooltip
              content={StaysOf}
              cursor={{ fill: 'var(--mantine-color-default-hover)' }}
              isAnimationActive={false}
            />
            {[...Array(mostSpans).keys()].flatMap(nth => [
              <Bar
                key={`before ${nth}`}
                stackId="stays"
                dataKey={({ spans }: TimelineRow) => (spans[nth]?.from ?? 0) - (spans[nth - 1]?.to ?? 0)}
                fill="transparent"
                isAnimationActive={false}
              />,
              <Bar
                key={`stay ${nth}`}
                stackId="stays"
                dataKey={({ spans }: TimelineRow) => (spans[nth] ? spans[nth].to - spans[nth].from : 0)}
                fill="var(--mantine-primary-color-filled)"
                radius={3}
                isAnimationActive={false}
              />,
            ])}
          </BarChart>
        </ResponsiveContainer>
      </div>
      {rows.length > MOST_ROWS && (
        <Text size="sm" c="dimmed">
          {t('call.timeline.more', { count: MOST_ROWS })}
        </Text>
      )}
    </>
  )
}

/** The stays of the person pointed at. */
const StaysOf = ({ payload }: { payload?: readonly { payload?: TimelineRow }[] }) => {
  const { t, i18n } = useTranslation()
  const row = payload?.[0]?.payload
  if (!row) return null
  return (
    <Paper shadow="sm" withBorder p="xs">
      <Text size="sm" fw={500}>
        {row.name}
      </Text>
      {row.stays.map(stay => (
        <Text key={stay.joinedAt} size="xs">
          {stayWords(stay, t, i18n.language)}
        </Text>
      ))}
    </Paper>
  )
}

export default Timeline
