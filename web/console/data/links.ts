import type { NewLink } from '../../../contract/links.ts'
import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { renew } from './query.ts'
import type { Room } from './rooms.ts'

export const useLinks = ({ spaceId, id: roomId }: Room) =>
  usePages(['links', spaceId, roomId], query => api.listLinks({ spaceId, roomId, ...query }))

export const useLinkGuests = ({ spaceId, id: roomId }: Room, linkId: string) =>
  usePages(['linkGuests', linkId], query => api.listLinkGuests({ spaceId, roomId, linkId, ...query }))

export const createLink = async ({ spaceId, id: roomId }: Room, link: NewLink) => {
  const { url } = await api.generateAccess({ spaceId, roomId, ...link })
  await renew('links', spaceId, roomId)
  return url
}

export const urlOfLink = async ({ spaceId, id: roomId }: Room, linkId: string) =>
  (await api.getLinkUrl({ spaceId, roomId, linkId })).url

export const revokeLink = async ({ spaceId, id: roomId }: Room, linkId: string) => {
  await api.revokeLink({ spaceId, roomId, linkId })
  await renew('links', spaceId, roomId)
}
