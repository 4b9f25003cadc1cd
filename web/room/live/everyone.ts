import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { usePages } from '../../ui/pages.ts'
import { callKeyOf } from './call.ts'
import { useLive } from './context.ts'

const TYPING_MS = 300

/** Everyone in a call that is too large to list whole: for moderators, page by page, by name. */
export const useEveryone = (enabled: boolean) => {
  const { client, access } = useLive().joinedCall
  const { spaceId, roomId } = access
  const [search, setSearch] = useState('')
  const [q] = useDebouncedValue(search.trim(), TYPING_MS)
  const pages = usePages(
    // Read again with the call.
    [...callKeyOf(roomId), 'everyone', q],
    query => client.listCallParticipants({ spaceId, roomId, ...(q && { q }), ...query }),
    { enabled, gcTime: 0, keepsShown: true },
  )
  return { pages, isSearched: q !== '', search, setSearch }
}
