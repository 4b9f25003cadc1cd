import type { Answer, Body } from '../../../contract/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { queryClient, renew, sessionKey } from './query.ts'

export type Session = Answer<Operations['listSessions']>['items'][number]

export const updateMe = async (change: Body<Operations['updateMe']>) => {
  queryClient.setQueryData(sessionKey, await api.updateMe(change))
}

/** Ends the other sessions. */
export const changePassword = async (currentPassword: string, newPassword: string) => {
  await api.changePassword({ currentPassword, newPassword })
  await renew('sessions')
}

export const useSessions = () => usePages(['sessions'], query => api.listSessions(query))

export const endSession = async (sessionId: string) => {
  await api.endSession({ sessionId })
  await renew('sessions')
}

export const endOtherSessions = async () => {
  await api.endOtherSessions()
  await renew('sessions')
}
