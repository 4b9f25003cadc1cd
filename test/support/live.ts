import { AudioSource, LocalAudioTrack, Room, RoomEvent, TrackPublishOptions, type TrackSource } from '@livekit/rtc-node'
import { expect, onTestFinished, vi } from 'vitest'
import type { Client } from '../../client/client.ts'
import { verifyWebhook } from '../../client/webhooks.ts'
import { admitted } from './admitted.ts'
import type { Receiver } from './receiver.ts'

/* Real participants of a real engine. */

export interface Place {
  spaceId: string
  roomId: string
}

/** Building the engine takes minutes, once on a machine. */
export const ENGINE_WITHIN_MS = 15 * 60_000

export const untilMedia = (url: string, state: string, timeout = 15_000) =>
  vi.waitFor(
    async () => expect(((await (await fetch(`${url}/readyz`)).json()) as { media: string }).media).toBe(state),
    { timeout, interval: 100 },
  )

/** A room in a space of its own, with the callbacks of its space. */
export const openRoomOf = async (
  owner: Client,
  receiver: Receiver,
  draft: Omit<Parameters<Client['createRooms']>[0], 'spaceId' | 'name'> = {},
) => {
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const { secret } = await owner.createWebhook({ spaceId, url: receiver.url })
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room', ...draft })
  const events = () =>
    receiver.callbacks
      .map(({ raw }) => verifyWebhook(raw, secret))
      .flatMap(body => (body && 'callId' in body ? [{ eventName: body.eventName, callId: body.callId }] : []))
  return { spaceId, roomId, events, secret }
}

/** Joins and knocks, as a client that asks why it was refused: the participant is known, and not connected. */
export const knock = async (client: Client, at: Place) => {
  const joined = admitted(await client.joinRoom(at))
  const door = joined.mediaUrl.replace(/^ws/, 'http')
  const { status } = await fetch(`${door}/rtc/validate?access_token=${joined.mediaToken}`)
  expect(status).toBe(200)
  return joined
}

/** Joins and connects like a browser does. */
export const enter = async (client: Client, at: Place, tabKey?: string, presence?: 'switch') => {
  const { mediaUrl, mediaToken, participantId } = admitted(
    await client.joinRoom({ ...at, ...(tabKey && { tabKey }), ...(presence && { presence }) }),
  )
  const room = new Room()
  await room.connect(mediaUrl, mediaToken, { autoSubscribe: true, dynacast: false })
  onTestFinished(() => room.disconnect())
  return { room, participantId, mediaUrl, mediaToken }
}

/** All that the server sends over the media connection, from now on. */
export const hear = (room: Room) => {
  const heard: { topic: string | undefined; type: string }[] = []
  room.on(RoomEvent.DataReceived, (payload, _participant, _kind, topic) => {
    heard.push({ topic, ...JSON.parse(Buffer.from(payload).toString()) })
  })
  return heard
}

/** Once this is so, as events of the room tell; looked at now and with each of them. */
export const untilSo = (room: Room, events: RoomEvent[], isSo: () => boolean) =>
  new Promise<void>(resolve => {
    const look = () => {
      if (!isSo()) return
      for (const event of events) room.off(event, look)
      resolve()
    }
    for (const event of events) room.on(event, look)
    look()
  })

export const goneFrom = (room: Room) => new Promise(resolve => room.once(RoomEvent.Disconnected, resolve))

export const publish = (room: Room, source: TrackSource) => {
  const options = new TrackPublishOptions()
  options.source = source
  const track = LocalAudioTrack.createAudioTrack('sound', new AudioSource(48_000, 1))
  return room.localParticipant?.publishTrack(track, options)
}

/** What the engine refuses it does not answer: within this time it answers what it takes. */
export const isRefused = async (room: Room, source: TrackSource) => {
  const published = await Promise.race([publish(room, source), new Promise(resolve => setTimeout(resolve, 1500, null))])
  return published === null
}
