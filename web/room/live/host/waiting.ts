import { useDataChannel } from '@livekit/components-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
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
  const list = useQuery({
    queryKey: key,
    queryFn: () => client.listWaiting({ spaceId, roomId }),
    enabled: isModerator,
    gcTime: 0,
    refetchInterval: ({ state: { data } }) => (data?.items.length ? SOON_MS : NET_MS),
  }).data
  const refresh = useCallback(() => queries.invalidateQueries({ queryKey: key }), [queries, key])
  useDataChannel(
    'waiting',
    useCallback(() => void refresh(), [refresh]),
  )
  const people = useMemo(() => (isModerator ? (list?.items ?? []) : []), [isModerator, list])
  useKnocks(people)

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
    hasMore: list?.nextCursor != null,
    admit: (participantId: string) => decide(client.admitWaiting({ spaceId, roomId, participantId })),
    deny: (participantId: string) => decide(client.denyWaiting({ spaceId, roomId, participantId })),
    admitAll: () => decide(client.admitAllWaiting({ spaceId, roomId })),
  }
}

export type WaitingRoom = ReturnType<typeof useWaiting>

/** A sound for everyone who has not been there at the last look. */
const useKnocks = (people: WaitingPerson[]) => {
  const known = useRef(new Set<string>())
  useEffect(() => {
    const isNew = people.some(({ participantId }) => !known.current.has(participantId))
    known.current = new Set(people.map(({ participantId }) => participantId))
    if (isNew) knock()
  }, [people])
}
