import { auditActions } from '../../../contract/actions.ts'
import type { AuditFilter } from '../data/audit.ts'
import { useSearchFilter } from '../ui/search.ts'

type Name = 'action' | 'person' | 'from' | 'to'

const isDay = (text: string | null) => text !== null && !Number.isNaN(Date.parse(`${text}T00:00`))
const isId = (text: string | null) => text !== null && /^[0-9a-f-]{36}$/.test(text)

/** When the day begins where the reader is; `later`: that many days after it. */
const startOf = (day: string, later = 0) => {
  const time = new Date(`${day}T00:00`)
  time.setDate(time.getDate() + later)
  return time.toISOString()
}

/** `days` are as they are entered, with the last one included. */
export const useAuditFilter = () => {
  const [get, set] = useSearchFilter<Name>()
  const action = auditActions.find(name => name === get('action'))
  const [person, from, to] = [get('person'), get('from'), get('to')]
  const filter: AuditFilter = {
    ...(action && { action }),
    ...(person && isId(person) && { actorId: person }),
    ...(from && isDay(from) && { from: startOf(from) }),
    ...(to && isDay(to) && { to: startOf(to, 1) }),
  }
  return { filter, days: { from: from ?? '', to: to ?? '' }, set }
}
