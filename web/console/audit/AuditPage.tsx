import { IconLock } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { ownsSpace } from '../may.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Page } from '../ui/Page.tsx'
import { AuditLog } from './AuditLog.tsx'

export const AuditPage = () => {
  const { t } = useTranslation()
  const space = useThisSpace()
  return (
    <Page title={t('audit.title')} description={t('audit.text')}>
      {ownsSpace(space) ? (
        <AuditLog spaceId={space.id} />
      ) : (
        <Empty icon={IconLock} title={t('audit.owner.title')} text={t('audit.owner.text')} />
      )}
    </Page>
  )
}
