import { Anchor, Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useParams } from 'react-router'
import { codeOf } from '../../ui/api.ts'
import { CopyId } from '../../ui/CopyId.tsx'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { exactTime, RelativeTime } from '../../ui/RelativeTime.tsx'
import { type DeliveryInFull, redeliver, useDelivery, useWebhook } from '../data/webhook.ts'
import { NotFoundPage } from '../shell/NotFoundPage.tsx'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { BackLink } from '../ui/BackLink.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Page, Section } from '../ui/Page.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'
import { Attempts } from './Attempts.tsx'
import { DeliveryNotice } from './FollowedDelivery.tsx'
import { eventWords } from './words.ts'

/** One event on its way: what was sent, each attempt, and what came of it. */
export const DeliveryPage = () => {
  const { id: spaceId } = useThisSpace()
  const { deliveryId = '' } = useParams()
  const query = useDelivery(spaceId, deliveryId)
  if (codeOf(query.error) === 'not_found') return <NotFoundPage />
  return (
    <Loaded query={query} skeleton={<PageSkeleton />}>
      {delivery => <DeliveryContent key={delivery.id} spaceId={spaceId} delivery={delivery} />}
    </Loaded>
  )
}

const DeliveryContent = ({ spaceId, delivery }: { spaceId: string; delivery: DeliveryInFull }) => {
  const { t, i18n } = useTranslation()
  const { id, eventName, createdAt, attempts, body } = delivery
  const again = useRedeliver(spaceId, id)
  return (
    <div>
      <BackLink to={`/spaces/${spaceId}/webhook`} label={t('webhook.title')} />
      <Page title={eventWords(eventName, t)} description={t('delivery.title')} actions={again.button}>
        {again.notice}
        <DeliveryNotice delivery={delivery} />
        <Facts
          facts={[
            [t('webhook.deliveries.event'), <code key="event">{eventName}</code>],
            [
              t('delivery.happened'),
              <span key="time">
                {exactTime(createdAt, i18n.language)} (<RelativeTime time={createdAt} />)
              </span>,
            ],
            ['webhook-id', <CopyId key="id" value={id} />],
          ]}
        />
        <Section title={t('delivery.attempts')} description={t('delivery.attempts.text')}>
          <Attempts attempts={attempts} />
        </Section>
        <Section title={t('delivery.body')} description={t('delivery.body.text')}>
          <CodeBlock label={t('delivery.body')} code={JSON.stringify(JSON.parse(body), null, 2)} copied={body} />
        </Section>
      </Page>
    </div>
  )
}

/** Sends it once more as a new delivery, whose page comes next; while that is not possible, says why. */
const useRedeliver = (spaceId: string, deliveryId: string) => {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { data: webhook } = useWebhook(spaceId)
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => redeliver(spaceId, deliveryId),
    onSuccess: id => navigate(`/spaces/${spaceId}/webhook/deliveries/${id}`),
  })
  const button = webhook?.isActive && (
    <Button onClick={() => mutate()} loading={isPending}>
      {t('delivery.redeliver')}
    </Button>
  )
  const hindrance =
    webhook === null ? 'delivery.redeliver.gone' : webhook?.isActive === false && 'delivery.redeliver.off'
  const notice = error ? (
    <ProblemNotice error={error} />
  ) : (
    hindrance && (
      <Text size="sm" c="dimmed">
        {t(hindrance)}{' '}
        <Anchor component={Link} to={`/spaces/${spaceId}/webhook`} inherit underline="always">
          {t('delivery.redeliver.webhook')}
        </Anchor>
      </Text>
    )
  )
  return { button, notice }
}
