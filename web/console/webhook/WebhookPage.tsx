import { Text } from '@mantine/core'
import { IconWebhook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, codeOf } from '../../ui/api.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Page } from '../ui/Page.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'

export const WebhookPage = () => {
  const { t } = useTranslation()
  const { id: spaceId } = useThisSpace()
  const webhook = useQuery({
    queryKey: ['webhook', spaceId],
    queryFn: () =>
      api.getWebhook({ spaceId }).catch(error => {
        if (codeOf(error) === 'not_found') return null
        throw error
      }),
  })
  return (
    <Page title={t('webhook.title')} description={t('webhook.text')}>
      <Loaded query={webhook} skeleton={<PageSkeleton />}>
        {found =>
          found ? (
            <Text>{found.url}</Text>
          ) : (
            <Empty icon={IconWebhook} title={t('webhook.empty.title')} text={t('webhook.empty.text')} />
          )
        }
      </Loaded>
    </Page>
  )
}
