import { useQuery } from '@tanstack/react-query'
import type { RoomRole } from '../../../contract/roles.ts'
import { api, codeOf } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { renew } from './query.ts'
import type { Room } from './rooms.ts'

export const useRoles = ({ spaceId, id: roomId }: Room, role?: RoomRole) =>
  usePages(
    ['roles', spaceId, roomId, 'pages', role],
    query => api.listRoles({ spaceId, roomId, ...(role && { role }), ...query }),
    { keepsShown: true },
  )

/** null: they have none. */
export const findRole = ({ spaceId, id: roomId }: Room, userId: string) =>
  api.getRole({ spaceId, roomId, userId }).catch(error => {
    if (codeOf(error) === 'not_found') return null
    throw error
  })

/** With what ends with it, as it is when the question is asked. */
export const useRole = (room: Room, userId: string, enabled = true) =>
  useQuery({
    queryKey: ['roles', room.spaceId, room.id, 'of', userId],
    queryFn: () => findRole(room, userId),
    staleTime: 0,
    enabled,
  })

/** One's own role may be among those changed, and with it what the room's page offers; links end with their maker's. */
const renewRoles = ({ spaceId, id: roomId }: Room) =>
  Promise.all([renew('roles', spaceId, roomId), renew('room', spaceId), renew('links', spaceId, roomId)])

export const grantRole = async (room: Room, targetUserId: string, role: RoomRole) => {
  await api.grantRole({ spaceId: room.spaceId, roomId: room.id, targetUserId, role })
  await renewRoles(room)
}

export const revokeRole = async (room: Room, userId: string) => {
  await api.revokeRole({ spaceId: room.spaceId, roomId: room.id, userId })
  await renewRoles(room)
}
