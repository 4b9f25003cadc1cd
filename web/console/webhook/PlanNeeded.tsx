import { IconReceipt } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Space } from '../../../contract/spaces.ts'
import { exactTime } from '../../ui/RelativeTime.tsx'
import { Empty } from '../ui/Empty.tsx'

/** Why there is nothing to set up here, and who can change that. */
export const PlanNeeded = ({ space: { plan, planActiveUntil } }: { space: Space }) => {
  const { t, i18n } = useTranslation()
  const isLapsed = plan !== 'free' && planActiveUntil !== null
  return (
    <Empty
      icon={IconReceipt}
      title={t('webhook.plan.title')}
      text={
        isLapsed
          ? t('webhook.plan.lapsed', { time: exactTime(planActiveUntil, i18n.language) })
          : t('webhook.plan.free')
      }
    />
  )
}
