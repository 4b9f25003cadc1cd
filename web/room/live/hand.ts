import { useAttempt } from './attempt.ts'
import { useLive } from './context.ts'

/** The person's own hand. */
export const useHand = () => {
  const { joinedCall, self } = useLive()
  const { spaceId, roomId } = joinedCall.access
  const attempt = useAttempt()
  const isUp = self?.handRaisedAt != null
  return { isUp, toggle: () => void attempt(joinedCall.client.setHand({ spaceId, roomId, raised: !isUp })) }
}
