import { useTranslation } from 'react-i18next'
import { AuditLog } from '../audit/AuditLog.tsx'
import { Page } from '../ui/Page.tsx'
import { OperatorOnly } from './OperatorOnly.tsx'

export const AllAuditPage = () => {
  const { t } = useTranslation()
  return (
    <OperatorOnly>
      <Page title={t('audit.title')} description={t('audit.textAll')}>
        <AuditLog />
      </Page>
    </OperatorOnly>
  )
}
