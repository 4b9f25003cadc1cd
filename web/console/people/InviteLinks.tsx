import { Button, CopyButton, Group, ScrollArea, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { CopyLinkButton } from '../ui/CopyLinkButton.tsx'
import { Records } from '../ui/Records.tsx'
import { toCsv } from './manyInvites.ts'

interface InviteLinksProps {
  links: { label: string; url: string }[]
  onClose: () => void
}

/** Whose link is whose: to copy one by one or all together, or to download. */
export const InviteLinks = ({ links, onClose }: InviteLinksProps) => {
  const { t } = useTranslation()
  const download = () => {
    const file = new Blob([toCsv([t('invites.for'), t('invites.link')], links)], { type: 'text/csv' })
    const address = URL.createObjectURL(file)
    const anchor = document.createElement('a')
    anchor.href = address
    anchor.download = 'invites.csv'
    anchor.click()
    URL.revokeObjectURL(address)
  }
  return (
    <Stack gap="md">
      <Text size="sm">{t('invites.many.ready.text')}</Text>
      <Group gap="xs">
        <Button size="xs" leftSection={<IconDownload size={14} aria-hidden />} onClick={download} data-autofocus>
          {t('invites.many.download')}
        </Button>
        <CopyButton value={links.map(({ label, url }) => `${label}\t${url}`).join('\n')}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="default"
              leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
              onClick={copy}
            >
              {t(copied ? 'copied' : 'invites.many.copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
      <ScrollArea.Autosize mah={320}>
        <Records
          label={t('invites.many.ready')}
          records={links}
          idOf={({ url }) => url}
          columns={[
            { head: t('invites.for'), isName: true, cell: ({ label }) => label },
            {
              head: t('actions'),
              isActions: true,
              cell: ({ label, url }) => <CopyLinkButton url={url} name={label} />,
            },
          ]}
        />
      </ScrollArea.Autosize>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('done')}
        </Button>
      </Group>
    </Stack>
  )
}
