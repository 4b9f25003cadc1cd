import { useMediaDeviceSelect } from '@livekit/components-react'
import { NativeSelect, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { rememberChoices, rememberedChoices } from '../devices.ts'
import { useLive } from './context.ts'
import { Dialog } from './Dialog.tsx'

const kinds = { microphone: 'audioinput', camera: 'videoinput', speaker: 'audiooutput' } as const
type Kind = keyof typeof kinds

const remember = (kind: Kind, id: string) => {
  const choices = rememberedChoices()
  rememberChoices(kind === 'speaker' ? { ...choices, speaker: id } : { ...choices, [kind]: { ...choices[kind], id } })
}

const Choice = ({ kind }: { kind: Kind }) => {
  const { t } = useTranslation()
  const { say } = useLive()
  const { devices, activeDeviceId, setActiveMediaDevice } = useMediaDeviceSelect({ kind: kinds[kind] })
  const known = devices.filter(({ deviceId, label }) => deviceId !== '' && label !== '')
  if (kind === 'speaker' && known.length === 0) return null
  return (
    <NativeSelect
      label={t(`device.${kind}`)}
      value={activeDeviceId}
      disabled={known.length === 0}
      data={
        known.length > 0 || kind === 'speaker'
          ? known.map(({ deviceId, label }) => ({ value: deviceId, label }))
          : [{ value: '', label: t(`lobby.${kind}.unknown`) }]
      }
      onChange={event => {
        const id = event.currentTarget.value
        setActiveMediaDevice(id, { exact: true })
          .then(() => remember(kind, id))
          .catch(() => say(t('devices.failed')))
      }}
    />
  )
}

/** Another camera, microphone or speaker, while the call goes on. */
export const Devices = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  const { media } = useLive()
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t('devices.title')}>
      <Stack>
        {navigator.mediaDevices ? (
          <>
            {media.mayUse.microphone && <Choice kind="microphone" />}
            {media.mayUse.camera && <Choice kind="camera" />}
            {'setSinkId' in HTMLMediaElement.prototype ? (
              <Choice kind="speaker" />
            ) : (
              <Text size="sm">{t('devices.speakerBySystem')}</Text>
            )}
          </>
        ) : (
          <Text>{t('device.both.insecure')}</Text>
        )}
      </Stack>
    </Dialog>
  )
}
