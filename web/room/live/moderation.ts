import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Input } from '../devices.ts'
import { useAttempt } from './attempt.ts'
import { useLive } from './context.ts'
import { linksKeyOf } from './host/links.ts'

/** What a moderator does to others. */
export const useModeration = () => {
  const { t } = useTranslation()
  const { joinedCall, hasEndedCall, say } = useLive()
  const { client, access } = joinedCall
  const where = { spaceId: access.spaceId, roomId: access.roomId }
  const queries = useQueryClient()
  const attempt = useAttempt()

  return {
    mute: (participantId: string, source: Input | 'screen') =>
      attempt(client.muteParticipant({ ...where, participantId, source })),
    muteAll: () => attempt(client.muteAll({ ...where, source: 'microphone' }).then(() => say(t('live.mutedAll')))),
    remove: (participantId: string) => attempt(client.removeParticipant({ ...where, participantId })),
    turnOnWaitingRoom: () => attempt(client.updateRoom({ ...where, waitingRoomAudience: 'guests' })),
    endLink: (linkId: string) =>
      attempt(
        client
          .revokeLink({ ...where, linkId })
          .finally(() => queries.invalidateQueries({ queryKey: linksKeyOf(where.roomId) })),
      ),
    giveFloor: (participantId: string, onAir: boolean) => attempt(client.setFloor({ ...where, participantId, onAir })),
    /** And one of them begins. */
    letViewersSpeak: (participantId: string) =>
      attempt(
        client
          .updateRoom({ ...where, isFloorAllowed: true, isMicrophonePublishingAllowed: true })
          .then(() => client.setFloor({ ...where, participantId, onAir: true })),
      ),
    lowerHand: (participantId: string) => attempt(client.lowerHand({ ...where, participantId, raised: false })),
    lowerAllHands: () => attempt(client.lowerAllHands(where)),
    spotlight: (participantId: string | null, source: 'camera' | 'screen' = 'camera') =>
      attempt(client.setSpotlight({ ...where, participantId, source })),
    endForAll: () => {
      hasEndedCall.current = true
      return attempt(
        client.endCall(where).catch(error => {
          hasEndedCall.current = false
          throw error
        }),
      )
    },
  }
}
