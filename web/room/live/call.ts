import { useDataChannel, useRoomContext } from '@livekit/components-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { RoomEvent } from 'livekit-client'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import type { Client } from '../../../client/client.ts'
import { codeOf } from '../../ui/api.ts'
import type { JoinedCall } from '../entry.ts'

export type Call = Awaited<ReturnType<Client['getCall']>>
export type CallParticipant = Call['participants'][number]

/** In a large audience somebody always comes or goes: asking after each of them would never end. */
const pauseFor = (audience: number) => Math.max(250, audience * 20)

/** Whatever broadcasts were missed are caught up with this often. */
const NET_MS = 15_000

const comings = [
  RoomEvent.ParticipantConnected,
  RoomEvent.ParticipantDisconnected,
  RoomEvent.ParticipantPermissionsChanged,
] as const

/** The participants, with roles, hands and the floor, and what the room allows: as the service knows it. */
export const useCall = (joinedCall: JoinedCall, round: number) => {
  const { client, access, joined } = joinedCall
  const { spaceId, roomId } = access
  const media = useRoomContext()
  const queries = useQueryClient()
  const isIn = round > 0
  const callKey = useMemo(() => ['call', roomId], [roomId])
  const roomKey = useMemo(() => ['room', roomId], [roomId])

  const call = useQuery({
    queryKey: callKey,
    queryFn: () => client.getCall({ spaceId, roomId }),
    // Nothing is kept for the next visit: the call may be another by then.
    gcTime: 0,
    enabled: isIn,
    refetchInterval: NET_MS,
    // The event that somebody has joined reaches the service a moment after it has reached the page.
    retry: (failures, error) => codeOf(error) === 'no_call' && failures < 5,
    retryDelay: 300,
  }).data
  const room = useQuery({
    queryKey: roomKey,
    queryFn: () => client.getRoom({ spaceId, roomId }),
    enabled: isIn,
    refetchInterval: NET_MS,
  }).data

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const refreshSoon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void queries.invalidateQueries({ queryKey: callKey })
      void queries.invalidateQueries({ queryKey: roomKey })
    }, Math.random() * pauseFor(media.numParticipants))
  }, [media, queries, callKey, roomKey])
  useDataChannel('call', refreshSoon)
  useEffect(() => {
    if (round === 0) return
    if (round > 1) refreshSoon()
    for (const event of comings) media.on(event, refreshSoon)
    return () => {
      clearTimeout(timer.current)
      timer.current = undefined
      for (const event of comings) media.off(event, refreshSoon)
    }
  }, [media, refreshSoon, round])

  const callParticipants = useMemo(() => new Map(call?.participants.map(one => [one.participantId, one])), [call])
  const self = callParticipants.get(joined.participantId)
  const refresh = () => queries.invalidateQueries({ queryKey: callKey })
  return { call, room, callParticipants, self, isModerator: (self?.role ?? joined.role) === 'moderator', refresh }
}

export type KnownCall = ReturnType<typeof useCall>
