import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconPlugOff } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Delivery } from '../../../contract/webhooks.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { updateWebhook, useWebhookHealth, type Webhook, type WebhookHealth } from '../data/webhook.ts'
import { Facts } from '../ui/Facts.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { tellProblem } from '../ui/notify.ts'
import { Section } from '../ui/Page.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'
import { StateMark } from '../ui/StateMark.tsx'
import { Switch } from '../ui/Switch.tsx'
import { ChangeUrlDialog } from './ChangeUrlDialog.tsx'
import { SendTest } from './SendTest.tsx'
import { deliveryWords, eventWords, stateWords } from './words.ts'

interface WebhookStateProps {
  spaceId: string
  webhook: Webhook
}

/** Where it goes, whether it works, and if not, why and what to do. */
export const WebhookState = ({ spaceId, webhook }: WebhookStateProps) => {
  const { t } = useTranslation()
  const health = useWebhookHealth(spaceId)
  return (
    <Section title={t('webhook.state')}>
      <Loaded query={health} skeleton={<PageSkeleton />}>
        {found => <State spaceId={spaceId} webhook={webhook} health={found} />}
      </Loaded>
    </Section>
  )
}

const State = ({ spaceId, webhook: { url }, health }: WebhookStateProps & { health: WebhookHealth }) => {
  const { t } = useTranslation()
  const [isChanging, { open, close }] = useDisclosure()
  const { isActive, lastSuccessAt, consecutiveFailures } = health
  const toggle = useMutation({
    mutationFn: (isActive: boolean) => updateWebhook(spaceId, { url, isActive }),
    onError: tellProblem,
  })
  const switchOn = (
    <Button size="xs" onClick={() => toggle.mutate(true)} loading={toggle.isPending}>
      {t('webhook.on.again')}
    </Button>
  )
  return (
    <Stack gap="md">
      <Trouble spaceId={spaceId} health={health} switchOn={switchOn} />
      <Facts
        facts={[
          [t('webhook.state.now'), <StateOf key="state" health={health} />],
          [
            t('webhook.url'),
            <Group key="url" gap="xs" align="baseline">
              <span>{url}</span>
              <Anchor component="button" type="button" size="sm" onClick={open}>
                {t('webhook.url.change')}
              </Anchor>
            </Group>,
          ],
          [
            t('webhook.lastSuccess'),
            lastSuccessAt === null ? t('webhook.lastSuccess.none') : <RelativeTime key="last" time={lastSuccessAt} />,
          ],
          [t('webhook.failures'), consecutiveFailures],
        ]}
      />
      <Switch
        label={t('webhook.isActive')}
        description={t('webhook.isActive.text')}
        checked={toggle.isPending ? toggle.variables : isActive}
        onChange={event => toggle.mutate(event.currentTarget.checked)}
      />
      <SendTest spaceId={spaceId} isActive={isActive} />
      <ChangeUrlDialog spaceId={spaceId} webhook={{ url, isActive }} opened={isChanging} onClose={close} />
    </Stack>
  )
}

const StateOf = ({ health }: { health: WebhookHealth }) => {
  const { t } = useTranslation()
  const { isActive, blockedAt, consecutiveFailures, retrying } = health
  if (blockedAt !== null)
    return (
      <StateMark tone="bad">
        <span>
          {t('webhook.state.blocked')}, <RelativeTime time={blockedAt} />
        </span>
      </StateMark>
    )
  if (!isActive) return <StateMark tone="quiet">{t('webhook.state.off')}</StateMark>
  if (consecutiveFailures > 0)
    return (
      <StateMark tone="bad">
        <span>
          {t('webhook.state.failing')} <Since health={health} />
        </span>
      </StateMark>
    )
  if (retrying !== null)
    return (
      <StateMark tone="busy">
        <span>
          {stateWords(retrying, t)}, {t('webhook.failingSince')} <Since health={health} />
        </span>
      </StateMark>
    )
  return <StateMark tone="good">{t('webhook.state.active')}</StateMark>
}

/** Of a webhook with a delivery in between that succeeded, the attempt that failed last says it. */
const Since = ({ health: { failingSince, retrying } }: { health: WebhookHealth }) => {
  const time = failingSince ?? retrying?.attempts[0]?.at
  return time && <RelativeTime time={time} />
}

interface TroubleProps {
  spaceId: string
  health: WebhookHealth
  switchOn: ReactNode
}

/** What is wrong, in words, and the way out of it. */
const Trouble = ({ spaceId, health, switchOn }: TroubleProps) => {
  const { t } = useTranslation()
  const { isActive, blockedAt, blockedReason, consecutiveFailures, retrying } = health
  if (blockedAt !== null)
    return (
      <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t('webhook.blocked.title')}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm">
            {blockedReason !== null && t(`webhook.blocked.${blockedReason}`)} {t('webhook.blocked.text')}
          </Text>
          {switchOn}
        </Stack>
      </Alert>
    )
  if (!isActive)
    return (
      <Alert color="gray" variant="light" icon={<IconPlugOff aria-hidden />} title={t('webhook.off.title')}>
        <Text size="sm">{t('webhook.off.text')}</Text>
      </Alert>
    )
  if (consecutiveFailures > 0)
    return (
      <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t('webhook.failing.title')}>
        <Text size="sm">{t('webhook.failing.text', { count: consecutiveFailures })}</Text>
        {retrying && <Retrying spaceId={spaceId} delivery={retrying} />}
      </Alert>
    )
  if (retrying === null) return null
  return (
    <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t('webhook.failing.title')}>
      <Retrying spaceId={spaceId} delivery={retrying} />
    </Alert>
  )
}

const Retrying = ({ spaceId, delivery }: { spaceId: string; delivery: Delivery }) => {
  const { t, i18n } = useTranslation()
  return (
    <Text size="sm">
      {eventWords(delivery.eventName, t)} · {deliveryWords(delivery, t, i18n.language)}{' '}
      <Anchor component={Link} to={`/spaces/${spaceId}/webhook/deliveries/${delivery.id}`} inherit underline="always">
        {t('delivery.see')}
      </Anchor>
    </Text>
  )
}
