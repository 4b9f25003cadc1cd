import { AudioSource, LocalAudioTrack, Room, TrackPublishOptions, TrackSource } from '@livekit/rtc-node'
import { type Client, createClient } from '../../../client/client.ts'
import { admitted } from '../../support/admitted.ts'
import type { Person } from './console.ts'
import type { Installation } from './lectern.ts'

export interface Place {
  spaceId: string
  roomId: string
}

/** Joins and connects as a browser does. */
export const enter = async (client: Client, { spaceId, roomId }: Place) => {
  const { mediaUrl, mediaToken, participantId } = admitted(await client.joinRoom({ spaceId, roomId }))
  const room = new Room()
  await room.connect(mediaUrl, mediaToken, { autoSubscribe: true, dynacast: false })
  return { room, participantId }
}

/** Silent, until something is sent through the source that it gives. */
export const publishMicrophone = async (room: Room) => {
  const source = new AudioSource(48_000, 1)
  const options = new TrackPublishOptions()
  options.source = TrackSource.SOURCE_MICROPHONE
  await room.localParticipant?.publishTrack(LocalAudioTrack.createAudioTrack('voice', source), options)
  return source
}

/** Whoever opens this link. */
export const guestOf = async ({ url }: Installation, link: { url: string }): Promise<Client> => {
  const accessToken = new URL(link.url).searchParams.get('accessToken') ?? ''
  const { guestToken } = await createClient({ baseUrl: url }).redeemAccess({ accessToken })
  return createClient({ baseUrl: url, token: guestToken })
}

/** Through a link that the owner makes for them; `id` is who they are to the owner's own system. */
export const enterAsGuest = async (
  lectern: Installation,
  { api }: Pick<Person, 'api'>,
  { spaceId, roomId }: Place,
  username: string,
  id?: string,
) => {
  const link = await api.generateAccess({
    spaceId,
    roomId,
    role: 'user',
    username,
    ...(id !== undefined && { externalUserId: id }),
  })
  const guest = await guestOf(lectern, link)
  return { guest, ...(await enter(guest, { spaceId, roomId })) }
}
