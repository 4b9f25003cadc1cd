import { useDataChannel } from '@livekit/components-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Client } from '../../../../client/client.ts'
import type { JoinedCall } from '../../entry.ts'
import { refusalText } from '../refusal.ts'
import { knock } from './knock.ts'

export type WaitingPerson = Awaited<ReturnType<Client['listWaiting']>>['items'][number]

/** Those who have gone are found soon, while there are any at all. */
const SOON_MS = 5000
const NET_MS = 15_000

/** Who waits to be let in, for moderators: told by the service, and with a sound. */
export const useWaiting = ({ client, access }: JoinedCall, isModerator: boolean, say: (text: string) => void) => {
  const { t } = useTranslation()
  const { spaceId, roomId } = access
  const queries = useQueryClient()
  const key = useMemo(() => ['waiting', roomId], [roomId])
  const pages = useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      client.listWaiting({ spaceId, roomId, ...(cursor !== undefined && { cursor }) }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    enabled: isModerator,
    gcTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.pages.some(({ items }) => items.length > 0) ? SOON_MS : NET_MS),
  })
  const list = pages.data
  const refresh = useCallback(() => queries.invalidateQueries({ queryKey: key }), [queries, key])
  useDataChannel(
    'waiting',
    useCallback(() => void refresh(), [refresh]),
  )
  const people = useMemo(
    () => (isModerator ? (list?.pages ?? []).flatMap(({ items }) => items) : []),
    [isModerator, list],
  )
  useKnocks(people, list?.pages.length ?? 0)

  const decide = async (decision: Promise<unknown>) => {
    try {
      await decision
    } catch (error) {
      say(refusalText(error, t, { not_found: 'host.waiting.gone' }))
    }
    await refresh()
  }
  return {
    people,
    hasMore: pages.hasNextPage,
    isLoadingMore: pages.isFetchingNextPage,
    showMore: () => void pages.fetchNextPage(),
    admit: (participantId: string) => decide(client.admitWaiting({ spaceId, roomId, participantId })),
    deny: (participantId: string) => decide(client.denyWaiting({ spaceId, roomId, participantId })),
    admitAll: () => decide(client.admitAllWaiting({ spaceId, roomId })),
  }
}

export type WaitingRoom = ReturnType<typeof useWaiting>

/** A sound for everyone who has not been there at the last look, unless that saw fewer pages. */
const useKnocks = (people: WaitingPerson[], pages: number) => {
  const known = useRef({ ids: new Set<string>(), pages })
  useEffect(() => {
    const before = known.current
    known.current = { ids: new Set(people.map(({ participantId }) => participantId)), pages }
    const isFurther = pages > 1 && pages > before.pages
    if (!isFurther && people.some(({ participantId }) => !before.ids.has(participantId))) knock()
  }, [people, pages])
}
