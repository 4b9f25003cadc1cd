import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useLive } from '../context.ts'
import { Dialog } from '../Dialog.tsx'
import { Camera } from './Camera.tsx'
import { Microphone } from './Microphone.tsx'
import { Speaker } from './Speaker.tsx'

/** With what the person is seen and heard, and hears, while the call goes on. */
export const Devices = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  const { media } = useLive()
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t('devices.title')}>
      <Stack gap="lg">
        {navigator.mediaDevices ? (
          <>
            {media.mayUse.camera && <Camera />}
            {media.mayUse.microphone && <Microphone />}
            <Speaker />
          </>
        ) : (
          <Text>{t('device.both.insecure')}</Text>
        )}
      </Stack>
    </Dialog>
  )
}
