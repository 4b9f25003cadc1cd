import { useLive } from './context.ts'

/** Shows the dialog that makes a guest link; null for whoever may not make one. */
export const useInvite = () => {
  const { joinedCall, isModerator, dialogs } = useLive()
  return isModerator && joinedCall.access.credentials.by === 'user' ? () => dialogs.show('invite') : null
}
