import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { api } from '../../ui/api.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Page } from '../ui/Page.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'

export const DeliveryPage = () => {
  const { t } = useTranslation()
  const { id: spaceId } = useThisSpace()
  const { deliveryId = '' } = useParams()
  const delivery = useQuery({
    queryKey: ['delivery', spaceId, deliveryId],
    queryFn: () => api.getDelivery({ spaceId, deliveryId }),
  })
  return (
    <Page title={t('delivery.title')}>
      <Loaded query={delivery} skeleton={<PageSkeleton />}>
        {({ eventName, state }) => (
          <Text>
            {eventName}: {state}
          </Text>
        )}
      </Loaded>
    </Page>
  )
}
