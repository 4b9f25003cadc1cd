import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSearchFilter } from './search.ts'

const isDay = (text: string) => !Number.isNaN(Date.parse(`${text}T00:00`))

/** When the day begins where the reader is; `later`: that many days after it. */
const startOf = (day: string, later = 0) => {
  const time = new Date(`${day}T00:00`)
  time.setDate(time.getDate() + later)
  return time.toISOString()
}

/** The days in the address, as times: with the last one included. */
export const useDays = (): { from?: string; to?: string } => {
  const [get] = useSearchFilter<'from' | 'to'>()
  const [from, to] = [get('from') ?? '', get('to') ?? '']
  return { ...(isDay(from) && { from: startOf(from) }), ...(isDay(to) && { to: startOf(to, 1) }) }
}

/** From which day, and to which. */
export const DayFields = ({ size = 'sm' }: { size?: 'xs' | 'sm' }) => {
  const { t } = useTranslation()
  const [get, set] = useSearchFilter<'from' | 'to'>()
  return (['from', 'to'] as const).map(name => (
    <TextInput
      key={name}
      type="date"
      label={t(`filter.${name}`)}
      size={size}
      value={get(name) ?? ''}
      onChange={event => set(name, event.currentTarget.value)}
    />
  ))
}
