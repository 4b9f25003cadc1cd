import type { RoomRole } from '../../../contract/roles.ts'
import { api } from '../../ui/api.ts'
import { usePages } from './pages.ts'
import { renew } from './query.ts'
import type { Room } from './rooms.ts'

export const useRoles = ({ spaceId, id: roomId }: Room) =>
  usePages(['roles', spaceId, roomId], query => api.listRoles({ spaceId, roomId, ...query }))

/** One's own role may be among those changed, and with it what the room's page offers. */
const renewRoles = ({ spaceId, id: roomId }: Room) =>
  Promise.all([renew('roles', spaceId, roomId), renew('room', spaceId)])

export const grantRole = async (room: Room, targetUserId: string, role: RoomRole) => {
  await api.grantRole({ spaceId: room.spaceId, roomId: room.id, targetUserId, role })
  await renewRoles(room)
}

export const revokeRole = async (room: Room, userId: string) => {
  await api.revokeRole({ spaceId: room.spaceId, roomId: room.id, userId })
  await renewRoles(room)
}
