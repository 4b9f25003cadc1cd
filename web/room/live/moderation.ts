import { useTranslation } from 'react-i18next'
import type { Input } from '../devices.ts'
import { useLive } from './context.ts'
import { refusalText } from './refusal.ts'

/** What a moderator does to others, and a hand. The service decides; the page says when it said no. */
export const useModeration = () => {
  const { t } = useTranslation()
  const { session, refresh, say } = useLive()
  const { client, entry } = session
  const where = { spaceId: entry.spaceId, roomId: entry.roomId }

  const attempt = async (work: Promise<unknown>) => {
    try {
      await work
      await refresh()
    } catch (error) {
      say(refusalText(error, t, { not_allowed: 'live.notAllowed' }))
    }
  }

  return {
    raiseHand: (raised: boolean) => attempt(client.setHand({ ...where, raised })),
    mute: (participantId: string, source: Input | 'screen') =>
      attempt(client.muteParticipant({ ...where, participantId, source })),
    muteAll: () => attempt(client.muteAll({ ...where, source: 'microphone' }).then(() => say(t('live.mutedAll')))),
    remove: (participantId: string) => attempt(client.removeParticipant({ ...where, participantId })),
    giveFloor: (participantId: string, onAir: boolean) => attempt(client.setFloor({ ...where, participantId, onAir })),
    endForAll: () => attempt(client.endCall(where)),
  }
}
