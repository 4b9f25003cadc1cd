import { useTranslation } from 'react-i18next'
import { updateWebhook, type Webhook } from '../data/webhook.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Form, requiredText } from '../ui/Form.tsx'
import { UrlInput } from './UrlInput.tsx'

interface ChangeUrlDialogProps {
  spaceId: string
  webhook: Webhook
  opened: boolean
  onClose: () => void
}

export const ChangeUrlDialog = ({ spaceId, webhook: { url, isActive }, opened, onClose }: ChangeUrlDialogProps) => {
  const { t } = useTranslation()
  const send = async (fields: FormData) => {
    await updateWebhook(spaceId, { url: requiredText(fields, 'url'), isActive })
    onClose()
  }
  return (
    <Dialog opened={opened} onClose={onClose} title={t('webhook.url.change.title')}>
      <Form submitLabel={t('save')} send={send} onCancel={onClose}>
        {errorAt => <UrlInput error={errorAt('url')} defaultValue={url} />}
      </Form>
    </Dialog>
  )
}
