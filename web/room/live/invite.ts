import { useLive } from './context.ts'

/** Shows the dialog that makes a guest link, to the call or its live page; null for whoever may not make one. */
export const useInvite = (dialog: 'invite' | 'inviteToWatch' = 'invite') => {
  const { joinedCall, isModerator, dialogs } = useLive()
  return isModerator && joinedCall.access.credentials.by === 'user' ? () => dialogs.show(dialog) : null
}
