import { beforeAll, describe, expect, test } from 'vitest'
import { callsByHand } from '../../support/calls.ts'
import { type Cast, createCast, refusals, tokenOf } from '../../support/cast.ts'
import { isOneNode, type Lectern, refusal, startLectern } from '../../support/lectern.ts'

/* What the engine would tell of is told by hand: test/server/media/control.test.ts has the real one. */

let lectern: Lectern
let cast: Cast
let byHand: Awaited<ReturnType<typeof callsByHand>>

beforeAll(async () => {
  lectern = await startLectern({ LECTERN_CALL_GRACE: '3600' })
  cast = await createCast(lectern)
  byHand = await callsByHand(lectern)
})

type At = { spaceId: string; roomId: string }

const openRoom = async (draft: { type?: 'webinar'; isFloorAllowed?: boolean } = {}): Promise<At> => {
  const room = { name: 'Room', isPublic: true, ...draft }
  const { id: roomId } = await cast.owner.createRooms({ spaceId: cast.spaceId, ...room })
  return { spaceId: cast.spaceId, roomId }
}

const enter = async (at: At, who: { userId: string } | { guestId: string }) => {
  const presence = await byHand.join(at.roomId, who)
  await byHand.tell('joined', at.roomId, presence)
  return presence
}

const guestOf = async (at: At, username: string) => {
  const accessToken = tokenOf(await cast.owner.generateAccess({ ...at, role: 'user', username }))
  const { guestId, guestToken } = await lectern.anonymous.redeemAccess({ accessToken })
  return { guestId, client: lectern.withToken(guestToken) }
}

const inCall = async (at: At, participantId: string) =>
  (await cast.owner.getLiveCall(at)).participants.find(one => one.participantId === participantId)

const permissions = {
  isMicrophonePublishingAllowed: false,
  isCameraPublishingAllowed: false,
  isScreenMediaPublishingAllowed: false,
  isHandRaisingAllowed: false,
  isSelfRenamingAllowed: false,
}

test('participants may do everything, unless the room says otherwise from the start or later', async () => {
  const at = await openRoom()
  const all = Object.fromEntries(Object.keys(permissions).map(name => [name, true]))
  expect(await cast.member.getRoom(at)).toMatchObject(all)
  expect(await cast.owner.updateRoom({ ...at, ...permissions })).toMatchObject(permissions)
  expect(await cast.member.getRoom(at)).toMatchObject(permissions)
  const { spaceId } = at
  const { id: roomId } = await cast.owner.createRooms({ spaceId, name: 'Strict', isPublic: true, ...permissions })
  expect(await cast.member.getRoom({ spaceId, roomId })).toMatchObject(permissions)
})

describe('hands', () => {
  test('are lowered one by one or all at once, by moderators', async () => {
    const at = await openRoom()
    const { participantId } = await enter(at, { userId: cast.member.id })
    const guest = await guestOf(at, 'Ann')
    const ann = await enter(at, { guestId: guest.guestId })
    const raise = () => Promise.all([cast.member, guest.client].map(one => one.setHand({ ...at, raised: true })))
    const raised = async () =>
      (await cast.owner.getLiveCall(at)).participants.filter(one => one.handRaisedAt).map(one => one.participantId)
    await raise()
    expect(
      await refusals([
        cast.member.lowerHand({ ...at, participantId: ann.participantId, raised: false }),
        guest.client.lowerAllHands(at),
      ]),
    ).toEqual([
      ['0', 403, 'not_allowed'],
      ['1', 403, 'not_allowed'],
    ])
    expect(await raised()).toHaveLength(2)
    await cast.owner.lowerHand({ ...at, participantId: ann.participantId, raised: false })
    expect(await raised()).toEqual([participantId])
    await raise()
    await cast.owner.lowerAllHands(at)
    expect(await raised()).toEqual([])
    const elsewhere = await openRoom()
    expect(await refusal(cast.owner.lowerHand({ ...elsewhere, participantId, raised: false }))).toEqual([
      404,
      'not_found',
    ])
    expect(await refusal(cast.owner.lowerAllHands(elsewhere))).toEqual([404, 'no_call'])
  })

  test('go down when the room turns them off, and only moderators raise theirs then', async () => {
    const at = await openRoom()
    const { participantId } = await enter(at, { userId: cast.member.id })
    await enter(at, { userId: cast.owner.id })
    await cast.member.setHand({ ...at, raised: true })
    await cast.owner.updateRoom({ ...at, isHandRaisingAllowed: false })
    expect((await inCall(at, participantId))?.handRaisedAt).toBeNull()
    expect(await refusal(cast.member.setHand({ ...at, raised: true }))).toEqual([403, 'hands_off'])
    await cast.member.setHand({ ...at, raised: false })
    await cast.owner.setHand({ ...at, raised: true })
    expect((await cast.owner.getLiveCall(at)).participants.filter(one => one.handRaisedAt)).toHaveLength(1)
  })
})

test('who was invited to speak gives the floor back, and has lowered the hand in every tab', async () => {
  const at = await openRoom({ type: 'webinar', isFloorAllowed: true })
  const { participantId } = await enter(at, { userId: cast.member.id })
  const beside = await byHand.join(at.roomId, { userId: cast.member.id }, null, 'tab-0002')
  await byHand.tell('joined', at.roomId, beside)
  await cast.member.setHand({ ...at, raised: true })
  await cast.owner.setFloor({ ...at, participantId, onAir: true })
  expect(await inCall(at, participantId)).toMatchObject({ hasFloor: true, handRaisedAt: null })
  expect(await inCall(at, beside.participantId)).toMatchObject({ hasFloor: false, handRaisedAt: null })
  await cast.member.returnFloor(at)
  expect(await inCall(at, participantId)).toMatchObject({ hasFloor: false })
  await cast.member.returnFloor(at)
})

test('the floor ends when the room stops letting viewers speak, and does not come back with that', async () => {
  const at = await openRoom({ type: 'webinar', isFloorAllowed: true })
  const { participantId } = await enter(at, { userId: cast.member.id })
  const floor = (onAir: boolean) => cast.owner.setFloor({ ...at, participantId, onAir })
  await floor(true)
  await cast.owner.updateRoom({ ...at, isFloorAllowed: false })
  expect(await inCall(at, participantId)).toMatchObject({ hasFloor: false })
  expect(await refusal(floor(true))).toEqual([403, 'not_allowed'])
  await floor(false)
  await cast.owner.updateRoom({ ...at, isFloorAllowed: true })
  expect(await inCall(at, participantId)).toMatchObject({ hasFloor: false })
})

describe('the spotlight', () => {
  const spotlightOf = async (at: At) => (await cast.member.getLiveCall(at)).spotlight

  test('is set by moderators, for someone in the call', async () => {
    const at = await openRoom()
    const { participantId } = await enter(at, { userId: cast.member.id })
    const gone = await enter(at, { userId: cast.owner.id })
    await byHand.tell('left', at.roomId, gone)
    expect(await spotlightOf(at)).toBeNull()
    expect(await refusal(cast.member.setSpotlight({ ...at, participantId }))).toEqual([403, 'not_allowed'])
    expect(await refusal(cast.owner.setSpotlight({ ...at, participantId: gone.participantId }))).toEqual([
      404,
      'not_found',
    ])
    await cast.owner.setSpotlight({ ...at, participantId })
    expect(await spotlightOf(at)).toEqual({ participantId, source: 'camera' })
    await cast.owner.setSpotlight({ ...at, participantId, source: 'screen' })
    expect(await spotlightOf(at)).toEqual({ participantId, source: 'screen' })
    await cast.owner.setSpotlight({ ...at, participantId: null })
    expect(await spotlightOf(at)).toBeNull()
  })

  test('ends when they leave by their last connection, and with the call', async () => {
    const at = await openRoom()
    const first = await enter(at, { userId: cast.member.id })
    const { participantId } = first
    await enter(at, { userId: cast.owner.id })
    await cast.owner.setSpotlight({ ...at, participantId })
    const second = { ...first, connectionId: `second of ${participantId}` }
    await byHand.tell('joined', at.roomId, second)
    await byHand.tell('left', at.roomId, first)
    expect(await spotlightOf(at)).toEqual({ participantId, source: 'camera' })
    await byHand.tell('left', at.roomId, second)
    expect(await spotlightOf(at)).toBeNull()

    await byHand.tell('joined', at.roomId, { ...first, connectionId: `third of ${participantId}` })
    await cast.owner.setSpotlight({ ...at, participantId })
    await cast.owner.endCall(at)
    const again = await byHand.join(at.roomId, { userId: cast.owner.id })
    await byHand.tell('joined', at.roomId, { ...again, joinedAt: Date.now() + 1000 })
    expect((await cast.owner.getLiveCall(at)).spotlight).toBeNull()
  })
})

test.runIf(isOneNode)('reactions are limited, and keep nobody from writing', async () => {
  const limited = await startLectern({ LECTERN_RATE_LIMITS: 'on' })
  const { owner, spaceId } = await createCast(limited)
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
  const calls = await callsByHand(limited)
  await calls.tell('joined', roomId, await calls.join(roomId, { userId: owner.id }))
  const clap = () => owner.sendReaction({ spaceId, roomId, reaction: 'clap' })
  for (let count = 0; count < 20; count++) await clap()
  expect(await refusal(clap())).toEqual([429, 'rate_limited'])
  await owner.createMessage({ spaceId, roomId, text: 'Bravo' })
})

test('a reaction is for who is in the call, and one of a few', async () => {
  const at = await openRoom()
  const reaction = 'clap'
  expect(await refusal(cast.member.sendReaction({ ...at, reaction }))).toEqual([404, 'no_call'])
  await enter(at, { userId: cast.member.id })
  expect(await refusal(cast.owner.sendReaction({ ...at, reaction }))).toEqual([409, 'not_in_call'])
  expect(await refusal(cast.member.sendReaction({ ...at, reaction: 'boo' as never }))).toEqual([400, 'invalid_request'])
  await cast.member.sendReaction({ ...at, reaction })
})

describe('a name chosen in a call', () => {
  test('is shown in its list, its chat from then on and its attendance, in every tab, and ends with it', async () => {
    const at = await openRoom()
    const guest = await guestOf(at, 'Ann')
    const { participantId } = await enter(at, { guestId: guest.guestId })
    await enter(at, { userId: cast.owner.id })
    const before = await guest.client.createMessage({ ...at, text: 'Before' })
    await guest.client.setCallName({ ...at, name: ' Ann Lee ' })
    expect(await inCall(at, participantId)).toMatchObject({ name: 'Ann Lee' })
    const after = await guest.client.createMessage({ ...at, text: 'After' })
    expect([before.name, after.name]).toEqual(['Ann', 'Ann Lee'])

    await guest.client.setCallName({ ...at, name: 'Ann L.' })
    const again = await enter(at, { guestId: guest.guestId })
    expect(await inCall(at, again.participantId)).toMatchObject({ name: 'Ann L.' })
    const { id: callId } = await cast.owner.getLiveCall(at)
    const attended = (await cast.owner.getAttendance({ ...at, callId })).items
    expect(attended.map(({ name }) => name)).toContain('Ann L.')

    await cast.owner.endCall(at)
    const owner = await byHand.join(at.roomId, { userId: cast.owner.id })
    await byHand.tell('joined', at.roomId, { ...owner, joinedAt: Date.now() + 1000 })
    const next = await enter(at, { guestId: guest.guestId })
    expect(await inCall(at, next.participantId)).toMatchObject({ name: 'Ann' })
  })

  test('is for who is in the call, where the room allows it or they moderate', async () => {
    const at = await openRoom()
    expect(await refusal(cast.member.setCallName({ ...at, name: 'Me' }))).toEqual([404, 'no_call'])
    const { participantId } = await enter(at, { userId: cast.owner.id })
    expect(await refusal(cast.member.setCallName({ ...at, name: 'Me' }))).toEqual([409, 'not_in_call'])
    await enter(at, { userId: cast.member.id })
    await cast.owner.updateRoom({ ...at, isSelfRenamingAllowed: false })
    expect(await refusal(cast.member.setCallName({ ...at, name: 'Me' }))).toEqual([403, 'renaming_off'])
    await cast.owner.setCallName({ ...at, name: 'Teacher' })
    expect(await inCall(at, participantId)).toMatchObject({ name: 'Teacher' })
    expect((await cast.owner.getMe()).displayName).toBe(cast.owner.username)
  })
})
