import { type Query, useMutation, useQuery } from '@tanstack/react-query'
import type { Answer } from '../../../contract/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import type { NewRoom, RoomPatch, RoomType } from '../../../contract/rooms.ts'
import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { tellProblem } from '../ui/notify.ts'
import { queryClient, REFRESH_MS, renew } from './query.ts'

/** With the caller's own room role. */
export type Room = Answer<Operations['getRoom']>

interface RoomFilter {
  q?: string
  type?: RoomType
  /** Those with a live call. */
  live?: 'true'
}

export const useRooms = (spaceId: string, filter: RoomFilter) =>
  usePages(['rooms', spaceId, filter], query => api.listRooms({ spaceId, ...filter, ...query }), { keepsShown: true })

export const useRoom = (spaceId: string, roomId: string) =>
  useQuery({
    queryKey: ['room', spaceId, roomId],
    queryFn: () => api.getRoom({ spaceId, roomId }),
    // The lock ends with the call.
    refetchInterval: ({ state }) => (state.data?.isLocked ? REFRESH_MS : false),
  })

export const createRoom = async (spaceId: string, room: NewRoom) => {
  const created = await api.createRooms({ spaceId, ...room })
  await renew('rooms', spaceId)
  return created
}

const renewRoom = ({ spaceId }: Room) => Promise.all([renew('room', spaceId), renew('rooms', spaceId)])

export const updateRoom = async (room: Room, change: RoomPatch) => {
  await api.updateRoom({ spaceId: room.spaceId, roomId: room.id, ...change })
  await renewRoom(room)
}

/** Shown at once, and taken back if the service refuses. */
export const useRoomSwitch = (room: Room) => {
  // The page may have asked for the room by its id or by its alias.
  const filter = {
    queryKey: ['room', room.spaceId],
    predicate: ({ state }: Query) => (state.data as Room | undefined)?.id === room.id,
  }
  const show = (shown: Room) => queryClient.setQueriesData<Room>(filter, shown)
  const mutationKey = ['switch', room.id]
  return useMutation({
    mutationKey,
    mutationFn: (change: RoomPatch) => api.updateRoom({ spaceId: room.spaceId, roomId: room.id, ...change }),
    async onMutate(change) {
      await queryClient.cancelQueries(filter)
      show({ ...room, ...change })
      return room
    },
    onError(error, _change, before) {
      if (before) show(before)
      tellProblem(error)
    },
    onSettled() {
      // What is read before a later switch is through would show it as it was.
      if (queryClient.isMutating({ mutationKey }) === 1) return renewRoom(room)
    },
  })
}

export const deleteRoom = async (spaceId: string, roomId: string) => {
  await api.deleteRoom({ spaceId, roomId })
  await renew('rooms', spaceId)
}
