import { IconLock } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWebhook } from '../data/webhook.ts'
import { hasActivePlan, ownsSpace } from '../may.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Page } from '../ui/Page.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'
import { SecretOnce } from '../ui/SecretOnce.tsx'
import { DeleteWebhook } from './DeleteWebhook.tsx'
import { DeliveryLog } from './DeliveryLog.tsx'
import { EventsChoice } from './EventsChoice.tsx'
import { NewWebhook } from './NewWebhook.tsx'
import { PlanNeeded } from './PlanNeeded.tsx'
import { Signing } from './Signing.tsx'
import { WebhookState } from './WebhookState.tsx'

/** Everything about the webhook of a space: making it, how it does, what it sent, and its end. */
export const WebhookPage = () => {
  const { t } = useTranslation()
  const space = useThisSpace()
  return (
    <Page title={t('webhook.title')} description={t('webhook.text')}>
      {!ownsSpace(space) ? (
        <Empty icon={IconLock} title={t('webhook.owner.title')} text={t('webhook.owner.text')} />
      ) : hasActivePlan(space) ? (
        <WebhookOfOwner spaceId={space.id} />
      ) : (
        <PlanNeeded space={space} />
      )}
    </Page>
  )
}

const WebhookOfOwner = ({ spaceId }: { spaceId: string }) => {
  const { t } = useTranslation()
  const query = useWebhook(spaceId)
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <>
      <Loaded query={query} skeleton={<PageSkeleton />}>
        {webhook =>
          webhook === null ? (
            <>
              <NewWebhook spaceId={spaceId} onSecret={setSecret} />
              <DeliveryLog spaceId={spaceId} isHistory />
            </>
          ) : (
            <>
              <WebhookState spaceId={spaceId} webhook={webhook} />
              <DeliveryLog spaceId={spaceId} />
              <EventsChoice spaceId={spaceId} />
              <Signing spaceId={spaceId} onSecret={setSecret} />
              <DeleteWebhook spaceId={spaceId} />
            </>
          )
        }
      </Loaded>
      <SecretOnce
        title={t('webhook.secret.new')}
        text={t('webhook.secret.store')}
        fields={secret === null ? null : [{ label: t('webhook.secret'), value: secret }]}
        onClose={() => setSecret(null)}
      />
    </>
  )
}
