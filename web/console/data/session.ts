import { useQuery } from '@tanstack/react-query'
import type { Answer, Body } from '../../../contract/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import { api, codeOf } from '../../ui/api.ts'
import { queryClient, sessionKey } from './query.ts'

export type Me = Answer<Operations['getMe']>

/** The signed-in user; null: nobody. */
const findMe = async (): Promise<Me | null> => {
  const { id } = await api.getSession()
  if (id === null) return null
  return api.getMe().catch(error => {
    if (codeOf(error) === 'token_required' || codeOf(error) === 'token_invalid') return null
    throw error
  })
}

export const useSession = () => useQuery({ queryKey: sessionKey, queryFn: findMe })

/** On pages that only whoever is signed in gets to see. */
export const useMe = (): Me => {
  const { data } = useSession()
  if (!data) throw new Error('This page needs a session around it')
  return data
}

export const signIn = async (credentials: Body<Operations['createSession']>) => {
  await api.createSession(credentials)
  // Nothing of whoever was here before.
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
  queryClient.setQueryData(sessionKey, await findMe())
}

export const signOut = async () => {
  await api.deleteSession()
  queryClient.setQueryData(sessionKey, null)
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
}
