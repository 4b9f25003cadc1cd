import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { REFRESH_MS, renew } from './query.ts'
import type { Room } from './rooms.ts'

export const bansKey = ({ spaceId, id: roomId }: Room) => ['bans', spaceId, roomId] as const

export const useBans = (room: Room) => {
  const { spaceId, id: roomId } = room
  return usePages(bansKey(room), query => api.listBans({ spaceId, roomId, ...query }), { refetchInterval: REFRESH_MS })
}

export const liftBan = async (room: Room, banId: string) => {
  await api.liftBan({ spaceId: room.spaceId, roomId: room.id, banId })
  // Links that they made count again.
  await Promise.all([renew(...bansKey(room)), renew('links', room.spaceId, room.id)])
}
