import { useTranslation } from 'react-i18next'
import { managesSpace } from '../may.ts'
import { NotFoundPage } from '../shell/NotFoundPage.tsx'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Page } from '../ui/Page.tsx'
import { Invites } from './Invites.tsx'
import { Members } from './Members.tsx'

export const PeoplePage = () => {
  const { t } = useTranslation()
  const space = useThisSpace()
  if (!managesSpace(space)) return <NotFoundPage />
  return (
    <Page title={t('people.title')} description={t('people.text')}>
      <Members />
      <Invites />
    </Page>
  )
}
