import { useAttempt } from './attempt.ts'
import { useLive } from './context.ts'
import { isPermitted } from './may.ts'

/** The person's own hand. */
export const useHand = () => {
  const live = useLive()
  const { joinedCall, self } = live
  const { spaceId, roomId } = joinedCall.access
  const attempt = useAttempt()
  const isUp = self?.handRaisedAt != null
  const mayRaise = isPermitted(live, 'hand') ?? true
  return {
    isUp,
    mayRaise,
    toggle: () => {
      if (isUp || mayRaise) void attempt(joinedCall.client.setHand({ spaceId, roomId, raised: !isUp }))
    },
  }
}
