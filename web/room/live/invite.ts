import { useLive } from './context.ts'

/** Shows the dialog that makes a guest link; null for whoever may not make one. */
export const useInvite = () => {
  const { session, isModerator, dialogs } = useLive()
  return isModerator && session.entry.access.by === 'user' ? () => dialogs.show('invite') : null
}
