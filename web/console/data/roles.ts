import { useQuery } from '@tanstack/react-query'
import type { RoomRole } from '../../../contract/roles.ts'
import { api } from '../../ui/api.ts'
import { usePages } from './pages.ts'
import { renew } from './query.ts'
import type { Room } from './rooms.ts'

export const useRoles = ({ spaceId, id: roomId }: Room) =>
  usePages(['roles', spaceId, roomId], query => api.listRoles({ spaceId, roomId, ...query }))

/** What ends with the role, as it is when the question is asked. */
export const useRole = ({ spaceId, id: roomId }: Room, userId: string) =>
  useQuery({
    queryKey: ['roles', spaceId, roomId, userId],
    queryFn: () => api.getRole({ spaceId, roomId, userId }),
    staleTime: 0,
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
