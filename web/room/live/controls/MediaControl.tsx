import {
  IconMicrophone,
  IconMicrophoneOff,
  IconScreenShare,
  IconScreenShareOff,
  IconVideo,
  IconVideoOff,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useLive } from '../context.ts'
import { isOnAir, isPermitted } from '../may.ts'
import { Control, ICON } from './Control.tsx'

/** How each looks switched on, and off: a microphone that is off is what others miss, a shared screen what goes on. */
const looks = {
  microphone: { on: ['plain', IconMicrophone], off: ['off', IconMicrophoneOff] },
  camera: { on: ['plain', IconVideo], off: ['off', IconVideoOff] },
  screen: { on: ['active', IconScreenShareOff], off: ['plain', IconScreenShare] },
} as const

/** The person's own microphone, camera or screen; none for whoever may not use it. */
export const MediaControl = ({ input }: { input: keyof typeof looks }) => {
  const { t } = useTranslation()
  const live = useLive()
  const { media, say } = live
  const isOn = media.isOn[input]
  const [look, Icon] = looks[input][isOn ? 'on' : 'off']
  if (!media.mayUse[input]) {
    if (input === 'screen' || !isOnAir(live) || isPermitted(live, input) !== false) return null
    const reason = t(`live.permission.${input}.off`)
    return (
      <Control
        look="held"
        icon={<Icon size={ICON} />}
        label={t(`live.control.${input}`)}
        hint={reason}
        aria-disabled
        onClick={() => say(reason)}
      />
    )
  }
  return (
    <Control
      look={look}
      icon={<Icon size={ICON} />}
      label={t(`live.control.${input}`)}
      hint={t(isOn ? `live.hint.${input}Off` : `live.hint.${input}On`)}
      aria-pressed={isOn}
      onClick={() => media.toggle(input)}
    />
  )
}
