import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { type Room, RoomEvent } from 'livekit-client'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Client } from '../../../client/client.ts'
import type { BroadcastData } from '../../../contract/broadcast.ts'
import type { Message } from '../../../contract/messages.ts'
import type { Session } from '../entry.ts'

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
export const useMessages = (session: Session, media: Room, round: number, isAllowed: boolean, isOpen: boolean) => {
  const { client, entry } = session
  const { spaceId, roomId } = entry
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

  useEffect(() => {
    const apply = (change: (pages: Pages) => Pages) =>
      queries.setQueryData<Pages>(key, pages => (pages ? change(pages) : pages))
    const onData = (payload: Uint8Array, _from: unknown, _kind: unknown, topic?: string) => {
      if (topic !== 'chat') return
      const data = JSON.parse(new TextDecoder().decode(payload)) as BroadcastData['chat']
      if (data.type === 'deleted') return apply(pages => without(pages, data.id))
      apply(pages => withNewest(pages, data.message))
      if (!isSeen.current) setUnread(before => before + 1)
    }
    media.on(RoomEvent.DataReceived, onData)
    return () => {
      media.off(RoomEvent.DataReceived, onData)
    }
  }, [media, queries, key])

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
    add: (message: Message) => queries.setQueryData<Pages>(key, pages => (pages ? withNewest(pages, message) : pages)),
    drop: (id: string) => queries.setQueryData<Pages>(key, pages => (pages ? without(pages, id) : pages)),
  }
}

export type Messages = ReturnType<typeof useMessages>
