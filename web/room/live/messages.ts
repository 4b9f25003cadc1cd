import { useDataChannel } from '@livekit/components-react'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Client } from '../../../client/client.ts'
import type { BroadcastData } from '../../../contract/broadcast.ts'
import type { Message } from '../../../contract/messages.ts'
import type { JoinedCall } from '../entry.ts'

type MessagePage = Awaited<ReturnType<Client['listMessages']>>
type Pages = InfiniteData<MessagePage, string | undefined>

const PAGE = 50

const without = (pages: Pages, id: string): Pages => ({
  ...pages,
  pages: pages.pages.map(page => ({ ...page, items: page.items.filter(message => message.id !== id) })),
})

const withNewest = (pages: Pages, message: Message): Pages => {
  const rest = without(pages, message.id)
  const [newest, ...older] = rest.pages
  return newest ? { ...rest, pages: [{ ...newest, items: [message, ...newest.items] }, ...older] } : rest
}

/** The chat: its history from the service, what is new over the media connection. */
export const useMessages = (joinedCall: JoinedCall, round: number, isAllowed: boolean, isOpen: boolean) => {
  const { client, access } = joinedCall
  const { spaceId, roomId } = access
  const queries = useQueryClient()
  const key = useMemo(() => ['messages', roomId], [roomId])
  const [unread, setUnread] = useState(0)
  const isSeen = useRef(isOpen)
  isSeen.current = isOpen

  const history = useInfiniteQuery({
    queryKey: key,
    enabled: isAllowed && round > 0,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      client.listMessages({ spaceId, roomId, limit: PAGE, ...(cursor !== undefined && { cursor }) }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })

  const apply = useCallback(
    (change: (pages: Pages) => Pages) => queries.setQueryData<Pages>(key, pages => (pages ? change(pages) : pages)),
    [queries, key],
  )
  const onData = useCallback(
    ({ payload }: { payload: Uint8Array }) => {
      const data = JSON.parse(new TextDecoder().decode(payload)) as BroadcastData['chat']
      if (data.type === 'deleted') return void apply(pages => without(pages, data.id))
      apply(pages => withNewest(pages, data.message))
      if (!isSeen.current) setUnread(before => before + 1)
    },
    [apply],
  )
  useDataChannel('chat', onData)

  // What was written while the connection was down.
  useEffect(() => {
    if (round > 1) void queries.invalidateQueries({ queryKey: key })
  }, [round, queries, key])

  useEffect(() => {
    if (isOpen) setUnread(0)
  }, [isOpen])

  const messages = useMemo(() => history.data?.pages.flatMap(page => page.items).reverse() ?? [], [history.data])
  return {
    messages,
    unread,
    isLoading: history.isLoading,
    hasEarlier: history.hasNextPage,
    loadEarlier: () => void history.fetchNextPage(),
    /** One's own is shown as soon as it is stored; the copy that comes back replaces it. */
    add: (message: Message) => apply(pages => withNewest(pages, message)),
    drop: (id: string) => apply(pages => without(pages, id)),
  }
}

export type Messages = ReturnType<typeof useMessages>
