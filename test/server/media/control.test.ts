import { DisconnectReason, Room, RoomEvent, TrackSource } from '@livekit/rtc-node'
import { beforeAll, expect, test, vi } from 'vitest'
import { tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'
import {
  ENGINE_WITHIN_MS,
  enter,
  goneFrom,
  hear,
  isRefused,
  type Place,
  publish,
  untilMedia,
  untilSo,
} from '../../support/live.ts'

/* What a host allows, as the real engine holds to it: also against a client that is not our page. */

let lectern: Lectern
let owner: Person

beforeAll(async () => {
  lectern = await startLectern({ LECTERN_MEDIA: 'on' })
  owner = await lectern.user()
  await untilMedia(lectern.url, 'ready', ENGINE_WITHIN_MS)
}, ENGINE_WITHIN_MS + 60_000)

const lesson = async () => {
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
  const at: Place = { spaceId, roomId }
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', username: 'Ann' }))
  const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken })
  const client = lectern.withToken(guestToken)
  const [teacher, pupil] = [await enter(owner, at), await enter(client, at)]
  await vi.waitFor(async () => expect((await owner.getLiveCall(at)).participants).toHaveLength(2), { timeout: 5000 })
  return { at, teacher, pupil, client }
}

const { SOURCE_MICROPHONE, SOURCE_SCREENSHARE_AUDIO } = TrackSource
const { TrackPublished, TrackUnpublished, ParticipantConnected, ParticipantDisconnected, ParticipantNameChanged } =
  RoomEvent

/** What `room` knows to be published by the other. */
const tracksIn = (room: Room, participantId: string) =>
  room.remoteParticipants.get(participantId)?.trackPublications.size

test('a microphone turned off for participants is silent, and stays so', async () => {
  const { at, teacher, pupil, client } = await lesson()
  const ofPupil = () => tracksIn(teacher.room, pupil.participantId)
  const ofTeacher = () => tracksIn(pupil.room, teacher.participantId)
  await publish(pupil.room, SOURCE_MICROPHONE)
  await publish(teacher.room, SOURCE_MICROPHONE)
  await untilSo(teacher.room, [TrackPublished], () => ofPupil() === 1)
  await untilSo(pupil.room, [TrackPublished], () => ofTeacher() === 1)

  const heard = hear(pupil.room)
  await owner.updateRoom({ ...at, isMicrophonePublishingAllowed: false })
  await untilSo(teacher.room, [TrackUnpublished], () => ofPupil() === 0)
  expect(ofTeacher()).toBe(1)
  await untilSo(pupil.room, [RoomEvent.DataReceived], () =>
    heard.some(({ topic, type }) => topic === 'call' && type === 'changed'),
  )
  // A client that has been refused takes nothing back: it is asked last.
  expect(await isRefused(pupil.room, SOURCE_SCREENSHARE_AUDIO)).toBe(false)
  expect(await isRefused(pupil.room, SOURCE_MICROPHONE)).toBe(true)

  await untilSo(teacher.room, [TrackPublished], () => ofPupil() === 1)
  await owner.updateRoom({ ...at, isMicrophonePublishingAllowed: true, isScreenMediaPublishingAllowed: false })
  await untilSo(teacher.room, [TrackUnpublished], () => ofPupil() === 0)
  const again = await enter(client, at)
  expect(await isRefused(again.room, SOURCE_MICROPHONE)).toBe(false)
  expect(await isRefused(again.room, SOURCE_SCREENSHARE_AUDIO)).toBe(true)
  expect(await isRefused(teacher.room, SOURCE_SCREENSHARE_AUDIO)).toBe(false)
})

test('who switches to another device is cut off on the first, and kept out there', async () => {
  const { at, teacher, pupil, client } = await lesson()
  await publish(pupil.room, SOURCE_MICROPHONE)
  await untilSo(teacher.room, [TrackPublished], () => tracksIn(teacher.room, pupil.participantId) === 1)
  const cut = goneFrom(pupil.room)
  const here = await enter(client, at, 'another-tab', 'switch')
  expect(here.participantId).not.toBe(pupil.participantId)
  expect(await cut).toBe(DisconnectReason.PARTICIPANT_REMOVED)
  await untilSo(
    teacher.room,
    [ParticipantDisconnected],
    () => !teacher.room.remoteParticipants.has(pupil.participantId),
  )
  // With the token it was given before, which is not over yet.
  await expect(
    new Room().connect(pupil.mediaUrl, pupil.mediaToken, { autoSubscribe: true, dynacast: false }),
  ).rejects.toThrow()
  expect(await isRefused(here.room, SOURCE_MICROPHONE)).toBe(false)
  await untilSo(
    teacher.room,
    [ParticipantConnected, TrackPublished],
    () => tracksIn(teacher.room, here.participantId) === 1,
  )
  expect([...teacher.room.remoteParticipants.keys()]).toEqual([here.participantId])
})

test('a name changes for all, by the service only', async () => {
  const { at, teacher, pupil, client } = await lesson()
  const events = [ParticipantConnected, ParticipantNameChanged]
  const isShown = (participantId: string, name: string) => () =>
    teacher.room.remoteParticipants.get(participantId)?.name === name
  await untilSo(teacher.room, events, isShown(pupil.participantId, 'Ann'))
  await client.setCallName({ ...at, name: 'Ann Lee' })
  await untilSo(teacher.room, events, isShown(pupil.participantId, 'Ann Lee'))
  // Another tab is the same person.
  expect((await enter(client, at)).room.localParticipant?.name).toBe('Ann Lee')
  // The engine answers this with silence; had it been taken, it would have been before what is sent after it.
  void pupil.room.localParticipant?.updateName('Teacher').catch(() => {})
  await publish(pupil.room, SOURCE_MICROPHONE)
  await untilSo(teacher.room, [TrackPublished], () => tracksIn(teacher.room, pupil.participantId) === 1)
  expect(isShown(pupil.participantId, 'Ann Lee')()).toBe(true)
})

test('reactions reach everyone in the call, those of a moment together', async () => {
  const { at, teacher, pupil, client } = await lesson()
  const heard = hear(teacher.room)
  await client.sendReaction({ ...at, reaction: 'clap' })
  await owner.sendReaction({ ...at, reaction: 'heart' })
  await vi.waitFor(
    () =>
      expect(heard.filter(({ topic }) => topic === 'reactions')).toEqual([
        {
          topic: 'reactions',
          type: 'reactions',
          items: [
            { participantId: pupil.participantId, reaction: 'clap' },
            { participantId: teacher.participantId, reaction: 'heart' },
          ],
        },
      ]),
    { timeout: 5000 },
  )
})
