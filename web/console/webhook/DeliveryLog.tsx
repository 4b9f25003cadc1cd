import { Anchor, Group, NativeSelect } from '@mantine/core'
import { IconInbox } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { type DeliveryFilter, useDeliveries } from '../data/webhook.ts'
import { Empty } from '../ui/Empty.tsx'
import { Section } from '../ui/Page.tsx'
import { PagedRecords } from '../ui/PagedRecords.tsx'
import { StateMark } from '../ui/StateMark.tsx'
import { useSearchFilter } from '../ui/search.ts'
import { deliveryStates, eventWords, loggedEventNames, stateWords, toneOf } from './words.ts'

interface DeliveryLogProps {
  spaceId: string
  /** Of a webhook that is gone: not shown unless there is something in it. */
  isHistory?: boolean
}

export const DeliveryLog = ({ spaceId, isHistory = false }: DeliveryLogProps) => {
  const { t } = useTranslation()
  const [filter, setFilter] = useFilter()
  const deliveries = useDeliveries(spaceId, filter)
  const isFiltered = Object.keys(filter).length > 0
  if (isHistory && !isFiltered && !deliveries.data?.length) return null
  return (
    <Section title={t('webhook.deliveries')} description={t('webhook.deliveries.text')}>
      <Group gap="sm" grow preventGrowOverflow={false} maw={420}>
        <NativeSelect
          label={t('webhook.deliveries.event')}
          size="xs"
          value={filter.eventName ?? ''}
          onChange={event => setFilter('event', event.currentTarget.value)}
          data={[
            { value: '', label: t('webhook.deliveries.event.all') },
            ...loggedEventNames.map(name => ({ value: name, label: eventWords(name, t) })),
          ]}
        />
        <NativeSelect
          label={t('webhook.deliveries.state')}
          size="xs"
          value={filter.state ?? ''}
          onChange={event => setFilter('state', event.currentTarget.value)}
          data={[
            { value: '', label: t('webhook.deliveries.state.all') },
            ...deliveryStates.map(state => ({ value: state, label: t(`delivery.state.${state}`) })),
          ]}
        />
      </Group>
      <PagedRecords
        label={t('webhook.deliveries')}
        pages={deliveries}
        idOf={delivery => delivery.id}
        empty={
          <Empty
            icon={IconInbox}
            title={t(isFiltered ? 'webhook.deliveries.none' : 'webhook.deliveries.empty')}
            text={t(isFiltered ? 'webhook.deliveries.none.text' : 'webhook.deliveries.empty.text')}
          />
        }
        columns={[
          {
            head: t('webhook.deliveries.event'),
            isName: true,
            cell: ({ id, eventName }) => (
              <Anchor component={Link} to={`/spaces/${spaceId}/webhook/deliveries/${id}`} inherit>
                {eventWords(eventName, t)}
              </Anchor>
            ),
          },
          {
            head: t('webhook.deliveries.state'),
            cell: delivery => <StateMark tone={toneOf(delivery)}>{stateWords(delivery, t)}</StateMark>,
          },
          { head: t('delivery.attempts'), cell: ({ attempts }) => attempts.length },
          { head: t('delivery.happened'), cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
        ]}
      />
    </Section>
  )
}

const useFilter = () => {
  const [get, set] = useSearchFilter<'event' | 'state'>()
  const eventName = loggedEventNames.find(name => name === get('event'))
  const state = deliveryStates.find(name => name === get('state'))
  const filter: DeliveryFilter = { ...(eventName && { eventName }), ...(state && { state }) }
  return [filter, set] as const
}
