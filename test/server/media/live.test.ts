import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AudioSource, LocalAudioTrack, Room, RoomEvent, TrackPublishOptions, TrackSource } from '@livekit/rtc-node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { verifyWebhook } from '../../../client/webhooks.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

/* The real engine, run by the service itself, and real participants. */

let lectern: Lectern
let owner: Person
let receiver: Receiver

const engineReady = async () => {
  const { body } = await lectern.request('GET', '/readyz')
  expect(body.media).toBe('ready')
}

beforeAll(async () => {
  lectern = await startLectern({
    LECTERN_MEDIA: 'on',
    LECTERN_CALL_GRACE: '1',
    LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
  })
  receiver = await startReceiver()
  owner = await lectern.user()
  // Building the engine takes minutes, once on a machine.
  await vi.waitFor(engineReady, { timeout: 15 * 60_000, interval: 200 })
}, 16 * 60_000)
afterAll(async () => {
  await lectern.stop()
  await receiver.close()
})

type Draft = { type?: 'lesson' | 'webinar'; isScreensharingAllowed?: boolean }

/** A room of its own, with the callbacks of its space. */
const openRoom = async (draft: Draft = {}) => {
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const { secret } = await owner.createWebhook({ spaceId, url: receiver.url })
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room', ...draft })
  const events = () =>
    receiver.callbacks
      .map(({ raw }) => verifyWebhook(raw, secret))
      .filter(body => body !== null)
      .map(({ eventName, callId }) => ({ eventName, callId }))
  return { spaceId, roomId, events }
}

const guestOf = async (
  { spaceId, roomId }: { spaceId: string; roomId: string },
  role: 'user' | 'moderator' = 'user',
) => {
  const { url } = await owner.generateAccess({ spaceId, roomId, role, username: 'Guest' })
  const accessToken = new URL(url).searchParams.get('accessToken') ?? ''
  const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken })
  return lectern.withToken(guestToken)
}

/** Joins and connects like a browser does. */
const enter = async (client: Client, at: { spaceId: string; roomId: string }, tabKey?: string) => {
  const { mediaUrl, mediaToken, participantId } = await client.joinRoom({ ...at, ...(tabKey && { tabKey }) })
  const room = new Room()
  await room.connect(mediaUrl, mediaToken, { autoSubscribe: true, dynacast: false })
  onTestFinished(() => room.disconnect())
  return { room, participantId, mediaUrl, mediaToken }
}

const names = async (at: { spaceId: string; roomId: string }) =>
  (await owner.getCall(at)).participants.map(({ name }) => name)

const publish = (room: Room, source: TrackSource) => {
  const options = new TrackPublishOptions()
  options.source = source
  const track = LocalAudioTrack.createAudioTrack('sound', new AudioSource(48_000, 1))
  return room.localParticipant?.publishTrack(track, options)
}

/** What the engine refuses it does not answer: within this time it answers what it takes. */
const isRefused = async (room: Room, source: TrackSource) => {
  const published = await Promise.race([publish(room, source), new Promise(resolve => setTimeout(resolve, 1500, null))])
  return published === null
}

describe('a call', () => {
  test('starts with the first who enters and finishes after the last has left, and says so once each', async () => {
    const { events, ...at } = await openRoom()
    const teacher = await enter(owner, at)
    await vi.waitFor(async () => expect(await names(at)).toEqual([owner.username]), { timeout: 5000 })
    const guest = await enter(await guestOf(at), at)
    await vi.waitFor(async () => expect(await names(at)).toEqual([owner.username, 'Guest']), { timeout: 5000 })
    const { id: callId } = await owner.getCall(at)
    await vi.waitFor(() => expect(events()).toEqual([{ eventName: 'call_started', callId }]), { timeout: 5000 })
    await guest.room.disconnect()
    await teacher.room.disconnect()
    await vi.waitFor(
      () =>
        expect(events()).toEqual([
          { eventName: 'call_started', callId },
          { eventName: 'call_finished', callId },
        ]),
      { timeout: 10_000 },
    )
    expect(await refusal(owner.getCall(at))).toEqual([404, 'no_call'])
  })

  test('goes on when somebody comes back within the grace', async () => {
    const { events, ...at } = await openRoom()
    const first = await enter(owner, at, 'tab-0001')
    await vi.waitFor(() => owner.getCall(at), { timeout: 5000 })
    const { id } = await owner.getCall(at)
    await first.room.disconnect()
    const second = await enter(owner, at, 'tab-0001')
    expect(second.participantId).toBe(first.participantId)
    await vi.waitFor(async () => expect((await owner.getCall(at)).participants).toHaveLength(1), { timeout: 5000 })
    expect((await owner.getCall(at)).id).toBe(id)
    expect(events().filter(({ eventName }) => eventName === 'call_finished')).toEqual([])
  })

  test('is ended for all by a moderator alone; plain users stay out for a minute', async () => {
    const { events, ...at } = await openRoom()
    const guest = await guestOf(at)
    const { room } = await enter(guest, at)
    const gone = new Promise(resolve => room.once(RoomEvent.Disconnected, resolve))
    await vi.waitFor(() => owner.getCall(at), { timeout: 5000 })
    expect(await refusal(guest.endCall(at))).toEqual([403, 'not_allowed'])
    await owner.endCall(at)
    await gone
    expect(await refusal(guest.joinRoom(at))).toEqual([409, 'call_ended'])
    await owner.joinRoom(at)
    await vi.waitFor(() => expect(events().at(-1)?.eventName).toBe('call_finished'), { timeout: 5000 })
    lectern.advance(61_000)
    await guest.joinRoom(at)
  })
})

describe('the engine itself', () => {
  test('lets only the moderators’ side on the air in a webinar', async () => {
    const { events: _, ...at } = await openRoom({ type: 'webinar' })
    const teacher = await enter(owner, at)
    const viewer = await enter(await guestOf(at), at)
    const moderator = await enter(await guestOf(at, 'moderator'), at)
    expect((await publish(teacher.room, TrackSource.SOURCE_MICROPHONE))?.sid).toBeTruthy()
    expect((await publish(moderator.room, TrackSource.SOURCE_MICROPHONE))?.sid).toBeTruthy()
    expect(await isRefused(viewer.room, TrackSource.SOURCE_MICROPHONE)).toBe(true)
  })

  test('lets nobody share a screen where the room does not, from the moment it does not', async () => {
    const { events: _, ...at } = await openRoom({ isScreensharingAllowed: false })
    const { room } = await enter(owner, at)
    expect(await isRefused(room, TrackSource.SOURCE_SCREENSHARE_AUDIO)).toBe(true)
    expect((await publish(room, TrackSource.SOURCE_MICROPHONE))?.sid).toBeTruthy()
    await vi.waitFor(() => owner.getCall(at), { timeout: 5000 })
    await owner.updateRoom({ ...at, type: 'webinar' })
    const viewer = await enter(await guestOf(at), at)
    expect(await isRefused(viewer.room, TrackSource.SOURCE_MICROPHONE)).toBe(true)
    await owner.updateRoom({ ...at, type: 'lesson' })
    await vi.waitFor(async () => expect(await isRefused(viewer.room, TrackSource.SOURCE_MICROPHONE)).toBe(false), {
      timeout: 10_000,
    })
  })
})

describe('signalling', () => {
  test('is refused to who has lost the right to be there, with a token that was good', async () => {
    const { events: _, ...at } = await openRoom()
    const { room, mediaUrl, mediaToken } = await enter(await guestOf(at), at)
    await vi.waitFor(() => owner.getCall(at), { timeout: 5000 })
    const gone = new Promise(resolve => room.once(RoomEvent.Disconnected, resolve))
    const [link] = (await owner.listLinks(at)).items
    await owner.revokeLink({ ...at, linkId: link?.id ?? '' })
    await gone
    await expect(new Room().connect(mediaUrl, mediaToken, { autoSubscribe: true, dynacast: false })).rejects.toThrow()
  })

  test('reaches nothing else of the engine', async () => {
    for (const path of [
      '/media',
      '/media/twirp/livekit.RoomService/ListRooms',
      '/media/rtc/../twirp',
      '/media/debug/pprof',
    ])
      expect((await lectern.request('GET', path)).status).toBe(404)
    expect((await lectern.request('GET', '/media/rtc/validate?access_token=x')).status).toBe(403)
  })

  test('events that the engine has not signed are refused', async () => {
    const raw = JSON.stringify({ event: 'room_finished', id: 'x' })
    const headers = { 'content-type': 'application/webhook+json', authorization: 'x' }
    expect((await lectern.request('POST', '/v1/media/events', { headers, raw })).status).toBe(401)
  })
})

test('an engine that is killed comes back, and the call with it', async () => {
  const { events, ...at } = await openRoom()
  await enter(owner, at)
  await vi.waitFor(() => owner.getCall(at), { timeout: 5000 })
  process.kill(Number(readFileSync(join(lectern.config.data, 'livekit.pid'), 'utf8')), 'SIGKILL')
  await vi.waitFor(async () => expect((await lectern.request('GET', '/readyz')).body.media).toBe('starting'), {
    timeout: 5000,
  })
  await vi.waitFor(engineReady, { timeout: 15_000 })
  await enter(owner, at)
  await vi.waitFor(async () => expect((await owner.getCall(at)).participants.length).toBeGreaterThan(0), {
    timeout: 5000,
  })
  expect(events().filter(({ eventName }) => eventName === 'call_started')).toHaveLength(1)
})
