import { useLocalParticipant, useRoomContext } from '@livekit/components-react'
import { type Participant, RoomEvent, Track, type TrackPublication } from 'livekit-client'
import { useCallback, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import {
  type DeviceChoices,
  type Input,
  problemOf,
  rememberChoices,
  rememberedChoices,
  standingProblem,
} from '../devices.ts'
import { chosenProcessor, hasBackground } from './background/effect.ts'

export interface OwnMedia {
  mayUse: Record<Input | 'screen', boolean>
  isOn: Record<Input | 'screen', boolean>
  toggle: (input: Input | 'screen') => void
  turnOn: (inputs: Input[]) => void
}

/** As the engine numbers them. */
const sourceNumbers = { camera: 1, microphone: 2, screen: 3 }

const mayNow = ({ permissions }: Participant, source: keyof typeof sourceNumbers) =>
  permissions?.canPublish === true && (permissions.canPublishSources as number[]).includes(sourceNumbers[source])

const canShare = () => typeof navigator.mediaDevices?.getDisplayMedia === 'function'

/** The person's own camera, microphone and screen, within the rights the engine says they have. */
export const useOwnMedia = (round: number, choices: DeviceChoices, say: (text: string) => void): OwnMedia => {
  const { t } = useTranslation()
  const room = useRoomContext()
  const { localParticipant, isCameraEnabled, isMicrophoneEnabled, isScreenShareEnabled } = useLocalParticipant()
  const may = (source: keyof typeof sourceNumbers) => mayNow(localParticipant, source)
  const mayUse = { camera: may('camera'), microphone: may('microphone'), screen: may('screen') && canShare() }
  const isOn = { camera: isCameraEnabled, microphone: isMicrophoneEnabled, screen: isScreenShareEnabled }
  // What the person wants, across connections.
  const wanted = useRef({ camera: choices.camera.isOn, microphone: choices.microphone.isOn })

  const set = useCallback(
    async (input: Input | 'screen', on: boolean) => {
      const setDevice = async (options?: { deviceId: string }) => {
        if (input === 'camera') {
          const processor = on ? await chosenProcessor(() => say(t('background.slow'))) : undefined
          return localParticipant.setCameraEnabled(on, { ...options, ...(processor && { processor }) })
        }
        if (input === 'microphone') return localParticipant.setMicrophoneEnabled(on, options)
        return localParticipant.setScreenShareEnabled(on, { audio: true })
      }
      try {
        await setDevice().catch(error => {
          // The one chosen some time ago is no longer there.
          if ((error as DOMException).name !== 'OverconstrainedError') throw error
          return setDevice({ deviceId: 'default' })
        })
      } catch (error) {
        // Closing the browser's dialog is a choice, not a failure.
        if (input === 'screen') return problemOf(error) !== 'refused' && say(t('live.shareFailed'))
        wanted.current[input] = false
        const problem = standingProblem(input)
        // Rather no picture than one of the room behind the person.
        const isOfBackground = input === 'camera' && hasBackground() && !(error instanceof DOMException)
        if (isOfBackground && !problem) return say(t('background.cameraOff'))
        say(t(`live.device.${input}.${problem ?? problemOf(error)}`))
      }
    },
    [localParticipant, say, t],
  )

  // With every connection the person is heard and seen as before. The floor of a webinar switches nothing on by itself.
  useEffect(() => {
    if (round === 0) return
    for (const input of ['microphone', 'camera'] as const)
      if (!mayNow(localParticipant, input)) wanted.current[input] = false
      else if (
        wanted.current[input] &&
        !localParticipant[input === 'camera' ? 'isCameraEnabled' : 'isMicrophoneEnabled']
      )
        void set(input, true)
  }, [round, localParticipant, set])

  useEffect(() => {
    // By a moderator: what the person has switched off themselves is not wanted any more.
    const onMuted = ({ source }: TrackPublication, participant: Participant) => {
      if (participant !== localParticipant) return
      if (source === Track.Source.ScreenShare) {
        void set('screen', false)
        return say(t('live.muted.screen'))
      }
      const input = source === Track.Source.Camera ? 'camera' : 'microphone'
      if (!wanted.current[input]) return
      wanted.current[input] = false
      say(t(`live.muted.${input}`))
    }
    // What may not be used any more is not switched on by itself when it may be again.
    const onRights = (_before: unknown, participant: Participant) => {
      if (participant !== localParticipant) return
      for (const input of ['microphone', 'camera'] as const)
        if (!mayNow(localParticipant, input)) wanted.current[input] = false
    }
    room.on(RoomEvent.TrackMuted, onMuted).on(RoomEvent.ParticipantPermissionsChanged, onRights)
    return () => {
      room.off(RoomEvent.TrackMuted, onMuted).off(RoomEvent.ParticipantPermissionsChanged, onRights)
    }
  }, [room, localParticipant, set, say, t])

  const toggle = (input: Input | 'screen') => {
    if (!mayUse[input]) return
    const on = !isOn[input]
    if (input !== 'screen') {
      wanted.current[input] = on
      const remembered = rememberedChoices()
      rememberChoices({ ...remembered, [input]: { ...remembered[input], isOn: on } })
    }
    void set(input, on)
  }

  const turnOn = (inputs: Input[]) => {
    for (const input of inputs) if (!isOn[input]) toggle(input)
  }

  return { mayUse, isOn, toggle, turnOn }
}
