import { useTranslation } from 'react-i18next'
import { deleteWebhook } from '../data/webhook.ts'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { Section } from '../ui/Page.tsx'

export const DeleteWebhook = ({ spaceId }: { spaceId: string }) => {
  const { t } = useTranslation()
  return (
    <Section title={t('webhook.delete')} description={t('webhook.delete.text')}>
      <div>
        <ConfirmButton
          label={t('webhook.delete')}
          size="sm"
          variant="outline"
          title={t('webhook.delete.title')}
          text={t('webhook.delete.confirm')}
          confirmLabel={t('webhook.delete')}
          onConfirm={() => deleteWebhook(spaceId)}
        />
      </div>
    </Section>
  )
}
