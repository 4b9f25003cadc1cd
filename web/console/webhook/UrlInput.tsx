import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export const UrlInput = ({ error, defaultValue }: { error: string | undefined; defaultValue?: string }) => {
  const { t } = useTranslation()
  return (
    <TextInput
      name="url"
      type="url"
      label={t('webhook.url')}
      description={t('webhook.url.text')}
      placeholder="https://school.example/lectern"
      defaultValue={defaultValue}
      required
      maxLength={2048}
      autoCapitalize="none"
      spellCheck={false}
      error={error}
    />
  )
}
