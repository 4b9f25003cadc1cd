import { Anchor, Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MediaStatus } from '../../../contract/service.ts'
import { version } from '../../../package.json'
import { useReadiness } from '../data/operator.ts'
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

const Condition = ({ color, children }: { color: string; children: string }) => (
  <Badge variant="light" color={color} tt="none">
    {children}
  </Badge>
)

const Readiness = ({ isReady }: { isReady: boolean }) => {
  const { t } = useTranslation()
  return <Condition color={isReady ? 'teal' : 'red'}>{t(isReady ? 'state.ready' : 'state.notReady')}</Condition>
}

const mediaColors: Record<MediaStatus, string> = {
  off: 'gray',
  downloading: 'yellow',
  preparing: 'yellow',
  starting: 'yellow',
  ready: 'teal',
  unavailable: 'red',
  failed: 'red',
}

const Media = ({ media, percent }: { media: MediaStatus; percent: number | null }) => {
  const { t } = useTranslation()
  return <Condition color={mediaColors[media]}>{t(`state.media.${media}`, { percent })}</Condition>
}

const State = () => {
  const { t } = useTranslation()
  return (
    <Page title={t('state.title')} description={t('state.text')}>
      <Loaded query={useReadiness()} skeleton={<PageSkeleton />}>
        {({ status, database, media, mediaPercent }) => (
          <Facts
            facts={[
              [t('state.service'), <Readiness key="service" isReady={status === 'ready'} />],
              [t('state.database'), <Readiness key="database" isReady={database === 'ready'} />],
              [t('state.media'), <Media key="media" media={media} percent={mediaPercent} />],
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
