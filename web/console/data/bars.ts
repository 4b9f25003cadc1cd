import { api } from '../../ui/api.ts'
import { usePages } from './pages.ts'
import { renew } from './query.ts'
import type { Room } from './rooms.ts'

export const barsKey = ({ spaceId, id: roomId }: Room) => ['bars', spaceId, roomId] as const

export const useBars = (room: Room) => {
  const { spaceId, id: roomId } = room
  return usePages(barsKey(room), query => api.listBars({ spaceId, roomId, ...query }))
}

export const liftBar = async (room: Room, barId: string) => {
  await api.liftBar({ spaceId: room.spaceId, roomId: room.id, barId })
  await renew(...barsKey(room))
}
