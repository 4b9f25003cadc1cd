import { Button, Center, Group, Stack, Text } from '@mantine/core'
import { QRCodeSVG } from 'qrcode.react'
import { useTranslation } from 'react-i18next'
import { CopyField } from '../../ui/CopyField.tsx'
import { liveLinkOf } from '../../ui/liveLink.ts'

interface LinkToSendProps {
  label: string
  url: string
  text: string
  /** Whether it leads to a room, and so to its live page as well. */
  isOfRoom?: boolean
  onClose: () => void
}

/** A link that has just been made: to copy, or to point a phone at. */
export const LinkToSend = ({ label, url, text, isOfRoom, onClose }: LinkToSendProps) => {
  const { t } = useTranslation()
  return (
    <Stack gap="md">
      <Text size="sm">{text}</Text>
      <CopyField label={label} value={url} />
      <Center>
        {/* Black on white in either colour scheme: cameras expect it so. */}
        <QRCodeSVG value={url} size={184} marginSize={2} title={t('qrCode', { label })} />
      </Center>
      {isOfRoom && <CopyField label={t('links.live')} description={t('links.live.text')} value={liveLinkOf(url)} />}
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('done')}</Button>
      </Group>
    </Stack>
  )
}
