import { useTranslation } from 'react-i18next'
import { useLive } from './context.ts'
import { useMayChangeRoom } from './host/roomChange.ts'
import { useModeration } from './moderation.ts'

/** Invites a viewer of a webinar to speak; where the room does not let viewers speak, that is turned on after asking. */
export const useSpeakInvitation = () => {
  const { t } = useTranslation()
  const { room, dialogs, say } = useLive()
  const mayChangeRoom = useMayChangeRoom()
  const { giveFloor, letViewersSpeak } = useModeration()
  return (participantId: string, name: string) => {
    if (room?.isFloorAllowed && room.isMicrophonePublishingAllowed) return void giveFloor(participantId, true)
    if (!mayChangeRoom) return say(t('people.giveFloor.notAllowed'))
    dialogs.ask({
      title: t('people.giveFloor.title', { name }),
      text: t('people.giveFloor.text'),
      action: t('people.giveFloor'),
      isHarmless: true,
      onYes: () => void letViewersSpeak(participantId),
    })
  }
}
