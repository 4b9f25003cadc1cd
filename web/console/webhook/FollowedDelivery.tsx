import { Alert, Anchor, Loader, Text } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { DeliveryState } from '../../../contract/webhooks.ts'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { type DeliveryInFull, useDelivery } from '../data/webhook.ts'
import { deliveryWords } from './words.ts'

const looks: Record<DeliveryState, { color: string; icon: ReactNode }> = {
  pending: { color: 'yellow', icon: <Loader size={16} color="yellow" aria-hidden /> },
  delivered: { color: 'teal', icon: <IconCheck aria-hidden /> },
  failed: { color: 'red', icon: <IconX aria-hidden /> },
  cancelled: { color: 'gray', icon: <IconX aria-hidden /> },
}

/** How it stands with a delivery; read aloud as it changes. */
export const DeliveryNotice = ({ delivery, to }: { delivery: DeliveryInFull; to?: string }) => {
  const { t, i18n } = useTranslation()
  return (
    <Alert role="status" variant="light" w="100%" {...looks[delivery.state]}>
      <Text size="sm">
        {deliveryWords(delivery, t, i18n.language)}{' '}
        {to !== undefined && (
          <Anchor component={Link} to={to} inherit underline="always" c="inherit">
            {t('delivery.see')}
          </Anchor>
        )}
      </Text>
    </Alert>
  )
}

/** A delivery that has just been set off. */
export const FollowedDelivery = ({ spaceId, deliveryId }: { spaceId: string; deliveryId: string }) => {
  const { data, error } = useDelivery(spaceId, deliveryId)
  if (data) return <DeliveryNotice delivery={data} to={`/spaces/${spaceId}/webhook/deliveries/${deliveryId}`} />
  return error ? <ProblemNotice error={error} /> : null
}
