import { useTranslation } from 'react-i18next'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Page } from '../ui/Page.tsx'
import { CallList } from './CallList.tsx'

/** The calls of the space, rooms that are gone included. */
export const CallsPage = () => {
  const { t } = useTranslation()
  const { id: spaceId } = useThisSpace()
  return (
    <Page title={t('calls.title')} description={t('calls.text')}>
      <CallList spaceId={spaceId} />
    </Page>
  )
}
