import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callKeyOf } from './call.ts'
import { useLive } from './context.ts'

const TYPING_MS = 300

/** Everyone in a call that is too large to list whole: for moderators, page by page, by name. */
export const useEveryone = (enabled: boolean) => {
  const { client, access } = useLive().joinedCall
  const { spaceId, roomId } = access
  const [search, setSearch] = useState('')
  const [q] = useDebouncedValue(search.trim(), TYPING_MS)
  const pages = useInfiniteQuery({
    // Read again with the call.
    queryKey: [...callKeyOf(roomId), 'everyone', q],
    gcTime: 0,
    enabled,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      client.listCallParticipants({ spaceId, roomId, ...(q && { q }), ...(cursor !== undefined && { cursor }) }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  })
  return { pages, isSearched: q !== '', search, setSearch }
}
