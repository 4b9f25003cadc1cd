import { Anchor, Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { version } from '../../../package.json'
import { type Readiness, useReadiness } from '../data/operator.ts'
import { Facts } from '../ui/Facts.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Page } from '../ui/Page.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'
import { OperatorOnly } from './OperatorOnly.tsx'

export const StatePage = () => (
  <OperatorOnly>
    <State />
  </OperatorOnly>
)

const Condition = ({ isGood, children }: { isGood: boolean; children: string }) => (
  <Badge variant="light" color={isGood ? 'teal' : 'red'} tt="none">
    {children}
  </Badge>
)

const Media = ({ media }: Pick<Readiness, 'media'>) => {
  const { t } = useTranslation()
  const [status, percent] = media.split(' ')
  return <Condition isGood={status !== 'failed'}>{t(`state.media.${status}`, { percent })}</Condition>
}

const State = () => {
  const { t } = useTranslation()
  return (
    <Page title={t('state.title')} description={t('state.text')}>
      <Loaded query={useReadiness()} skeleton={<PageSkeleton />}>
        {({ status, database, media }) => (
          <Facts
            facts={[
              [
                t('state.service'),
                <Condition key="status" isGood={status === 'ready'}>
                  {t(status === 'ready' ? 'state.ready' : 'state.notReady')}
                </Condition>,
              ],
              [
                t('state.database'),
                <Condition key="database" isGood={database === 'ready'}>
                  {t(database === 'ready' ? 'state.ready' : 'state.notReady')}
                </Condition>,
              ],
              [t('state.media'), <Media key="media" media={media} />],
              [t('state.version'), version],
              [
                t('state.reference'),
                <Anchor key="docs" href="/docs" size="sm">
                  {t('nav.docs')}
                </Anchor>,
              ],
            ]}
          />
        )}
      </Loaded>
    </Page>
  )
}
