import { useQuery } from '@tanstack/react-query'
import type { Answer, Body } from '../../../contract/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import type { Readiness } from '../../../contract/service.ts'
import type { NewUser } from '../../../contract/users.ts'
import { api } from '../../ui/api.ts'
import { usePages } from './pages.ts'
import { renew } from './query.ts'

export type SpaceWithPlan = Answer<Operations['listAllSpaces']>['items'][number]

export const useUsers = () => usePages(['users'], query => api.listUsers(query))

export const createUser = async (user: NewUser) => {
  await api.createUser(user)
  await renew('users')
}

export const deleteUser = async (userId: string) => {
  await api.deleteUser({ userId })
  await renew('users')
}

export const resetPassword = (userId: string, password: string, endClients: boolean) =>
  api.resetPassword({ userId, password, endClients })

export const useAllSpaces = () => usePages(['all-spaces'], query => api.listAllSpaces(query))

export const setPlan = async (spaceId: string, plan: Body<Operations['setSpacePlan']>) => {
  await api.setSpacePlan({ spaceId, ...plan })
  await Promise.all([renew('all-spaces'), renew('space', spaceId), renew('spaces')])
}

/** Not ready is an answer too. */
export const useReadiness = () =>
  useQuery({
    queryKey: ['readiness'],
    queryFn: async ({ signal }) => (await (await fetch('/readyz', { signal })).json()) as Readiness,
    refetchInterval: 5000,
  })
