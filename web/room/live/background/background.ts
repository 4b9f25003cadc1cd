import { useLocalParticipant } from '@livekit/components-react'
import type { LocalVideoTrack } from 'livekit-client'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Background, rememberChoices, rememberedChoices } from '../../devices.ts'
import { useLive } from '../context.ts'
import { applyTo } from './effect.ts'

/** What is behind the person, chosen while the call goes on. */
export const useBackground = () => {
  const { t } = useTranslation()
  const { say } = useLive()
  const { localParticipant, cameraTrack } = useLocalParticipant()
  const [chosen, setChosen] = useState(() => rememberedChoices().background)
  const [pending, setPending] = useState<Background | null>(null)

  const remember = (background: Background) => {
    rememberChoices({ ...rememberedChoices(), background })
    setChosen(background)
  }

  const choose = async (background: Background) => {
    const track = cameraTrack?.track as LocalVideoTrack | undefined
    // A moment ago the room was to be seen as it is, so it may be again.
    const giveUp = () => {
      remember('none')
      say(t('background.slow'))
      void track?.stopProcessor()
    }
    setPending(background)
    try {
      // One that is off starts anew, with it, when it is switched on.
      if (track?.isMuted) await localParticipant.unpublishTrack(track)
      else if (track) await applyTo(track, background, giveUp)
      remember(background)
    } catch {
      say(t('background.failed'))
    } finally {
      setPending(null)
    }
  }
  return { chosen: pending ?? chosen, isPending: pending !== null, choose }
}
