import { Box } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { createWebhook } from '../data/webhook.ts'
import { Form, requiredText } from '../ui/Form.tsx'
import { Section } from '../ui/Page.tsx'
import { UrlInput } from './UrlInput.tsx'

interface NewWebhookProps {
  spaceId: string
  /** To be shown this once. */
  onSecret: (secret: string) => void
}

export const NewWebhook = ({ spaceId, onSecret }: NewWebhookProps) => {
  const { t } = useTranslation()
  const send = async (fields: FormData) => {
    const { secret } = await createWebhook(spaceId, requiredText(fields, 'url'))
    onSecret(secret)
  }
  return (
    <Section title={t('webhook.empty.title')} description={t('webhook.empty.text')}>
      <Box maw={560}>
        <Form submitLabel={t('webhook.create')} send={send}>
          {errorAt => <UrlInput error={errorAt('url')} />}
        </Form>
      </Box>
    </Section>
  )
}
