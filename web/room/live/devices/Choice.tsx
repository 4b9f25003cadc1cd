import { useMediaDeviceSelect } from '@livekit/components-react'
import { NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { rememberChoices, rememberedChoices } from '../../devices.ts'
import { useLive } from '../context.ts'

const kinds = { microphone: 'audioinput', camera: 'videoinput', speaker: 'audiooutput' } as const
type Kind = keyof typeof kinds

const remember = (kind: Kind, id: string) => {
  const choices = rememberedChoices()
  rememberChoices(kind === 'speaker' ? { ...choices, speaker: id } : { ...choices, [kind]: { ...choices[kind], id } })
}

interface ChoiceProps {
  kind: Kind
  /** What is shown of the one in use. */
  children?: (deviceId: string) => ReactNode
}

/** Another camera, microphone or speaker, while the call goes on. */
export const Choice = ({ kind, children }: ChoiceProps) => {
  const { t } = useTranslation()
  const { say } = useLive()
  const { devices, activeDeviceId, setActiveMediaDevice } = useMediaDeviceSelect({ kind: kinds[kind] })
  const known = devices.filter(({ deviceId, label }) => deviceId !== '' && label !== '')
  if (kind === 'speaker' && known.length === 0) return null
  return (
    <div>
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
      {children?.(activeDeviceId)}
    </div>
  )
}
