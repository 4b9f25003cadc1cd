import { useQuery } from '@tanstack/react-query'
import type { Answer } from '../../../contract/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import { api, codeOf } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { bansKey } from './bans.ts'
import { REFRESH_MS, renew } from './query.ts'
import { type Room, updateRoom } from './rooms.ts'

export type LiveCall = Answer<Operations['getLiveCall']>
export type LiveParticipant = LiveCall['participants'][number]
export type Call = Answer<Operations['getRoomCall']>

// The call going on.

/** null: nobody is in the room. */
export const useLiveCall = ({ spaceId, id: roomId }: Room) =>
  useQuery({
    queryKey: ['call', spaceId, roomId],
    queryFn: () =>
      api.getLiveCall({ spaceId, roomId }).catch(error => {
        if (codeOf(error) === 'no_call') return null
        throw error
      }),
    refetchInterval: REFRESH_MS,
    // It is asked for again soon enough.
    retry: false,
  })

/** Everyone in a call that is too large to be listed whole, for moderators. */
export const useEveryone = ({ spaceId, id: roomId }: Room, q: string) =>
  usePages(
    ['call', spaceId, roomId, 'everyone', q],
    query => api.listCallParticipants({ spaceId, roomId, ...(q && { q }), ...query }),
    { refetchInterval: REFRESH_MS },
  )

type Source = Parameters<typeof api.muteAll>[0]['source']

const at = ({ spaceId, id: roomId }: Room) => ({ spaceId, roomId })
const renewLive = ({ spaceId, id: roomId }: Room) => renew('call', spaceId, roomId)

export const muteAll = (room: Room, source: Source) => api.muteAll({ ...at(room), source })

export const mute = (room: Room, participantId: string, source: Source) =>
  api.muteParticipant({ ...at(room), participantId, source })

export const setFloor = async (room: Room, participantId: string, onAir: boolean) => {
  await api.setFloor({ ...at(room), participantId, onAir })
  await renewLive(room)
}

/** By which link they came: asked for when it matters. */
export const useLinkOf = (room: Room, participantId: string, enabled: boolean) =>
  useQuery({
    queryKey: ['linkOf', participantId],
    queryFn: () => api.getParticipantLink({ ...at(room), participantId }),
    enabled,
  })

/** Whether a viewer who is given the floor can speak. */
export const letsViewersSpeak = (room: Room) => room.isFloorAllowed && room.isMicrophonePublishingAllowed

/** Where the room does not let viewers speak: that is turned on first. */
export const inviteToSpeak = async (room: Room, participantId: string) => {
  await updateRoom(room, { isFloorAllowed: true, isMicrophonePublishingAllowed: true })
  await setFloor(room, participantId, true)
}

export const lowerHand = async (room: Room, participantId: string) => {
  await api.lowerHand({ ...at(room), participantId, raised: false })
  await renewLive(room)
}

export const lowerAllHands = async (room: Room) => {
  await api.lowerAllHands(at(room))
  await renewLive(room)
}

export const removeFromCall = async (room: Room, participantId: string) => {
  await api.removeParticipant({ ...at(room), participantId })
  // Links that they made end with it.
  await Promise.all([renewLive(room), renew(...bansKey(room)), renew('links', room.spaceId, room.id)])
}

export const endCall = async (room: Room) => {
  await api.endCall(at(room))
  await Promise.all([renewLive(room), renew('calls', room.spaceId)])
}

// Past calls: of one room, or of the whole space, rooms that are gone included.

export interface CallsOf {
  spaceId: string
  /** Id or alias. */
  roomId: string | undefined
}

interface CallFilter {
  state: 'live' | 'ended'
  /** Of the whole space, those in rooms that are named so. */
  q: string
  from?: string
  to?: string
}

export const useCalls = ({ spaceId, roomId }: CallsOf, { q, ...filter }: CallFilter) =>
  usePages(
    ['calls', spaceId, roomId ?? '', q, filter],
    query =>
      roomId === undefined
        ? api.listSpaceCalls({ spaceId, ...filter, ...(q && { q }), ...query })
        : api.listCalls({ spaceId, roomId, ...filter, ...query }),
    { keepsShown: true, ...(filter.state === 'live' && { refetchInterval: 10_000 }) },
  )

/** The rooms of the space in which a call goes on, for managers of the space. */
export const useLiveRooms = (spaceId: string, enabled: boolean) =>
  useQuery({
    queryKey: ['calls', spaceId, 'rooms'],
    queryFn: async () => {
      const { items } = await api.listSpaceCalls({ spaceId, state: 'live', limit: 200 })
      return new Set(items.map(({ roomId }) => roomId))
    },
    refetchInterval: 10_000,
    enabled,
  })

/** The call and who attended it; while it goes on, as of now. */
const readCall = async ({ spaceId, roomId }: CallsOf, callId: string) => {
  const [call, { people }] = await (roomId === undefined
    ? Promise.all([api.getSpaceCall({ spaceId, callId }), api.getSpaceAttendance({ spaceId, callId })])
    : Promise.all([api.getRoomCall({ spaceId, roomId, callId }), api.getAttendance({ spaceId, roomId, callId })]))
  return { call, people }
}

export const useCall = (of: CallsOf, callId: string) =>
  useQuery({
    queryKey: ['attendance', of.spaceId, of.roomId ?? '', callId],
    queryFn: () => readCall(of, callId),
    refetchInterval: ({ state: { data } }) => (data?.call.endedAt === null ? 5000 : false),
  })

/** Of the interface. The ids may come from the page's address. */
export const callPath = ({ spaceId, roomId }: CallsOf, callId: string) => {
  const of = roomId === undefined ? [spaceId] : [spaceId, 'rooms', roomId]
  return `/${['v1', 'spaces', ...of, 'calls', callId].map(encodeURIComponent).join('/')}`
}

/** A file to download, by a plain link: the session's cookie goes with it. */
export const attendanceFile = (of: CallsOf, callId: string, format: 'csv' | 'xlsx') =>
  `${callPath(of, callId)}/attendance?format=${format}`
