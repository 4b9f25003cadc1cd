import { useLive } from './context.ts'
import { useModeration } from './moderation.ts'

/** The person's own hand. */
export const useHand = () => {
  const { self } = useLive()
  const { raiseHand } = useModeration()
  const isUp = self?.handRaisedAt != null
  return { isUp, toggle: () => void raiseHand(!isUp) }
}
