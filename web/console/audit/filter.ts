import { auditActions } from '../../../contract/actions.ts'
import type { AuditFilter } from '../data/audit.ts'
import { useDays } from '../ui/DayFields.tsx'
import { useSearchFilter } from '../ui/search.ts'

const isId = (text: string | null) => text !== null && /^[0-9a-f-]{36}$/.test(text)

export const useAuditFilter = () => {
  const [get, set] = useSearchFilter<'action' | 'person'>()
  const days = useDays()
  const action = auditActions.find(name => name === get('action'))
  const person = get('person')
  const filter: AuditFilter = {
    ...(action && { action }),
    ...(person && isId(person) && { actorId: person }),
    ...days,
  }
  return { filter, set }
}
