import { useQuery } from '@tanstack/react-query'
import { codeOf } from '../../ui/api.ts'
import { clientOf, type RoomAccess } from '../access.ts'
import { isTransient, reasonOf } from '../closed/reasons.ts'

/** How often those are asked for who wait for it to begin: not all of them at once. */
const ASK_EVERY_MS = 4000

/** Where to get the stream, or why not. */
export const useWatching = ({ credentials, spaceId, roomId }: RoomAccess) => {
  const query = useQuery({
    queryKey: ['watching', roomId],
    queryFn: async () => {
      const { id, playlistUrl } = await clientOf(credentials).watchStream({ spaceId, roomId })
      const { pathname, search } = new URL(playlistUrl)
      // By whichever name the person has reached the service.
      return { id, playlist: `${pathname}${search}` }
    },
    // What there is, is played until there is no more.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchInterval: ({ state: { error } }) =>
      error && (codeOf(error) === 'no_stream' || isTransient(reasonOf(error)))
        ? ASK_EVERY_MS * (1 + Math.random())
        : false,
  })
  const { data, error, refetch } = query
  const askAgain = () => void refetch()
  if (codeOf(error) === 'no_stream') return { state: data ? 'ended' : 'not_live', askAgain } as const
  if (error && !(data && isTransient(reasonOf(error))))
    return { state: 'refused', reason: reasonOf(error), askAgain } as const
  return data ? ({ state: 'live', ...data, askAgain } as const) : ({ state: 'opening', askAgain } as const)
}
