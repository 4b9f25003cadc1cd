import { useDataChannel } from '@livekit/components-react'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Client } from '../../../client/client.ts'
import type { BroadcastData } from '../../../contract/broadcast.ts'
import type { Message, MessageFilter } from '../../../contract/messages.ts'
import type { JoinedCall } from '../entry.ts'

type MessagePage = Awaited<ReturnType<Client['listMessages']>>
type Pages = InfiniteData<MessagePage, string | undefined>

const PAGE = 50

export type ChatFilter = 'all' | MessageFilter

const isShown = (filter: ChatFilter, { isQuestion, answeredAt }: Message) =>
  filter === 'all' || (isQuestion && (filter === 'questions' || answeredAt === null))

const without = (pages: Pages, id: string): Pages => ({
  ...pages,
  pages: pages.pages.map(page => ({ ...page, items: page.items.filter(message => message.id !== id) })),
})

/** On the first page, wherever it was: what is shown is sorted anyway. */
const withMessage = (pages: Pages, message: Message): Pages => {
  const rest = without(pages, message.id)
  const [newest, ...older] = rest.pages
  return newest ? { ...rest, pages: [{ ...newest, items: [message, ...newest.items] }, ...older] } : rest
}

interface ChatState {
  isAllowed: boolean
  isOpen: boolean
  /** The service has them down as a moderator in the call: from then on it sends what is for hosts. */
  isHost: boolean
}

/** The chat of this call: its history from the service, what is new over the media connection. */
export const useMessages = (joinedCall: JoinedCall, round: number, { isAllowed, isOpen, isHost }: ChatState) => {
  const { client, access } = joinedCall
  const { spaceId, roomId } = access
  const queries = useQueryClient()
  const [filter, setFilter] = useState<ChatFilter>('all')
  const key = useMemo(() => ['messages', roomId], [roomId])
  const [unread, setUnread] = useState(0)
  const isSeen = useRef(isOpen)
  isSeen.current = isOpen

  const history = useInfiniteQuery({
    queryKey: [...key, filter],
    enabled: isAllowed && round > 0,
    // Nothing is kept for the next visit: the call may be another by then.
    gcTime: 0,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      client.listMessages({
        spaceId,
        roomId,
        limit: PAGE,
        ...(filter !== 'all' && { filter }),
        ...(cursor !== undefined && { cursor }),
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })

  const apply = useCallback(
    (change: (pages: Pages) => Pages) =>
      queries.setQueryData<Pages>([...key, filter], pages => (pages ? change(pages) : pages)),
    [queries, key, filter],
  )
  const put = useCallback(
    (message: Message) =>
      apply(pages => (isShown(filter, message) ? withMessage(pages, message) : without(pages, message.id))),
    [apply, filter],
  )
  const onData = useCallback(
    ({ payload }: { payload: Uint8Array }) => {
      const data = JSON.parse(new TextDecoder().decode(payload)) as BroadcastData['chat']
      if (data.type === 'deleted') return void apply(pages => without(pages, data.id))
      put(data.message)
      if (data.type === 'message' && !isSeen.current) setUnread(before => before + 1)
    },
    [apply, put],
  )
  useDataChannel('chat', onData)

  // What was written while the connection was down, or before this person was a host.
  const readAs = useRef(isHost)
  useEffect(() => {
    if (round > 1 || readAs.current !== isHost) void queries.invalidateQueries({ queryKey: key })
    readAs.current = isHost
  }, [round, isHost, queries, key])

  useEffect(() => {
    if (isOpen) setUnread(0)
  }, [isOpen])

  const messages = useMemo(() => {
    const found = new Map(history.data?.pages.flatMap(page => page.items).map(message => [message.id, message]))
    return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  }, [history.data])
  return {
    messages,
    unread,
    filter,
    setFilter,
    isLoading: history.isLoading,
    hasEarlier: history.hasNextPage,
    loadEarlier: () => void history.fetchNextPage(),
    /** One's own is shown as soon as it is stored; the copy that comes back replaces it. */
    put,
    drop: (id: string) => apply(pages => without(pages, id)),
  }
}

export type Messages = ReturnType<typeof useMessages>
