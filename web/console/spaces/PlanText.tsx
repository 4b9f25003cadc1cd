import { useTranslation } from 'react-i18next'
import type { Space } from '../../../contract/spaces.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'

/** The plan, and until when it counts. */
export const PlanText = ({ space }: { space: Pick<Space, 'plan' | 'planActiveUntil'> }) => {
  const { t } = useTranslation()
  const { plan, planActiveUntil } = space
  if (plan === 'free' || planActiveUntil === null) return t(`plan.${plan}`)
  const isOver = Date.parse(planActiveUntil) <= Date.now()
  return (
    <>
      {t(`plan.${plan}`)}, {t(isOver ? 'plan.ended' : 'plan.ends')} <RelativeTime time={planActiveUntil} />
    </>
  )
}
