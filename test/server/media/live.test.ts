import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { Room, TrackSource } from '@livekit/rtc-node'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { verifyWebhook } from '../../../client/webhooks.ts'
import { admitted } from '../../support/admitted.ts'
import { admit, tokenOf } from '../../support/cast.ts'
import { closeAtTheEnd } from '../../support/closing.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'
import {
  ENGINE_WITHIN_MS,
  enter,
  goneFrom,
  hear,
  isRefused,
  knock,
  openRoomOf,
  type Place,
  publish,
  untilMedia,
} from '../../support/live.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

/* The real engine, run by the service itself, and real participants. */

let lectern: Lectern
let owner: Person
let receiver: Receiver

beforeAll(async () => {
  lectern = await startLectern({
    LECTERN_MEDIA: 'on',
    LECTERN_CALL_GRACE: '1',
    LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
  })
  receiver = await startReceiver()
  closeAtTheEnd(receiver.close)
  owner = await lectern.user()
  await untilMedia(lectern.url, 'ready', ENGINE_WITHIN_MS)
}, ENGINE_WITHIN_MS + 60_000)

const openRoom = (draft?: Parameters<typeof openRoomOf>[2]) => openRoomOf(owner, receiver, draft)

const placeOf = ({ spaceId, roomId }: Place): Place => ({ spaceId, roomId })

const redeem = async (accessToken: string, participantName?: string) => {
  const name = participantName === undefined ? {} : { participantName }
  const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken, ...name })
  return lectern.withToken(guestToken)
}

const guestOf = async (
  at: Place,
  role: 'user' | 'moderator' = 'user',
  link: { username?: string; externalUserId?: string } = {},
) => redeem(tokenOf(await owner.generateAccess({ ...at, role, username: 'Guest', ...link })))

const names = async (at: Place) => (await owner.getLiveCall(at)).participants.map(({ name }) => name)

describe('a call', () => {
  test('starts with the first who enters and finishes after the last has left, and says so once each', async () => {
    const { events, secret: _, ...at } = await openRoom()
    const teacher = await enter(owner, at)
    await vi.waitFor(async () => expect(await names(at)).toEqual([owner.username]), { timeout: 5000 })
    const guest = await enter(await guestOf(at), at)
    await vi.waitFor(async () => expect(await names(at)).toEqual([owner.username, 'Guest']), { timeout: 5000 })
    const { id: callId } = await owner.getLiveCall(at)
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
    expect(await refusal(owner.getLiveCall(at))).toEqual([404, 'no_call'])
  })

  test('goes on when somebody comes back within the grace', async () => {
    const { events, secret: _, ...at } = await openRoom()
    const first = await enter(owner, at, 'tab-0001')
    await vi.waitFor(() => owner.getLiveCall(at), { timeout: 5000 })
    const { id } = await owner.getLiveCall(at)
    await first.room.disconnect()
    const second = await enter(owner, at, 'tab-0001')
    expect(second.participantId).toBe(first.participantId)
    await vi.waitFor(async () => expect((await owner.getLiveCall(at)).participants).toHaveLength(1), { timeout: 5000 })
    expect((await owner.getLiveCall(at)).id).toBe(id)
    expect(events().filter(({ eventName }) => eventName === 'call_finished')).toEqual([])
  })

  test('is ended for all by a moderator alone; plain users stay out for a minute', async () => {
    const { events, secret: _, ...at } = await openRoom()
    const guest = await guestOf(at)
    const { room } = await enter(guest, at)
    const gone = goneFrom(room)
    await vi.waitFor(() => owner.getLiveCall(at), { timeout: 5000 })
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

test('who only signals starts no call, and is sent away with the right to be there', async () => {
  const at = placeOf(await openRoom())
  const guest = await guestOf(at)
  const { mediaUrl, mediaToken } = admitted(await guest.joinRoom(at))
  const signalling = new WebSocket(`${mediaUrl}/rtc?access_token=${mediaToken}&protocol=16&auto_subscribe=1`)
  onTestFinished(() => signalling.close())
  let isClosed = false
  signalling.addEventListener('close', () => {
    isClosed = true
  })
  await new Promise(resolve => signalling.addEventListener('message', resolve, { once: true }))

  /** Two listings: the second starts when the reconciliation with the first is done. */
  const list = vi.spyOn(lectern.engine(), 'list')
  const compared = async () => {
    list.mockClear()
    await vi.waitFor(
      () => {
        // Each time: the clock may have been moved while one was still under way.
        lectern.advance(31_000)
        expect(list.mock.calls.length).toBeGreaterThan(1)
      },
      { timeout: 15_000, interval: 1000 },
    )
  }
  await compared()
  expect(isClosed).toBe(false)
  expect((await owner.listCalls(at)).items).toEqual([])

  const [link] = (await owner.listLinks(at)).items
  await owner.revokeLink({ ...at, linkId: link?.id ?? '' })
  await compared()
  await vi.waitFor(() => expect(isClosed).toBe(true), { timeout: 5000 })
  expect((await owner.listCalls(at)).items).toEqual([])
})

test('who is in a call that was ended is sent away, also when that failed at first', async () => {
  const at = placeOf(await openRoom())
  const { room } = await enter(await guestOf(at), at)
  await vi.waitFor(() => owner.getLiveCall(at), { timeout: 5000 })
  const gone = goneFrom(room)
  const close = vi.spyOn(lectern.engine(), 'close').mockRejectedValueOnce(new Error('the engine does not answer'))
  await owner.endCall(at)
  await vi.waitFor(() => expect(close).toHaveBeenCalled(), { timeout: 5000 })
  expect(room.isConnected).toBe(true)
  // The clock is moved so that the next reconciliation need not wait for late events.
  lectern.advance(6000)
  await gone
  expect(await refusal(owner.getLiveCall(at))).toEqual([404, 'no_call'])
})

describe('whoever is in a call is sent away at once', () => {
  test.each<[string, (at: Place, member: Person) => Promise<unknown>]>([
    ['the space', ({ spaceId }) => owner.deleteSpace({ spaceId })],
    ['the room', at => owner.deleteRoom(at)],
    ['their account', (_, { id }) => lectern.operator.deleteUser({ userId: id })],
  ])('when %s is deleted', async (_, remove) => {
    const at = placeOf(await openRoom({ isPublic: true }))
    const member = await lectern.user()
    await admit(owner, at.spaceId, member)
    const inside = await enter(member, at)
    await untilIn(at, inside)
    let isGone = false
    goneFrom(inside.room).then(() => {
      isGone = true
    })
    await remove(at, member)
    // Sooner than the next reconciliation, which would find them.
    await vi.waitFor(() => expect(isGone).toBe(true), { timeout: 3000 })
  })
})

describe('those in a call are told to read it again', () => {
  const watch = async (draft: Parameters<typeof openRoomOf>[2]) => {
    const at = placeOf(await openRoom(draft))
    const guest = await guestOf(at)
    const [teacher, viewer] = [await enter(owner, at), await enter(guest, at)]
    await untilIn(at, teacher, viewer)
    const heard = hear(viewer.room)
    /** Once, after all that was told before has come. */
    const changes = async (act: () => Promise<unknown>) => {
      await new Promise(resolve => setTimeout(resolve, 500))
      heard.length = 0
      await act()
      await vi.waitFor(() => expect(heard).toEqual([{ topic: 'call', type: 'changed' }]), { timeout: 2000 })
    }
    return { at, guest, viewer, changes }
  }

  test('when a hand is raised and lowered, and the floor given and taken', async () => {
    const { at, guest, viewer, changes } = await watch({ type: 'webinar', isFloorAllowed: true })
    const floor = (onAir: boolean) => owner.setFloor({ ...at, participantId: viewer.participantId, onAir })
    await changes(() => guest.setHand({ ...at, raised: true }))
    await changes(() => guest.setHand({ ...at, raised: false }))
    await changes(() => floor(true))
    await changes(() => floor(false))
  })

  test('when someone enters or leaves, and when a role is another, which the call then shows', async () => {
    const { at, changes } = await watch({ isPublic: true })
    const member = await lectern.user()
    await admit(owner, at.spaceId, member)
    let participantId = ''
    let room = new Room()
    await changes(async () => {
      ;({ participantId, room } = await enter(member, at))
    })
    expect(await inCall(at, participantId)).toMatchObject({ role: 'user' })
    await changes(() => owner.grantRole({ ...at, targetUserId: member.id, role: 'role_room_moderator' }))
    expect(await inCall(at, participantId)).toMatchObject({ role: 'moderator' })
    await changes(() => owner.revokeRole({ ...at, userId: member.id }))
    expect(await inCall(at, participantId)).toMatchObject({ role: 'user' })
    await changes(() => owner.updateRoom({ ...at, type: 'webinar' }))
    await changes(() => room.disconnect())
    expect(await inCall(at, participantId)).toBeUndefined()
  })
})

/** As another participant sees them. */
const tracksOf = (seenBy: Room, participantId: string) => [
  ...(seenBy.remoteParticipants.get(participantId)?.trackPublications.values() ?? []),
]

const inCall = async (at: Place, participantId: string) =>
  (await owner.getLiveCall(at)).participants.find(inside => inside.participantId === participantId)

const untilIn = (at: Place, ...participants: { participantId: string }[]) =>
  vi.waitFor(
    async () => {
      for (const { participantId } of participants) expect(await inCall(at, participantId)).toBeDefined()
    },
    { timeout: 5000 },
  )

const nobody = '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10'

describe('moderation', () => {
  test('a raised hand is seen, keeps its place, and goes down', async () => {
    const at = placeOf(await openRoom())
    const guest = await guestOf(at)
    expect(await refusal(guest.setHand({ ...at, raised: true }))).toEqual([404, 'no_call'])
    const inside = await enter(guest, at)
    await untilIn(at, inside)
    const hand = async () => (await inCall(at, inside.participantId))?.handRaisedAt
    expect(await hand()).toBeNull()
    await guest.setHand({ ...at, raised: true })
    const raisedAt = await hand()
    expect(raisedAt).toBeTruthy()
    await guest.setHand({ ...at, raised: true })
    expect(await hand()).toBe(raisedAt)
    await guest.setHand({ ...at, raised: false })
    expect(await hand()).toBeNull()
  })

  test('mutes one, or everyone but moderators, really', async () => {
    const at = placeOf(await openRoom())
    const teacher = await enter(owner, at)
    const guest = await guestOf(at)
    const [one, two] = [await enter(guest, at), await enter(await guestOf(at), at)]
    await untilIn(at, teacher, one, two)
    for (const { room } of [teacher, one, two]) await publish(room, TrackSource.SOURCE_MICROPHONE)
    const muted = (seenBy: Room, { participantId }: { participantId: string }) =>
      tracksOf(seenBy, participantId).map(track => track.muted)
    await vi.waitFor(() => expect([muted(teacher.room, one), muted(teacher.room, two)]).toEqual([[false], [false]]), {
      timeout: 5000,
    })
    const ask = { ...at, source: 'microphone' as const }
    expect(await refusal(guest.muteAll(ask))).toEqual([403, 'not_allowed'])
    expect(await refusal(owner.muteParticipant({ ...ask, participantId: nobody }))).toEqual([404, 'not_found'])
    await owner.muteParticipant({ ...ask, source: 'camera', participantId: one.participantId })
    await owner.muteParticipant({ ...ask, participantId: one.participantId })
    await vi.waitFor(() => expect(muted(teacher.room, one)).toEqual([true]), { timeout: 5000 })
    expect(muted(teacher.room, two)).toEqual([false])
    await owner.muteAll(ask)
    await vi.waitFor(() => expect(muted(teacher.room, two)).toEqual([true]), { timeout: 5000 })
    expect(muted(one.room, teacher)).toEqual([false])
  })

  test('removes a guest with the link that names them, for good', async () => {
    const at = placeOf(await openRoom())
    const guest = await guestOf(at, 'moderator')
    const inside = await enter(guest, at)
    const { participantId, room, mediaUrl, mediaToken } = inside
    await untilIn(at, inside)
    const gone = goneFrom(room)
    await owner.removeParticipant({ ...at, participantId })
    await gone
    const removed = [403, 'removed']
    expect(await refusal(guest.joinRoom(at))).toEqual(removed)
    expect(await refusal(guest.getLiveCall(at))).toEqual(removed)
    expect(await refusal(guest.setHand({ ...at, raised: true }))).toEqual(removed)
    expect(await refusal(guest.endCall(at))).toEqual(removed)
    expect(await refusal(guest.createMessage({ ...at, text: 'Hello' }))).toEqual(removed)
    expect(await refusal(guest.listMessages(at))).toEqual(removed)
    await expect(new Room().connect(mediaUrl, mediaToken, { autoSubscribe: true, dynacast: false })).rejects.toThrow()
  })

  test('removes one guest of a link for everybody, and an account in all its tabs', async () => {
    const at = placeOf(await openRoom({ isPublic: true }))
    const link = tokenOf(await owner.generateAccess({ ...at, role: 'user', isPermanent: true }))
    const [bad, good] = [await redeem(link, 'Bad'), await redeem(link, 'Good')]
    const member = await lectern.user()
    await admit(owner, at.spaceId, member)
    const inside = [await enter(bad, at), await enter(member, at), await enter(member, at)] as const
    const stays = await enter(good, at)
    await untilIn(at, stays, ...inside)
    const allGone = Promise.all(inside.map(({ room }) => goneFrom(room)))
    await owner.removeParticipant({ ...at, participantId: inside[0].participantId })
    await owner.removeParticipant({ ...at, participantId: inside[1].participantId })
    await allGone
    expect(await refusal(bad.joinRoom(at))).toEqual([403, 'removed'])
    expect(await refusal(member.joinRoom(at))).toEqual([403, 'removed'])
    await good.joinRoom(at)
    expect(stays.room.isConnected).toBe(true)
    await vi.waitFor(async () => expect(await names(at)).toEqual(['Good']), { timeout: 5000 })
  })

  test('a guest removes no moderator with an account, nobody the creator, and a plain user nobody', async () => {
    const at = placeOf(await openRoom())
    const moderator = await lectern.user()
    await admit(owner, at.spaceId, moderator)
    await owner.grantRole({ ...at, targetUserId: moderator.id, role: 'role_room_moderator' })
    const [guestModerator, guest] = [await guestOf(at, 'moderator'), await guestOf(at)]
    const [creator, other] = [await knock(owner, at), await knock(moderator, at)]
    const no = [403, 'not_allowed']
    const remove = (by: Client, { participantId }: { participantId: string }) =>
      refusal(by.removeParticipant({ ...at, participantId }))
    expect(await remove(guestModerator, other)).toEqual(no)
    expect(await remove(guestModerator, creator)).toEqual(no)
    expect(await remove(moderator, creator)).toEqual(no)
    expect(await remove(guest, other)).toEqual(no)
    for (const participantId of [nobody, 'x'])
      expect(await remove(owner, { participantId })).toEqual([404, 'not_found'])
    const elsewhere = await knock(owner, placeOf(await openRoom()))
    expect(await remove(owner, elsewhere)).toEqual([404, 'not_found'])
    await moderator.removeParticipant({ ...at, participantId: (await knock(guest, at)).participantId })
    expect(await refusal(guest.joinRoom(at))).toEqual([403, 'removed'])
  })

  test('gives the floor of a webinar and takes it, where the room allows that', async () => {
    const at = placeOf(await openRoom({ type: 'webinar' }))
    const teacher = await enter(owner, at)
    const guest = await guestOf(at)
    const viewer = await enter(guest, at, 'tab-0001')
    const { participantId } = viewer
    await untilIn(at, teacher, viewer)
    const give = (onAir: boolean) => owner.setFloor({ ...at, participantId, onAir })
    expect(await refusal(give(true))).toEqual([403, 'not_allowed'])
    await owner.updateRoom({ ...at, isFloorAllowed: true })
    expect(await refusal(guest.setFloor({ ...at, participantId, onAir: true }))).toEqual([403, 'not_allowed'])
    expect(await refusal(owner.setFloor({ ...at, participantId: nobody, onAir: true }))).toEqual([404, 'not_found'])
    await guest.setHand({ ...at, raised: true })
    await give(true)
    expect(await inCall(at, participantId)).toMatchObject({ hasFloor: true, handRaisedAt: null })
    expect(await isRefused(viewer.room, TrackSource.SOURCE_MICROPHONE)).toBe(false)
    await vi.waitFor(() => expect(tracksOf(teacher.room, participantId)).toHaveLength(1), { timeout: 5000 })
    await give(false)
    await vi.waitFor(() => expect(tracksOf(teacher.room, participantId)).toHaveLength(0), { timeout: 5000 })
    expect(await isRefused(viewer.room, TrackSource.SOURCE_MICROPHONE)).toBe(true)
    expect(await inCall(at, participantId)).toMatchObject({ hasFloor: false })

    // It ends with the call.
    await give(true)
    for (const { room } of [teacher, viewer]) await room.disconnect()
    await vi.waitFor(async () => expect(await refusal(owner.getLiveCall(at))).toEqual([404, 'no_call']), {
      timeout: 5000,
    })
    const again = await enter(guest, at, 'tab-0001')
    expect(again.participantId).toBe(participantId)
    await untilIn(at, again)
    expect(await inCall(at, participantId)).toMatchObject({ hasFloor: false })
  })
})

test('chat reaches those in the call, and whoever reads it later', async () => {
  const at = placeOf(await openRoom())
  const teacher = await enter(owner, at)
  await untilIn(at, teacher)
  const heard = hear(teacher.room)
  const received = () => heard.filter(({ topic }) => topic === 'chat')
  const guest = await guestOf(at)
  // The last two are the longest there are, in bytes as sent.
  const texts = ['Hello', '😀'.repeat(4000), `.${'\u0001'.repeat(3998)}.`]
  const sent: unknown[] = []
  for (const text of texts) sent.push(await guest.createMessage({ ...at, text }))
  await vi.waitFor(
    () => expect(received()).toEqual(sent.map(message => ({ topic: 'chat', type: 'message', message }))),
    {
      timeout: 5000,
    },
  )
  expect((await owner.listMessages(at)).items).toEqual(sent.toReversed())
  const { id: messageId } = await guest.createMessage({ ...at, text: 'Sorry' })
  await owner.deleteMessage({ ...at, messageId })
  await vi.waitFor(() => expect(received().at(-1)).toEqual({ topic: 'chat', type: 'deleted', id: messageId }), {
    timeout: 5000,
  })
})

test('what is for the hosts reaches them and its author, and tells nobody else that it exists', async () => {
  const at = placeOf(await openRoom({ type: 'webinar' }))
  const [author, viewer, host] = [await guestOf(at), await guestOf(at), await guestOf(at, 'moderator')]
  const heardBy = async (client: Client) => {
    const { room } = await enter(client, at)
    const heard = hear(room)
    return () => heard.filter(({ topic }) => topic === 'chat')
  }
  const [byOwner, byHost, byAuthor, byViewer] = [
    await heardBy(owner),
    await heardBy(host),
    await heardBy(author),
    await heardBy(viewer),
  ]
  await vi.waitFor(async () => expect(await names(at)).toHaveLength(4), { timeout: 5000 })
  const question = await author.createMessage({ ...at, text: 'Is this on?', to: 'hosts', isQuestion: true })
  const messageId = question.id
  const answered = await host.setAnswered({ ...at, messageId, answered: true })
  await owner.deleteMessage({ ...at, messageId })
  const last = { topic: 'chat', type: 'message', message: await owner.createMessage({ ...at, text: 'Welcome' }) }
  const told = [
    { topic: 'chat', type: 'message', message: question },
    { topic: 'chat', type: 'changed', message: answered },
    { topic: 'chat', type: 'deleted', id: messageId },
    last,
  ]
  // Broadcasts are sent without waiting for each other.
  const sorted = (heard: object[]) => heard.map(each => JSON.stringify(each)).sort()
  for (const heard of [byOwner, byHost, byAuthor])
    await vi.waitFor(() => expect(sorted(heard())).toEqual(sorted(told)), { timeout: 5000 })
  await vi.waitFor(() => expect(byViewer()).toContainEqual(last), { timeout: 5000 })
  expect(byViewer()).toEqual([last])
})

/** The text of all files in a ZIP archive, found by the directory at its end. */
const unzip = (archive: Buffer) => {
  let text = ''
  let at = archive.readUInt32LE(archive.length - 6)
  for (; archive.readUInt32LE(at) === 0x02014b50; at += 46 + sum(archive, at, [28, 30, 32])) {
    const file = archive.readUInt32LE(at + 42)
    const start = file + 30 + sum(archive, file, [26, 28])
    const content = archive.subarray(start, start + archive.readUInt32LE(at + 20))
    text += archive.readUInt16LE(at + 10) === 8 ? inflateRawSync(content) : content
  }
  return text
}
const sum = (archive: Buffer, at: number, lengths: number[]) =>
  lengths.reduce((total, offset) => total + archive.readUInt16LE(at + offset), 0)

test('attendance has every stay, as JSON, CSV and XLSX, and the callbacks of each', async () => {
  const { secret, ...opened } = await openRoom()
  const at = placeOf(opened)
  await owner.setWebhookEvents({
    spaceId: at.spaceId,
    events: ['call_started', 'call_finished', 'participant_joined', 'participant_left'],
  })
  const teacher = await enter(owner, at)
  await untilIn(at, teacher)
  const guest = await guestOf(at, 'user', { username: '=1+1 "Ann"', externalUserId: 'pupil7' })
  const first = await enter(guest, at, 'tab-0001')
  await untilIn(at, first)
  await first.room.disconnect()
  await vi.waitFor(async () => expect(await inCall(at, first.participantId)).toBeUndefined(), { timeout: 5000 })
  await untilIn(at, await enter(guest, at, 'tab-0001'))
  const { id: callId } = await owner.getLiveCall(at)
  expect(await owner.getRoomCall({ ...at, callId })).toMatchObject({ id: callId, roomName: 'Room', endedAt: null })
  await owner.endCall(at)

  const { items } = await owner.getAttendance({ ...at, callId })
  const time = expect.stringMatching(/Z$/)
  const stay = { joinedAt: time, leftAt: time }
  const teacherIs = {
    participantId: teacher.participantId,
    name: owner.username,
    role: 'moderator',
    externalUserId: null,
  }
  const guestIs = { participantId: first.participantId, name: '=1+1 "Ann"', role: 'user', externalUserId: 'pupil7' }
  const totalSeconds = expect.any(Number)
  expect(items).toEqual([
    { ...teacherIs, userId: owner.id, stays: [stay], totalSeconds },
    { ...guestIs, userId: null, stays: [stay, stay], totalSeconds },
  ])

  const told = (eventName: 'participant_joined' | 'participant_left') =>
    receiver.callbacks
      .map(({ raw }) => verifyWebhook(raw, secret))
      .flatMap(body => (body?.eventName === eventName ? [body.participantId] : []))
      .sort()
  const each = [teacherIs, guestIs, guestIs].map(({ participantId }) => participantId).sort()
  await vi.waitFor(() => expect([told('participant_joined'), told('participant_left')]).toEqual([each, each]), {
    timeout: 5000,
  })
  const { body } = receiver.callbacks.findLast(callback => callback.body.participantId === first.participantId) ?? {}
  const event = { eventName: 'participant_left', ...at, callId, occurredAt: time }
  expect(body).toEqual({ ...event, ...guestIs, userId: null })

  const { body: csv, headers } = await lectern.request(
    'GET',
    `/v1/spaces/${at.spaceId}/rooms/${at.roomId}/calls/${callId}/attendance?format=csv`,
    { token: owner.token },
  )
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const lines = csv.split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[2]).toMatch(/^"Room","'=1\+1 ""Ann""","","Participant","","pupil7","[^"]+","[^"]+","0:\d\d:\d\d","2"$/)
  await owner.deleteRoom(at)

  const { spaceId } = at
  expect((await owner.listSpaceCalls({ spaceId })).items).toEqual([await owner.getSpaceCall({ spaceId, callId })])
  expect((await owner.getSpaceAttendance({ spaceId, callId })).items).toEqual(items)
  const xlsx = await fetch(`${lectern.url}/v1/spaces/${spaceId}/calls/${callId}/attendance?format=xlsx`, {
    headers: { authorization: `Bearer ${owner.token}` },
  })
  expect(xlsx.headers.get('content-type')).toMatch(/spreadsheetml/)
  const cells = unzip(Buffer.from(await xlsx.arrayBuffer()))
  expect(cells).toContain('=1+1 "Ann"')
  expect(cells).not.toContain('<f>')
  expect(await refusal((await lectern.user()).getSpaceCall({ spaceId, callId }))).toEqual([404, 'not_found'])
  expect(await refusal(owner.getSpaceCall({ spaceId, callId: nobody }))).toEqual([404, 'not_found'])
})

describe('the engine itself', () => {
  test('lets only the moderators’ side on the air in a webinar', async () => {
    const at = placeOf(await openRoom({ type: 'webinar' }))
    const teacher = await enter(owner, at)
    const viewer = await enter(await guestOf(at), at)
    const moderator = await enter(await guestOf(at, 'moderator'), at)
    expect((await publish(teacher.room, TrackSource.SOURCE_MICROPHONE))?.sid).toBeTruthy()
    expect((await publish(moderator.room, TrackSource.SOURCE_MICROPHONE))?.sid).toBeTruthy()
    expect(await isRefused(viewer.room, TrackSource.SOURCE_MICROPHONE)).toBe(true)
  })

  test('lets nobody share a screen where the room does not, from the moment it does not', async () => {
    const at = placeOf(await openRoom({ isScreensharingAllowed: false }))
    // Whoever was refused waits ten seconds for an answer before asking for anything else: it is the last they ask.
    const { room } = await enter(owner, at)
    expect((await publish(room, TrackSource.SOURCE_MICROPHONE))?.sid).toBeTruthy()
    expect(await isRefused(room, TrackSource.SOURCE_SCREENSHARE_AUDIO)).toBe(true)
    await vi.waitFor(() => owner.getLiveCall(at), { timeout: 5000 })
    await owner.updateRoom({ ...at, type: 'webinar' })
    const [viewer, other] = [await enter(await guestOf(at), at), await enter(await guestOf(at), at)]
    await untilIn(at, viewer, other)
    expect(await isRefused(viewer.room, TrackSource.SOURCE_MICROPHONE)).toBe(true)
    const setRights = vi.spyOn(lectern.engine(), 'setRights')
    await owner.updateRoom({ ...at, type: 'lesson' })
    const theirs = expect.objectContaining({ microphone: true })
    await vi.waitFor(
      () => expect(setRights).toHaveBeenCalledWith(expect.any(String), other.participantId, theirs, null),
      {
        timeout: 10_000,
      },
    )
    await Promise.all(setRights.mock.results.map(({ value }) => value))
    expect(await isRefused(other.room, TrackSource.SOURCE_MICROPHONE)).toBe(false)
  })
})

describe('signalling', () => {
  test('is refused to who has lost the right to be there, with a token that was good', async () => {
    const at = placeOf(await openRoom())
    const { room, mediaUrl, mediaToken } = await enter(await guestOf(at), at)
    await vi.waitFor(() => owner.getLiveCall(at), { timeout: 5000 })
    const gone = goneFrom(room)
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
  const { events, secret: _, ...at } = await openRoom()
  await enter(owner, at)
  await vi.waitFor(() => owner.getLiveCall(at), { timeout: 5000 })
  process.kill(Number(readFileSync(join(lectern.config.data, 'livekit.pid'), 'utf8')), 'SIGKILL')
  await untilMedia(lectern.url, 'starting')
  await untilMedia(lectern.url, 'ready')
  await enter(owner, at)
  await vi.waitFor(async () => expect((await owner.getLiveCall(at)).participants.length).toBeGreaterThan(0), {
    timeout: 5000,
  })
  expect(events().filter(({ eventName }) => eventName === 'call_started')).toHaveLength(1)
})

test('nobody gets in whom no moderator has let in, or past a lock, with whatever token', async () => {
  const at = placeOf(await openRoom())
  const connect = async ({ mediaUrl, mediaToken }: { mediaUrl: string; mediaToken: string }) => {
    const room = new Room()
    onTestFinished(() => room.disconnect())
    await room.connect(mediaUrl, mediaToken, { autoSubscribe: true, dynacast: false })
    return room
  }
  const [inside, asking, late] = await Promise.all(
    ['Inside', 'Asking', 'Late'].map(username => guestOf(at, 'user', { username })),
  )
  if (!inside || !asking || !late) throw new Error('there are three of them')
  const heardByOwner = hear((await enter(owner, at)).room)
  const heardInside = hear((await enter(inside, at)).room)
  await vi.waitFor(async () => expect(await names(at)).toEqual([owner.username, 'Inside']), { timeout: 5000 })
  const early = admitted(await asking.joinRoom(at))
  await owner.updateRoom({ ...at, waitingRoomAudience: 'guests' })
  await expect(connect(early)).rejects.toThrow()
  const answer = asking.joinRoom(at, { waitSeconds: 20 })
  const topicsOf = (heard: typeof heardInside) => heard.map(({ topic }) => topic)
  await vi.waitFor(() => expect(topicsOf(heardByOwner)).toContain('waiting'), { timeout: 5000 })
  expect(topicsOf(heardInside)).not.toContain('waiting')
  await owner.admitAllWaiting(at)
  const room = await connect(admitted(await answer))
  await vi.waitFor(async () => expect(await names(at)).toContain('Asking'), { timeout: 5000 })

  await owner.updateRoom({ ...at, waitingRoomAudience: 'nobody' })
  const before = admitted(await late.joinRoom(at))
  await owner.updateRoom({ ...at, isLocked: true })
  await expect(connect(before)).rejects.toThrow()
  expect(await refusal(late.joinRoom(at))).toEqual([403, 'room_locked'])
  await room.disconnect()
  await enter(asking, at)
  expect(await names(at)).toContain('Inside')
})
