import { useQuery } from '@tanstack/react-query'
import type { NewSpace, Space, SpacePatch } from '../../../contract/spaces.ts'
import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { queryClient, renew } from './query.ts'

const spaceKey = (spaceId: string) => ['space', spaceId]

export const useSpaces = () => usePages(['spaces'], query => api.listSpaces(query))

export const useSpace = (spaceId: string, enabled = true) =>
  useQuery({ queryKey: spaceKey(spaceId), queryFn: () => api.getSpace({ spaceId }), enabled })

export const createSpace = async (space: NewSpace) => {
  const { id } = await api.createSpaces(space)
  await renew('spaces')
  return id
}

export const updateSpace = async (spaceId: string, change: SpacePatch) => {
  queryClient.setQueryData<Space>(spaceKey(spaceId), await api.updateSpace({ spaceId, ...change }))
  await renew('spaces')
}

export const uploadLogo = async (spaceId: string, file: File) => {
  queryClient.setQueryData<Space>(spaceKey(spaceId), await api.setSpaceLogo({ spaceId, file }))
  await renew('spaces')
}

export const deleteSpace = async (spaceId: string) => {
  await api.deleteSpace({ spaceId })
  await renew('spaces')
}

export const handSpaceOver = async (spaceId: string, userId: string) => {
  await api.setSpaceOwner({ spaceId, userId })
  await Promise.all([renew('space', spaceId), renew('spaces'), renew('members', spaceId)])
}
