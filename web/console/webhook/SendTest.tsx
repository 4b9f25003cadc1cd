import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { testWebhook } from '../data/webhook.ts'
import { FollowedDelivery } from './FollowedDelivery.tsx'

/** Sends a test event and follows it to its end. */
export const SendTest = ({ spaceId, isActive }: { spaceId: string; isActive: boolean }) => {
  const { t } = useTranslation()
  const [sentId, setSentId] = useState<string | null>(null)
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => testWebhook(spaceId),
    onMutate: () => setSentId(null),
    onSuccess: setSentId,
  })
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="sm">
        <Button variant="default" onClick={() => mutate()} loading={isPending} disabled={!isActive}>
          {t('webhook.test')}
        </Button>
        <Text size="sm" c="dimmed">
          {t(isActive ? 'webhook.test.text' : 'webhook.test.off')}
        </Text>
      </Group>
      {error && <ProblemNotice error={error} />}
      {sentId !== null && <FollowedDelivery spaceId={spaceId} deliveryId={sentId} />}
    </Stack>
  )
}
