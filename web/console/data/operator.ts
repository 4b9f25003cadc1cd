import { useQuery } from '@tanstack/react-query'
import type { Answer, Body } from '../../../contract/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import type { NewUser } from '../../../contract/users.ts'
import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { renew } from './query.ts'

export type SpaceWithPlan = Answer<Operations['listAllSpaces']>['items'][number]

export const useUsers = (q = '') =>
  usePages(['users', q], query => api.listUsers({ ...(q && { q }), ...query }), { keepsShown: true })

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

export type Status = Answer<Operations['getStatus']>

export const useStatus = () =>
  useQuery({ queryKey: ['status'], queryFn: () => api.getStatus(), refetchInterval: 5000, retry: false })
