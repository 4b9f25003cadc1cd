import { Button, CopyButton } from '@mantine/core'
import { IconCheck, IconLink } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

export const CopyLinkButton = ({ url, name }: { url: string; name?: string }) => {
  const { t } = useTranslation()
  return (
    <CopyButton value={url}>
      {({ copied, copy }) => (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={copy}
          {...(name !== undefined && { 'aria-label': copied ? t('copied') : t('copyLink.named', { name }) })}
          leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconLink size={14} aria-hidden />}
        >
          {t(copied ? 'copied' : 'copyLink')}
        </Button>
      )}
    </CopyButton>
  )
}
