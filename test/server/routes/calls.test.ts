import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../server/ids.ts'
import { forgetIdleParticipants } from '../../../server/store/participants.ts'
import { callsByHand } from '../../support/calls.ts'
import { admit, type Cast, createCast, tokenOf } from '../../support/cast.ts'
import { type Lectern, refusal, startLectern } from '../../support/lectern.ts'
import { temporaryFolder } from '../../support/process.ts'

/* What the engine would tell of is told by hand: test/server/media/live.test.ts has the real one. */

let lectern: Lectern
let cast: Cast
let byHand: Awaited<ReturnType<typeof callsByHand>>

beforeAll(async () => {
  lectern = await startLectern({ LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1', LECTERN_CALL_GRACE: '3600' })
  cast = await createCast(lectern)
  byHand = await callsByHand(lectern)
})

const openRoom = async () => {
  const { id: roomId } = await cast.owner.createRooms({ spaceId: cast.spaceId, name: 'Room', isPublic: true })
  return { spaceId: cast.spaceId, roomId }
}

const guestOf = async (
  at: { spaceId: string; roomId: string },
  link: { username?: string; externalUserId?: string } = {},
) => {
  const accessToken = tokenOf(await cast.owner.generateAccess({ ...at, role: 'user', isPermanent: true, ...link }))
  const redeem = async () => {
    const { guestId, guestToken } = await lectern.anonymous.redeemAccess({ accessToken, participantName: 'Guest' })
    return { guestId, client: lectern.withToken(guestToken) }
  }
  return { ...(await redeem()), redeem }
}

const removed = [403, 'removed']

describe('removing', () => {
  test.each([
    ['the link that names a person', { username: 'Ann' }, true],
    ['the link that names a person of theirs', { externalUserId: 'pupil7' }, true],
    ['one guest of a link for everybody', {}, false],
  ])('bans %s', async (_, link, bansLink) => {
    const at = await openRoom()
    const { guestId, client, redeem } = await guestOf(at, link)
    const { participantId } = await byHand.join(at.roomId, { guestId })
    await cast.owner.removeParticipant({ ...at, participantId })
    await cast.owner.removeParticipant({ ...at, participantId })
    expect(await refusal(client.listMessages(at))).toEqual(removed)
    // Whether the chat is on is no longer their business.
    await cast.owner.updateRoom({ ...at, isChatAllowed: false })
    expect(await refusal(client.createMessage({ ...at, text: 'Why?' }))).toEqual(removed)
    const again = (await redeem()).client.listMessages(at)
    if (bansLink) expect(await refusal(again)).toEqual(removed)
    else expect((await again).items).toEqual([])
  })

  test('bans an account from this room, whatever it is given afterwards, and from no other', async () => {
    const [at, other] = [await openRoom(), await openRoom()]
    const member = await lectern.user()
    await admit(cast.owner, cast.spaceId, member)
    const { participantId } = await byHand.join(at.roomId, { userId: member.id })
    await cast.owner.removeParticipant({ ...at, participantId })
    await cast.owner.grantRole({ ...at, targetUserId: member.id, role: 'role_room_moderator' })
    expect(await refusal(member.getLiveCall(at))).toEqual(removed)
    expect(await refusal(member.removeParticipant({ ...at, participantId }))).toEqual(removed)
    expect((await member.listMessages(other)).items).toEqual([])
  })
})

/** A request whose body is held back, until it is asked for the status and code of the answer. */
const heldBack = (path: string, token: string, body: object) => {
  const text = JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': text.length,
  }
  const sent = request(lectern.url + path, { method: 'POST', headers })
  sent.write(text.slice(0, 1))
  return () =>
    new Promise<[number | undefined, string]>((resolve, reject) => {
      sent.on('error', reject)
      sent.on('response', async answer => {
        const problem = JSON.parse((await answer.toArray()).join(''))
        resolve([answer.statusCode, problem.code])
      })
      sent.end(text.slice(1))
    })
}

test('a moderator who was removed mutes nobody and is not let in, whenever the request was begun', async () => {
  const at = await openRoom()
  const member = await lectern.user()
  await admit(cast.owner, cast.spaceId, member)
  await cast.owner.grantRole({ ...at, targetUserId: member.id, role: 'role_room_moderator' })
  const presence = await byHand.join(at.roomId, { userId: member.id })
  const { participantId } = presence
  await byHand.tell('joined', at.roomId, presence)
  const room = `/v1/spaces/${at.spaceId}/rooms/${at.roomId}`
  const source = 'microphone'
  const begun = [
    heldBack(`${room}/call/mute`, member.token, { source }),
    heldBack(`${room}/call/participants/${participantId}/mute`, member.token, { source }),
    heldBack(`${room}/join`, member.token, { tabKey: 'tab-0001' }),
  ]
  await wait(1100)
  await cast.owner.removeParticipant({ ...at, participantId })
  for (const finish of begun) expect(await finish()).toEqual(removed)
})

describe('letting someone removed come back', () => {
  test('is for moderators, who see whom by name', async () => {
    const at = await openRoom()
    const { guestId, client } = await guestOf(at, { username: 'Ann' })
    const { participantId } = await byHand.join(at.roomId, { guestId })
    expect((await cast.owner.listBans(at)).items).toEqual([])
    await cast.owner.removeParticipant({ ...at, participantId })
    const { items } = await cast.owner.listBans(at)
    expect(items).toEqual([{ id: expect.any(String), name: 'Ann', createdAt: expect.stringMatching(/Z$/) }])
    const banId = items[0]?.id ?? ''
    for (const person of [cast.member, client]) {
      expect(await refusal(person.listBans(at))).toEqual([403, 'not_allowed'])
      expect(await refusal(person.liftBan({ ...at, banId }))).toEqual([403, 'not_allowed'])
    }
    const elsewhere = await openRoom()
    expect(await refusal(cast.owner.liftBan({ ...elsewhere, banId }))).toEqual([404, 'not_found'])
    expect(await refusal(client.listMessages(at))).toEqual(removed)
    await cast.owner.liftBan({ ...at, banId })
    expect((await client.listMessages(at)).items).toEqual([])
    expect(await refusal(cast.owner.liftBan({ ...at, banId }))).toEqual([404, 'not_found'])
  })

  test('is not for a moderator who was removed themselves', async () => {
    const at = await openRoom()
    const member = await lectern.user()
    await admit(cast.owner, cast.spaceId, member)
    await cast.owner.grantRole({ ...at, targetUserId: member.id, role: 'role_room_moderator' })
    const { participantId } = await byHand.join(at.roomId, { userId: member.id })
    await cast.owner.removeParticipant({ ...at, participantId })
    const [ban] = (await cast.owner.listBans(at)).items
    expect(await refusal(member.listBans(at))).toEqual(removed)
    expect(await refusal(member.liftBan({ ...at, banId: ban?.id ?? '' }))).toEqual(removed)
    // Nor by a link of their own, which would be a moderator's too.
    expect(await refusal(member.generateAccess({ ...at, role: 'moderator' }))).toEqual(removed)
    expect(await refusal(member.listLinks(at))).toEqual(removed)
  })
})

test('a room that passes to its owner is theirs, also if they had been removed from it', async () => {
  const { spaceId } = cast
  const moderator = await lectern.user()
  await admit(cast.owner, spaceId, moderator, 'role_space_moderator')
  const { id: roomId } = await moderator.createRooms({ spaceId, name: 'Room' })
  const at = { spaceId, roomId }
  const { participantId } = await byHand.join(roomId, { userId: cast.owner.id })
  await moderator.removeParticipant({ ...at, participantId })
  expect(await refusal(cast.owner.listMessages(at))).toEqual(removed)
  await cast.owner.removeMember({ spaceId, userId: moderator.id })
  expect((await cast.owner.listMessages(at)).items).toEqual([])
  expect((await cast.owner.listBans(at)).items).toHaveLength(1)
})

describe('a call', () => {
  test('lists who is in it; hands and the floor end with it', async () => {
    const at = await openRoom()
    await cast.owner.updateRoom({ ...at, isFloorAllowed: true })
    const presence = await byHand.join(at.roomId, { userId: cast.member.id })
    const { participantId } = presence
    expect(await refusal(cast.owner.setFloor({ ...at, participantId, onAir: true }))).toEqual([404, 'no_call'])
    await byHand.tell('joined', at.roomId, presence)
    await cast.owner.setFloor({ ...at, participantId, onAir: true })
    await cast.member.setHand({ ...at, raised: true })
    const inside = {
      participantId,
      name: cast.member.username,
      role: 'user',
      userId: cast.member.id,
      externalUserId: null,
    }
    expect((await cast.owner.getLiveCall(at)).participants).toEqual([
      { ...inside, joinedAt: expect.any(String), handRaisedAt: expect.any(String), hasFloor: true },
    ])
    await cast.owner.endCall(at)

    // Who got past the closed door starts no call: that is for the moderators for now.
    const tooSoon = { ...presence, connectionId: `too soon of ${participantId}`, joinedAt: Date.now() + 1000 }
    await byHand.tell('joined', at.roomId, tooSoon)
    expect(await refusal(cast.owner.getLiveCall(at))).toEqual([404, 'no_call'])
    await byHand.tell('joined', at.roomId, await byHand.join(at.roomId, { userId: cast.owner.id }))
    await byHand.tell('joined', at.roomId, { ...presence, connectionId: `another of ${participantId}` })
    expect((await cast.owner.getLiveCall(at)).participants.at(-1)).toMatchObject({
      participantId,
      handRaisedAt: null,
      hasFloor: false,
    })
  })

  test('that was ended for all stays ended, and has all who were in it, whenever the engine tells of them', async () => {
    const owner = await lectern.user()
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const at = { spaceId, roomId }
    await owner.createWebhook({ spaceId, url: 'http://127.0.0.1:9' })
    const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', username: 'Ann' }))
    const { guestId, guestToken } = await lectern.anonymous.redeemAccess({ accessToken })
    const [inTime, late, lateGuest, lateAndGone] = [
      await byHand.join(roomId, { userId: owner.id }),
      await byHand.join(roomId, { userId: owner.id }),
      await byHand.join(roomId, { guestId }),
      await byHand.join(roomId, { userId: owner.id }),
    ]
    await byHand.tell('joined', roomId, inTime)
    await owner.endCall(at)
    await byHand.tell('joined', roomId, late)
    await byHand.tell('joined', roomId, lateGuest)
    await byHand.tell('left', roomId, lateAndGone)

    expect(await refusal(owner.getLiveCall(at))).toEqual([404, 'no_call'])
    const guest = { userId: null, guestId, roomId }
    expect(await byHand.rights.standingIfAllowed(guest)).toBeNull()
    const [call, ...others] = (await owner.listCalls(at)).items
    expect(others).toEqual([])
    const { items } = await owner.getAttendance({ ...at, callId: call?.id ?? '' })
    expect(items.map(({ name, role, stays }) => [name, role, stays.map(({ leftAt }) => leftAt)])).toEqual([
      [owner.username, 'moderator', [call?.endedAt, call?.endedAt, call?.endedAt]],
      ['Ann', 'user', [call?.endedAt]],
    ])
    const told = (await owner.listDeliveries({ spaceId })).items.map(({ eventName }) => eventName)
    expect(told.sort()).toEqual(['call_finished', 'call_started'])

    // Who comes after the end is in another.
    await byHand.tell('joined', roomId, await byHand.join(roomId, { userId: owner.id }))
    expect((await lectern.withToken(guestToken).getLiveCall(at)).id).not.toBe(call?.id)
    expect(await byHand.rights.standingIfAllowed(guest)).not.toBeNull()
  })

  test('is left by all who were in its channel when that is closed, and no other is', async () => {
    const [at, other] = [await openRoom(), await openRoom()]
    for (const { roomId } of [at, other])
      await byHand.tell('joined', roomId, await byHand.join(roomId, { userId: cast.owner.id }))
    const later = await byHand.join(at.roomId, { userId: cast.member.id })
    await byHand.tell('joined', at.roomId, { ...later, joinedAt: Date.now() + 60_000 })
    await byHand.tell('closed', at.roomId)
    const inside = async (room: typeof at) =>
      (await cast.owner.getLiveCall(room)).participants.map(({ participantId }) => participantId)
    expect(await inside(at)).toEqual([later.participantId])
    expect(await inside(other)).toHaveLength(1)
  })

  test('is not started by who never came as far as being in it', async () => {
    const at = await openRoom()
    const presence = await byHand.join(at.roomId, { userId: cast.owner.id })
    await byHand.tell('aborted', at.roomId, { ...presence, connectionId: `aborted of ${presence.participantId}` })
    expect((await cast.owner.listCalls(at)).items).toEqual([])
    await byHand.tell('joined', at.roomId, presence)
    expect((await cast.owner.getLiveCall(at)).participants).toHaveLength(1)
    await byHand.tell('aborted', at.roomId, presence)
    expect((await cast.owner.getLiveCall(at)).participants).toEqual([])
  })

  test('tells of each stay once, in whatever order the engine does', async () => {
    const owner = await lectern.user()
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    await owner.createWebhook({ spaceId, url: 'http://127.0.0.1:9' })
    const events = ['call_started', 'call_finished', 'participant_joined', 'participant_left'] as const
    await owner.setWebhookEvents({ spaceId, events: [...events] })
    const stay = await byHand.join(roomId, { userId: owner.id })
    const [late, last] = [
      { ...stay, connectionId: `late ${roomId}` },
      { ...stay, connectionId: `last ${roomId}` },
    ]
    await byHand.tell('joined', roomId, stay)
    await byHand.tell('left', roomId, stay)
    await byHand.tell('left', roomId, late)
    await byHand.tell('joined', roomId, late)
    await byHand.tell('joined', roomId, last)
    await owner.endCall({ spaceId, roomId })
    await byHand.tell('left', roomId, last)
    const { items } = await owner.listDeliveries({ spaceId })
    const counts = Map.groupBy(items, ({ eventName }) => eventName)
    expect(events.map(name => counts.get(name)?.length)).toEqual([1, 1, 3, 3])
    const [call] = (await owner.listCalls({ spaceId, roomId })).items
    const [participant, ...others] = (await owner.getAttendance({ spaceId, roomId, callId: call?.id ?? '' })).items
    expect(participant?.stays).toHaveLength(3)
    expect(others).toEqual([])
  })
})

describe('at the same moment', () => {
  const openCallOf = async (people: number) => {
    const owner = await lectern.user()
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    await owner.createWebhook({ spaceId, url: 'http://127.0.0.1:9' })
    const { participantId, joinedAt } = await byHand.join(roomId, { userId: owner.id })
    const presences = Array.from({ length: people }, (_, n) => ({
      participantId,
      joinedAt,
      connectionId: `presence ${n} in ${roomId}`,
      rights: null,
      name: '',
    }))
    const told = async () => {
      const { items } = await owner.listDeliveries({ spaceId, limit: 200 })
      return ['call_started', 'call_finished'].map(name => items.filter(({ eventName }) => eventName === name).length)
    }
    const stays = () =>
      byHand.db
        .selectFrom('stays')
        .innerJoin('calls', 'calls.id', 'stays.callId')
        .select(['stays.leftAt', 'calls.endedAt', 'calls.id'])
        .where('calls.roomId', '=', roomId)
        .execute()
    return { owner, at: { spaceId, roomId }, presences, told, stays }
  }

  test('all enter: it is one call; all leave: it is over', async () => {
    const { owner, at, presences, told } = await openCallOf(12)
    await Promise.all(presences.map(presence => byHand.tell('joined', at.roomId, presence)))
    expect((await owner.getLiveCall(at)).participants).toHaveLength(12)
    await Promise.all(presences.map(presence => byHand.tell('left', at.roomId, presence)))
    await byHand.sweep()
    expect(await refusal(owner.getLiveCall(at))).toEqual([404, 'no_call'])
    expect(await told()).toEqual([1, 1])
  })

  test('someone enters while the call ends: they are in it or in the next, and never in one that is over', async () => {
    const { owner, at, presences, told, stays } = await openCallOf(40)
    let previous = presences[0]
    if (previous) await byHand.tell('joined', at.roomId, previous)
    for (const [round, presence] of presences.slice(1).entries()) {
      if (previous) await byHand.tell('left', at.roomId, previous)
      // Now sooner, now later, so that they meet in every way.
      const ending = wait(round % 7).then(byHand.sweep)
      await Promise.all([byHand.tell('joined', at.roomId, presence), ending])
      const open = (await stays()).filter(({ leftAt }) => leftAt === null)
      expect(open.map(({ endedAt }) => endedAt)).toEqual([null])
      expect((await owner.getLiveCall(at)).participants).toHaveLength(1)
      previous = presence
    }
    const calls = new Set((await stays()).map(({ id }) => id)).size
    expect(await told()).toEqual([calls, calls - 1])
  })

  test('a moderator ends it while people come and go: nobody is left in it', async () => {
    const { owner, at, presences, told, stays } = await openCallOf(20)
    for (const presence of presences.slice(0, 10)) await byHand.tell('joined', at.roomId, presence)
    await Promise.all([
      ...presences.slice(0, 5).map(presence => byHand.tell('left', at.roomId, presence)),
      owner.endCall(at),
      ...presences.slice(10).map(presence => byHand.tell('joined', at.roomId, presence)),
    ])
    const over = (await stays()).filter(({ endedAt }) => endedAt !== null)
    expect(over.length).toBeGreaterThanOrEqual(10)
    expect(over.filter(({ leftAt }) => leftAt === null)).toEqual([])
    const calls = new Set((await stays()).map(({ id }) => id)).size
    expect(await told()).toEqual([calls, 1])
  })

  test('events of joining and leaving of one connection arrive together: they have left', async () => {
    const { at, presences, stays } = await openCallOf(20)
    await Promise.all(
      presences.flatMap(presence => [
        byHand.tell('joined', at.roomId, presence),
        byHand.tell('left', at.roomId, presence),
      ]),
    )
    const all = await stays()
    expect(all).toHaveLength(20)
    expect(all.filter(({ leftAt }) => leftAt === null)).toEqual([])
  })
})

test('a call that was going on when the service ended is finished, also when it starts again without an engine', async () => {
  const data = temporaryFolder()
  const before = await startLectern({ LECTERN_DATA: data, LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })
  const first = await before.user()
  const { id: spaceId } = await first.createSpaces({ name: 'Space' })
  const { id: roomId } = await first.createRooms({ spaceId, name: 'Room' })
  await first.createWebhook({ spaceId, url: 'http://127.0.0.1:9' })
  const byHand = await callsByHand(before)
  await byHand.tell('joined', roomId, await byHand.join(roomId, { userId: first.id }))
  await byHand.db.destroy()
  const { id: callId } = await first.getLiveCall({ spaceId, roomId })
  await before.stop()
  const { databaseUrl } = before.config
  const after = await startLectern({ LECTERN_DATA: data, DATABASE_URL: databaseUrl ?? '', LECTERN_CALL_GRACE: '0' })
  const owner = after.withToken(first.token)
  await vi.waitFor(
    async () => {
      const told = (await owner.listDeliveries({ spaceId })).items.map(({ eventName }) => eventName)
      expect(told).toEqual(['call_finished', 'call_started'])
    },
    { timeout: 5000 },
  )
  const { items } = await owner.getAttendance({ spaceId, roomId, callId })
  expect(items.map(({ stays }) => stays.map(({ leftAt }) => leftAt))).toEqual([[expect.any(String)]])
})

test('who joined long ago and never came is forgotten; who was in a call, or may be on their way in, is not', async () => {
  const [quiet, busy] = [await openRoom(), await openRoom()]
  const day = 25 * 60 * 60 * 1000
  const joined = async (roomId: string, tabKey: string, ageOfId: number, ageOfJoining: number) => {
    const participant = await byHand.join(roomId, { userId: cast.member.id })
    const id = newId(Date.now() - ageOfId)
    await byHand.db
      .updateTable('participants')
      .set({ id, tabKey, createdAt: Date.now() - ageOfJoining })
      .where('id', '=', participant.participantId)
      .execute()
    return { ...participant, participantId: id }
  }
  const idle: string[] = []
  for (let n = 0; n < 7; n++) idle.push((await joined(quiet.roomId, `idle-000${n}`, day, day)).participantId)
  const attended = await joined(quiet.roomId, 'attended', day, day)
  await byHand.tell('joined', quiet.roomId, attended)
  await byHand.tell('left', quiet.roomId, attended)
  await byHand.sweep()
  const again = await joined(quiet.roomId, 'joined-again', day, 0)
  const recent = await joined(quiet.roomId, 'recent-0', 0, 0)
  await byHand.tell('joined', busy.roomId, await byHand.join(busy.roomId, { userId: cast.owner.id }))
  const during = await joined(busy.roomId, 'during-0', day, day)

  for (let next: string | null = ''; next !== null; )
    next = await forgetIdleParticipants(byHand.db, next, Date.now(), 3)
  const left = await byHand.db.selectFrom('participants').select('id').execute()
  const ids = new Set(left.map(({ id }) => id))
  expect(idle.filter(id => ids.has(id))).toEqual([])
  for (const { participantId } of [attended, again, recent, during]) expect(ids).toContain(participantId)
})
