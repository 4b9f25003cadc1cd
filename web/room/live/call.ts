import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Room, RoomEvent } from 'livekit-client'
import { useEffect, useMemo } from 'react'
import type { Client } from '../../../client/client.ts'
import { codeOf } from '../../ui/api.ts'
import type { Session } from '../entry.ts'

export type Call = Awaited<ReturnType<Client['getCall']>>
export type CallParticipant = Call['participants'][number]
export type RoomRecord = Awaited<ReturnType<Client['getRoom']>>

/** In a large audience somebody always comes or goes: who asks after each of them would ask without end. */
const pauseFor = (audience: number) => Math.max(250, audience * 20)

/** Whatever broadcasts were missed are caught up with this often. */
const NET_MS = 15_000

const comings = [
  RoomEvent.ParticipantConnected,
  RoomEvent.ParticipantDisconnected,
  RoomEvent.ParticipantPermissionsChanged,
] as const

/** Who is in the call, with roles, hands and the floor, and what the room allows: as the service knows it. */
export const useCall = (session: Session, media: Room, round: number) => {
  const { client, entry, joined } = session
  const { spaceId, roomId } = entry
  const queries = useQueryClient()
  const isIn = round > 0
  const callKey = useMemo(() => ['call', roomId], [roomId])
  const roomKey = useMemo(() => ['room', roomId], [roomId])

  const call = useQuery({
    queryKey: callKey,
    queryFn: () => client.getCall({ spaceId, roomId }),
    // Who comes back finds another call, or the same with others in it.
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

  useEffect(() => {
    if (round === 0) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void queries.invalidateQueries({ queryKey: callKey })
        void queries.invalidateQueries({ queryKey: roomKey })
      }, Math.random() * pauseFor(media.numParticipants))
    }
    const onData = (_payload: Uint8Array, _from: unknown, _kind: unknown, topic?: string) => {
      if (topic === 'call') refresh()
    }
    if (round > 1) refresh()
    for (const event of comings) media.on(event, refresh)
    media.on(RoomEvent.DataReceived, onData)
    return () => {
      clearTimeout(timer)
      for (const event of comings) media.off(event, refresh)
      media.off(RoomEvent.DataReceived, onData)
    }
  }, [media, queries, callKey, roomKey, round])

  const callParticipants = useMemo(() => new Map(call?.participants.map(one => [one.participantId, one])), [call])
  const self = callParticipants.get(joined.participantId)
  const refresh = () => queries.invalidateQueries({ queryKey: callKey })
  return { call, room, callParticipants, self, isModerator: (self?.role ?? joined.role) === 'moderator', refresh }
}
