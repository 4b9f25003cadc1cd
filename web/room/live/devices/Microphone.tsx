import { useLocalParticipant, useRoomContext } from '@livekit/components-react'
import { Stack, Switch } from '@mantine/core'
import type { LocalAudioTrack } from 'livekit-client'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { rememberChoices, rememberedChoices, type SoundCleaning } from '../../devices.ts'
import { useCapture } from '../../lobby/capture.ts'
import { Meter } from '../../Meter.tsx'
import { useLive } from '../context.ts'
import { Choice } from './Choice.tsx'
import classes from './devices.module.css'

const cleanings = ['noiseSuppression', 'echoCancellation'] as const

export const Microphone = () => (
  <Stack gap="xs">
    <Choice kind="microphone">{deviceId => <Level deviceId={deviceId} />}</Choice>
    <Cleaning />
  </Stack>
)

/** Of what the others hear; while the person is muted, of what they would hear. */
const Level = ({ deviceId }: { deviceId: string }) => {
  const { media } = useLive()
  const { microphoneTrack } = useLocalParticipant()
  const isOn = media.isOn.microphone
  const own = useCapture('microphone', !isOn, deviceId === 'default' || deviceId === '' ? null : deviceId)
  const sent = isOn ? microphoneTrack?.track?.mediaStreamTrack : undefined
  const stream = useMemo(() => (sent ? new MediaStream([sent]) : null), [sent])
  return (
    <div className={classes.level}>
      <Meter stream={stream ?? own.stream} />
    </div>
  )
}

/** What the browser takes out of the sound. Music is better without. */
const Cleaning = () => {
  const { t } = useTranslation()
  const { say } = useLive()
  const room = useRoomContext()
  const { microphoneTrack } = useLocalParticipant()
  const [sound, setSound] = useState<SoundCleaning>(() => rememberedChoices().sound)
  const supported = navigator.mediaDevices.getSupportedConstraints()

  const change = async (choice: Partial<SoundCleaning>) => {
    const next = { ...sound, ...choice }
    setSound(next)
    rememberChoices({ ...rememberedChoices(), sound: next })
    const capture = { ...room.options.audioCaptureDefaults, ...next }
    room.options.audioCaptureDefaults = capture
    const track = microphoneTrack?.track as LocalAudioTrack | undefined
    // One that is off starts with them when it is switched on.
    if (!track || track.isMuted) return
    await track.restartTrack(capture).catch(() => say(t('devices.failed')))
  }

  return cleanings
    .filter(cleaning => supported[cleaning])
    .map(cleaning => (
      <Switch
        key={cleaning}
        label={t(`devices.${cleaning}`)}
        checked={sound[cleaning]}
        onChange={event => void change({ [cleaning]: event.currentTarget.checked })}
      />
    ))
}
