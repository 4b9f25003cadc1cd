import { useQuery } from '@tanstack/react-query'
import { api } from '../../ui/api.ts'
import { ownsSpace } from '../may.ts'
import { useMe } from './session.ts'
import { useSpaces } from './spaces.ts'

export interface FirstStep {
  name: 'space' | 'room' | 'link'
  isDone: boolean
  /** Where it is done; null: not yet. */
  to: string | null
}

/** The steps to the first lesson of who has at most one space, of their own, and one room; null: they are past it. */
export const useFirstSteps = (enabled: boolean): FirstStep[] | null => {
  const me = useMe()
  const { data: spaces } = useSpaces()
  const space = spaces?.[0]
  const isNew = enabled && spaces !== undefined && spaces.length <= 1 && (!space || ownsSpace(space))
  const rooms = useQuery({
    queryKey: ['rooms', space?.id ?? '', '', 'first'],
    queryFn: async () => (await api.listRooms({ spaceId: space?.id ?? '', limit: 2 })).items,
    enabled: isNew && space !== undefined,
  })
  const room = rooms.data?.[0]
  const isOneRoom = rooms.data?.length === 1 && room?.creatorId === me.id
  const links = useQuery({
    queryKey: ['links', space?.id ?? '', room?.id ?? '', 'first'],
    queryFn: async () =>
      (await api.listLinks({ spaceId: space?.id ?? '', roomId: room?.id ?? '', limit: 1 })).items.length > 0,
    enabled: isNew && isOneRoom,
  })
  if (!isNew) return null
  const step = (name: FirstStep['name'], isDone: boolean, to: string | null) => ({ name, isDone, to })
  if (!space) return [step('space', false, '/spaces'), step('room', false, null), step('link', false, null)]
  const done = step('space', true, '/spaces')
  if (rooms.data?.length === 0) return [done, step('room', false, `/spaces/${space.id}`), step('link', false, null)]
  if (!isOneRoom || links.data !== false) return null
  const people = `/spaces/${space.id}/rooms/${room.alias}/people`
  return [done, step('room', true, `/spaces/${space.id}`), step('link', false, people)]
}
