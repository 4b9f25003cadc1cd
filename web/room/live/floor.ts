import { useAttempt } from './attempt.ts'
import { useLive } from './context.ts'

/** The person's own floor of a webinar. */
export const useFloor = () => {
  const { joinedCall, self, isModerator, room } = useLive()
  const { spaceId, roomId } = joinedCall.access
  const attempt = useAttempt()
  const mayGiveBack = room?.type === 'webinar' && self?.hasFloor === true && !isModerator
  return { mayGiveBack, giveBack: () => attempt(joinedCall.client.returnFloor({ spaceId, roomId })) }
}
