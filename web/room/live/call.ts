import { useDataChannel, useRoomContext } from '@livekit/components-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Participant, RoomEvent } from 'livekit-client'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import type { Client } from '../../../client/client.ts'
import { codeOf } from '../../ui/api.ts'
import type { JoinedCall } from '../entry.ts'
import { netFor, pauseFor } from './pace.ts'

export type Call = Awaited<ReturnType<Client['getLiveCall']>>
export type CallParticipant = Call['participants'][number]

export const callKeyOf = (roomId: string) => ['call', roomId]
export const roomKeyOf = (roomId: string) => ['room', roomId]

/** The rights of many may change at once. */
const OWN_RIGHTS_MS = 1000

const comings = [RoomEvent.ParticipantConnected, RoomEvent.ParticipantDisconnected] as const

/** The participants, with roles, hands and the floor, and what the room allows: as the service knows it. */
export const useCall = (joinedCall: JoinedCall, round: number) => {
  const { client, access, joined } = joinedCall
  const { spaceId, roomId } = access
  const media = useRoomContext()
  const queries = useQueryClient()
  const isIn = round > 0
  const callKey = useMemo(() => callKeyOf(roomId), [roomId])
  const roomKey = useMemo(() => roomKeyOf(roomId), [roomId])

  const selfIn = (call: Call | undefined) =>
    call?.participants.find(({ participantId }) => participantId === joined.participantId)
  const moderates = (call: Call | undefined) => (selfIn(call)?.role ?? joined.role) === 'moderator'

  const call = useQuery({
    queryKey: callKey,
    queryFn: () => client.getLiveCall({ spaceId, roomId }),
    // Nothing is kept for the next visit: the call may be another by then.
    gcTime: 0,
    enabled: isIn,
    refetchInterval: ({ state: { data } }) => netFor(media.numParticipants, moderates(data)),
    // The event that somebody has joined reaches the service a moment after it has reached the page.
    retry: (failures, error) => codeOf(error) === 'no_call' && failures < 5,
    retryDelay: 300,
  }).data
  const room = useQuery({
    queryKey: roomKey,
    queryFn: () => client.getRoom({ spaceId, roomId }),
    enabled: isIn,
    refetchInterval: netFor(media.numParticipants, moderates(call)),
  }).data

  const isModerator = moderates(call)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const refreshWithin = useCallback(
    (ms: number) => {
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        void queries.invalidateQueries({ queryKey: callKey })
        void queries.invalidateQueries({ queryKey: roomKey })
      }, Math.random() * ms)
    },
    [queries, callKey, roomKey],
  )
  const refreshSoon = useCallback(
    () => refreshWithin(pauseFor(media.numParticipants, isModerator)),
    [media, refreshWithin, isModerator],
  )
  /** Of the person themselves: the floor, or a role. */
  const onRights = useCallback(
    (_before: unknown, { isLocal }: Participant) => {
      if (!isLocal) return refreshSoon()
      clearTimeout(timer.current)
      timer.current = undefined
      refreshWithin(OWN_RIGHTS_MS)
    },
    [refreshSoon, refreshWithin],
  )
  useDataChannel('call', refreshSoon)
  useEffect(() => {
    if (round === 0) return
    if (round > 1) refreshSoon()
    for (const event of comings) media.on(event, refreshSoon)
    media.on(RoomEvent.ParticipantPermissionsChanged, onRights)
    return () => {
      clearTimeout(timer.current)
      timer.current = undefined
      for (const event of comings) media.off(event, refreshSoon)
      media.off(RoomEvent.ParticipantPermissionsChanged, onRights)
    }
  }, [media, refreshSoon, onRights, round])

  const callParticipants = useMemo(() => new Map(call?.participants.map(one => [one.participantId, one])), [call])
  const refresh = () => queries.invalidateQueries({ queryKey: callKey })
  /** More are in it than are listed. */
  const isLarge = call !== undefined && call.participantCount > call.participants.length
  return { call, room, callParticipants, self: selfIn(call), isModerator, isLarge, refresh }
}

export type KnownCall = ReturnType<typeof useCall>
