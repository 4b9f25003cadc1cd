import { TrackSource } from '@livekit/rtc-node'
import { beforeAll, expect, test, vi } from 'vitest'
import { tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'
import { ENGINE_WITHIN_MS, enter, hear, isRefused, type Place, publish, untilMedia } from '../../support/live.ts'

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

test('a microphone turned off for participants is silent within a second, and stays so', async () => {
  const { at, teacher, pupil, client } = await lesson()
  const ofPupil = () => [
    ...(teacher.room.remoteParticipants.get(pupil.participantId)?.trackPublications.values() ?? []),
  ]
  const ofTeacher = () => [
    ...(pupil.room.remoteParticipants.get(teacher.participantId)?.trackPublications.values() ?? []),
  ]
  await publish(pupil.room, SOURCE_MICROPHONE)
  await publish(teacher.room, SOURCE_MICROPHONE)
  await vi.waitFor(() => expect([ofPupil().length, ofTeacher().length]).toEqual([1, 1]), { timeout: 5000 })

  const heard = hear(pupil.room)
  await owner.updateRoom({ ...at, isMicrophonePublishingAllowed: false })
  await vi.waitFor(() => expect(ofPupil()).toEqual([]), { timeout: 3000, interval: 20 })
  expect(ofTeacher()).toHaveLength(1)
  await vi.waitFor(() => expect(heard).toContainEqual({ topic: 'call', type: 'changed' }), { timeout: 5000 })
  // A client that has been refused takes nothing back: it is asked last.
  expect(await isRefused(pupil.room, SOURCE_SCREENSHARE_AUDIO)).toBe(false)
  expect(await isRefused(pupil.room, SOURCE_MICROPHONE)).toBe(true)

  await owner.updateRoom({ ...at, isMicrophonePublishingAllowed: true, isScreenMediaPublishingAllowed: false })
  await vi.waitFor(() => expect(ofPupil()).toEqual([]), { timeout: 3000, interval: 20 })
  const again = await enter(client, at)
  expect(await isRefused(again.room, SOURCE_MICROPHONE)).toBe(false)
  expect(await isRefused(again.room, SOURCE_SCREENSHARE_AUDIO)).toBe(true)
  expect(await isRefused(teacher.room, SOURCE_SCREENSHARE_AUDIO)).toBe(false)
})

test('a name changes for all, by the service only', async () => {
  const { at, teacher, pupil, client } = await lesson()
  const shown = () => teacher.room.remoteParticipants.get(pupil.participantId)?.name
  await vi.waitFor(() => expect(shown()).toBe('Ann'), { timeout: 5000, interval: 20 })
  // The engine does not answer what it refuses.
  await Promise.race([
    pupil.room.localParticipant?.updateName('Teacher').catch(() => {}),
    new Promise(resolve => setTimeout(resolve, 500)),
  ])
  expect(shown()).toBe('Ann')
  await client.setCallName({ ...at, name: 'Ann Lee' })
  await vi.waitFor(() => expect(shown()).toBe('Ann Lee'), { timeout: 5000, interval: 20 })
  // Another tab is the same person.
  const again = await enter(client, at)
  await vi.waitFor(() => expect(teacher.room.remoteParticipants.get(again.participantId)?.name).toBe('Ann Lee'), {
    timeout: 5000,
    interval: 20,
  })
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
