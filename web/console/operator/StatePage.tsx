import { Alert, Anchor, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MediaStatus } from '../../../contract/service.ts'
import { bytes } from '../../ui/bytes.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { type Status, useStatus } from '../data/operator.ts'
import { Facts } from '../ui/Facts.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Page, Section } from '../ui/Page.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'
import { StateMark, type Tone } from '../ui/StateMark.tsx'
import { OperatorOnly } from './OperatorOnly.tsx'

export const StatePage = () => (
  <OperatorOnly>
    <State />
  </OperatorOnly>
)

const State = () => {
  const { t } = useTranslation()
  const query = useStatus()
  return (
    <Page title={t('state.title')} description={t('state.text')}>
      <Loaded query={query} skeleton={<PageSkeleton />}>
        {status => (
          <>
            {query.isError && (
              <Alert color="red" variant="light">
                {t('state.stale')}
              </Alert>
            )}
            <Activity status={status} />
            <Parts status={status} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Activity = ({ status: { calls, deliveries } }: { status: Status }) => {
  const { t, i18n } = useTranslation()
  const numbers = [
    ['state.calls', calls.live],
    ['state.participants', calls.participants],
    ['state.pending', deliveries.pending],
    ['state.failing', deliveries.failingWebhooks],
  ] as const
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} component="dl" m={0}>
      {numbers.map(([name, number]) => (
        <Stack key={name} gap={0} style={{ flexDirection: 'column-reverse', justifyContent: 'flex-end' }}>
          <Text component="dt" size="sm" c="dimmed">
            {t(name)}
          </Text>
          <Text component="dd" m={0} fz={28} fw={600} lh={1.2}>
            {number.toLocaleString(i18n.language)}
          </Text>
        </Stack>
      ))}
    </SimpleGrid>
  )
}

const Parts = ({ status }: { status: Status }) => {
  const { t, i18n } = useTranslation()
  const { database, media, nodes, deliveries, records, disk, version, startedAt } = status
  return (
    <Section title={t('state.parts')}>
      <Facts
        facts={[
          [t('state.media'), <Media key="media" status={media.status} percent={media.percent} />],
          [
            t('state.database'),
            <StateMark key="database" tone="good">
              {t(`state.database.${database.kind}`)}
            </StateMark>,
          ],
          [t('state.deliveries'), <Deliveries key="deliveries" deliveries={deliveries} />],
          [
            t('recordings.title'),
            t('recordings.usage', { count: records.count, size: bytes(records.size, i18n.language) }),
          ],
          disk !== null && [t('state.disk'), <Disk key="disk" disk={disk} />],
          [t('state.nodes'), nodes],
          [t('state.version'), version],
          [t('state.started'), <RelativeTime key="started" time={startedAt} />],
          [
            t('state.reference'),
            <Anchor key="docs" href="/docs" size="sm">
              {t('nav.docs')}
            </Anchor>,
          ],
        ]}
      />
    </Section>
  )
}

const mediaTones: Record<MediaStatus, Tone> = {
  off: 'quiet',
  downloading: 'busy',
  preparing: 'busy',
  starting: 'busy',
  ready: 'good',
  unavailable: 'bad',
  failed: 'bad',
}

const Media = ({ status, percent }: { status: MediaStatus; percent: number | null }) => {
  const { t } = useTranslation()
  return <StateMark tone={mediaTones[status]}>{t(`state.media.${status}`, { percent })}</StateMark>
}

const Deliveries = ({ deliveries }: { deliveries: Status['deliveries'] }) => {
  const { t } = useTranslation()
  const { failingWebhooks: failing, blockedWebhooks: blocked, oldestDueAt } = deliveries
  return (
    <Stack gap={2}>
      <StateMark tone={blocked > 0 ? 'bad' : failing > 0 ? 'busy' : 'good'}>
        {failing === 0 && blocked === 0 && t('state.deliveries.good')}
        {failing > 0 && t('state.deliveries.failing', { count: failing })}
        {failing > 0 && blocked > 0 && ', '}
        {blocked > 0 && t('state.deliveries.blocked', { count: blocked })}
      </StateMark>
      {oldestDueAt !== null && (
        <Text size="xs" c="dimmed">
          {t('state.deliveries.oldest')} <RelativeTime time={oldestDueAt} />
        </Text>
      )}
    </Stack>
  )
}

/** Below this, the operator is to do something. */
const LOW = 0.1

const Disk = ({ disk: { freeBytes, totalBytes } }: { disk: NonNullable<Status['disk']> }) => {
  const { t, i18n } = useTranslation()
  const isLow = freeBytes / totalBytes < LOW
  const words = t('state.disk.free', {
    free: bytes(freeBytes, i18n.language),
    total: bytes(totalBytes, i18n.language),
  })
  return (
    <Stack gap={4} maw={260}>
      <StateMark tone={isLow ? 'bad' : 'good'}>{words}</StateMark>
      <Progress
        value={(1 - freeBytes / totalBytes) * 100}
        size="sm"
        aria-label={words}
        {...(isLow && { color: 'red' })}
      />
    </Stack>
  )
}
