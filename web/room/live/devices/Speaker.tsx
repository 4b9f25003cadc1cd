import { Button, Stack, Text } from '@mantine/core'
import { IconVolume } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive } from '../context.ts'
import { Choice } from './Choice.tsx'
import { playTestSound } from './testSound.ts'

export const Speaker = () => {
  const { t } = useTranslation()
  return (
    <Stack gap="xs">
      {'setSinkId' in HTMLMediaElement.prototype ? (
        <Choice kind="speaker">{deviceId => <Test deviceId={deviceId} />}</Choice>
      ) : (
        <>
          <Text size="sm">{t('devices.speakerBySystem')}</Text>
          <Test deviceId="" />
        </>
      )}
    </Stack>
  )
}

const Test = ({ deviceId }: { deviceId: string }) => {
  const { t } = useTranslation()
  const { say } = useLive()
  const [isPlaying, setPlaying] = useState(false)
  const play = () => {
    setPlaying(true)
    playTestSound(deviceId)
      .catch(() => say(t('devices.failed')))
      .finally(() => setPlaying(false))
  }
  return (
    <Button
      variant="default"
      size="xs"
      mt="xs"
      leftSection={<IconVolume size={16} aria-hidden />}
      // Not disabled, which would take the focus away.
      aria-disabled={isPlaying}
      onClick={() => !isPlaying && play()}
    >
      {t(isPlaying ? 'devices.testing' : 'devices.test')}
    </Button>
  )
}
