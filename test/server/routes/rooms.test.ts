import { beforeAll, describe, expect, test } from 'vitest'
import { NewRoom } from '../../../contract/rooms.ts'
import { admit, type Cast, createCast, tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast
let owner: Person
let spaceId: string
let publicSpace: string

beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
  ;({ owner, spaceId } = cast)
  publicSpace = (await owner.createSpaces({ name: 'Public', isPublic: true, logo: 'https://example.com/l.png' })).id
})

describe('createRooms', () => {
  test('answers exactly alias, id and channelId', async () => {
    const { status, body } = await lectern.request('POST', `/v1/spaces/${spaceId}/rooms`, {
      token: owner.token,
      body: { name: 'Room' },
    })
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['alias', 'channelId', 'id'])
    expect(body.alias).toMatch(/^[a-hjkmnp-z]{3}-[a-hjkmnp-z]{4}-[a-hjkmnp-z]{3}$/)
    expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('fills in the defaults', async () => {
    const { id, alias, channelId } = await owner.createRooms({ spaceId, name: '  Room  ' })
    const room = await owner.getRoom({ spaceId, roomId: id })
    expect(room).toEqual({
      id,
      spaceId,
      alias,
      channelId,
      name: 'Room',
      type: 'lesson',
      isPublic: false,
      isChatAllowed: true,
      isScreensharingAllowed: true,
      isFloorAllowed: false,
      isMicrophonePublishingAllowed: true,
      isCameraPublishingAllowed: true,
      isScreenMediaPublishingAllowed: true,
      isHandRaisingAllowed: true,
      isSelfRenamingAllowed: true,
      isRecordAllowed: true,
      isAutoRecordingAllowed: false,
      waitingRoomAudience: 'nobody',
      isLocked: false,
      creatorId: owner.id,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      externalId: null,
      metadata: {},
      role: 'role_room_moderator',
    })
    for (const [name, described] of Object.entries(NewRoom.properties))
      if ('default' in described) expect([name, room[name as keyof typeof room]]).toEqual([name, described.default])
  })

  test('keeps what it is given', async () => {
    const given = {
      name: 'Webinar',
      type: 'webinar',
      isPublic: true,
      isChatAllowed: false,
      isScreensharingAllowed: false,
      isFloorAllowed: true,
    } as const
    const { id } = await cast.moderator.createRooms({ spaceId, ...given })
    expect(await owner.getRoom({ spaceId, roomId: id })).toMatchObject({ ...given, creatorId: cast.moderator.id })
  })

  test('refuses who does not manage the space', async () => {
    const name = 'Room'
    expect(await refusal(cast.member.createRooms({ spaceId, name }))).toEqual([403, 'not_allowed'])
    expect(await refusal(cast.stranger.createRooms({ spaceId, name }))).toEqual([404, 'not_found'])
    expect(await refusal(cast.stranger.createRooms({ spaceId: publicSpace, name }))).toEqual([403, 'not_allowed'])
  })

  test.each([
    {},
    { name: '' },
    { name: ' \t ' },
    { name: 'x'.repeat(201) },
    { name: 'x', type: 'meeting' },
    { name: 'x', isPublic: 1 },
    { name: 'x', isChatAllowed: 'false' },
    { name: 'x', alias: 'abc-defg-hjk' },
    [],
    null,
    'name',
  ])('refuses %j and stores nothing', async body => {
    const before = (await owner.listRooms({ spaceId, limit: 200 })).items.length
    const answer = await lectern.request('POST', `/v1/spaces/${spaceId}/rooms`, { token: owner.token, body })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    expect((await owner.listRooms({ spaceId, limit: 200 })).items).toHaveLength(before)
  })
})

describe('a room', () => {
  test('is reached by id and by alias, everywhere', async () => {
    const { id, alias } = await owner.createRooms({ spaceId, name: 'Room' })
    const roomId = alias
    expect((await owner.getRoom({ spaceId, roomId })).id).toBe(id)
    expect((await owner.updateRoom({ spaceId, roomId, name: 'New' })).id).toBe(id)
    await owner.grantRole({ spaceId, roomId, targetUserId: cast.member.id, role: 'role_room_user' })
    expect((await owner.listRoles({ spaceId, roomId: id })).items).toHaveLength(1)
    expect((await owner.listRoles({ spaceId, roomId })).items).toHaveLength(1)
    await owner.generateAccess({ spaceId, roomId, role: 'user' })
    expect((await owner.listLinks({ spaceId, roomId: id })).items).toHaveLength(1)
    expect(await refusal(owner.joinRoom({ spaceId, roomId }))).toEqual([503, 'media_off'])
    await owner.revokeRole({ spaceId, roomId, userId: cast.member.id })
    await owner.deleteRoom({ spaceId, roomId })
    expect(await refusal(owner.getRoom({ spaceId, roomId: id }))).toEqual([404, 'not_found'])
  })

  test('is read by whoever may join it', async () => {
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    expect(await refusal(cast.member.getRoom({ spaceId, roomId }))).toEqual([403, 'role_required'])
    expect(await refusal(cast.stranger.getRoom({ spaceId, roomId }))).toEqual([404, 'not_found'])
    await owner.grantRole({ spaceId, roomId, targetUserId: cast.member.id, role: 'role_room_user' })
    await owner.grantRole({ spaceId, roomId, targetUserId: cast.stranger.id, role: 'role_room_user' })
    // Each with the role they hold themselves.
    expect(await cast.member.getRoom({ spaceId, roomId })).toMatchObject({ id: roomId, role: 'role_room_user' })
    expect(await cast.moderator.getRoom({ spaceId, roomId })).toMatchObject({ id: roomId, role: null })
    expect(await refusal(cast.stranger.getRoom({ spaceId, roomId }))).toEqual([403, 'invite_required'])
  })
})

describe('the list of rooms', () => {
  test('has all for owner and moderators, and for others those they may join', async () => {
    const { moderator, member, stranger } = cast
    for (const isPublic of [false, true]) {
      const { id } = await owner.createSpaces({ name: 'Space', isPublic })
      await admit(owner, id, moderator, 'role_space_moderator')
      await admit(owner, id, member)
      const room = async (name: string, open: boolean) =>
        (await owner.createRooms({ spaceId: id, name, isPublic: open })).id
      const [open, closed, withRole] = [
        await room('open', true),
        await room('closed', false),
        await room('role', false),
      ]
      for (const { id: targetUserId } of [member, stranger])
        await owner.grantRole({ spaceId: id, roomId: withRole, targetUserId, role: 'role_room_user' })
      const seen = async (person: Person) => (await person.listRooms({ spaceId: id })).items.map(room => room.id).sort()
      expect(await seen(owner)).toEqual([open, closed, withRole].sort())
      expect(await seen(moderator)).toEqual([open, closed, withRole].sort())
      expect(await seen(member)).toEqual([open, withRole].sort())
      if (isPublic) expect(await seen(stranger)).toEqual([open, withRole].sort())
      else expect(await refusal(seen(stranger))).toEqual([404, 'not_found'])
      // What is listed can be read, and what is not cannot.
      for (const person of [moderator, member])
        for (const roomId of await seen(person)) await person.getRoom({ spaceId: id, roomId })
      expect(await refusal(member.getRoom({ spaceId: id, roomId: closed }))).toEqual([403, 'role_required'])
    }
  })

  test('is paged, for plain users too, each room once', async () => {
    const { member } = cast
    const { id } = await owner.createSpaces({ name: 'Space' })
    await admit(owner, id, member)
    const joinable: string[] = []
    for (let i = 0; i < 9; i++) {
      const { id: roomId } = await owner.createRooms({ spaceId: id, name: `Room ${i}`, isPublic: i % 3 === 0 })
      // Some rooms are public and have a role as well.
      if (i % 3 < 2) await owner.grantRole({ spaceId: id, roomId, targetUserId: member.id, role: 'role_room_user' })
      if (i % 3 < 2) joinable.push(roomId)
    }
    for (const limit of [1, 2, 6, 7]) {
      const found: string[] = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<typeof member.listRooms>> = await member.listRooms({
          spaceId: id,
          limit,
          ...(cursor && { cursor }),
        })
        expect(page.items.length).toBeLessThanOrEqual(limit)
        found.push(...page.items.map(room => room.id))
        cursor = page.nextCursor
      } while (cursor)
      expect([...found].sort()).toEqual([...joinable].sort())
    }
  })
})

describe('changing a room', () => {
  test('changes what is given and nothing else', async () => {
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Before' })
    const before = { ...(await owner.getRoom({ spaceId, roomId })), updatedAt: expect.any(String) }
    const change = { name: 'After', isChatAllowed: false }
    expect(await owner.updateRoom({ spaceId, roomId, ...change, name: ' After ' })).toEqual({ ...before, ...change })
    const more = { type: 'webinar', isPublic: true, isScreensharingAllowed: false, isFloorAllowed: true } as const
    expect(await owner.updateRoom({ spaceId, roomId, ...more })).toEqual({ ...before, ...change, ...more })
    expect(await owner.updateRoom({ spaceId, roomId })).toEqual(await owner.getRoom({ spaceId, roomId }))
    for (const body of [{ name: ' ' }, { alias: 'abc-defg-hjk' }, { creatorId: owner.id }, { type: null }]) {
      const path = `/v1/spaces/${spaceId}/rooms/${roomId}`
      expect((await lectern.request('PATCH', path, { token: owner.token, body })).status).toBe(400)
    }
  })

  test('is for creator, room moderator, owner and space moderator; deleting not for room moderators', async () => {
    const { moderator, member, stranger } = cast
    const make = async () => (await owner.createRooms({ spaceId, name: 'Room' })).id
    const roomId = await make()
    await owner.grantRole({ spaceId, roomId, targetUserId: member.id, role: 'role_room_user' })
    expect(await refusal(member.updateRoom({ spaceId, roomId, name: 'x' }))).toEqual([403, 'not_allowed'])
    await owner.grantRole({ spaceId, roomId, targetUserId: member.id, role: 'role_room_moderator' })
    expect((await member.updateRoom({ spaceId, roomId, name: 'By room moderator' })).name).toBe('By room moderator')
    // A room role gives its rights at once, to who is no member too.
    await owner.grantRole({ spaceId, roomId, targetUserId: stranger.id, role: 'role_room_moderator' })
    expect((await stranger.updateRoom({ spaceId, roomId, name: 'From outside' })).name).toBe('From outside')
    for (const person of [member, stranger])
      expect(await refusal(person.deleteRoom({ spaceId, roomId }))).toEqual([403, 'not_allowed'])
    expect(await moderator.deleteRoom({ spaceId, roomId })).toEqual({})
    const { id: another } = await moderator.createRooms({ spaceId, name: 'Room' })
    expect(await owner.deleteRoom({ spaceId, roomId: another })).toEqual({})
  })
})

describe('deleting a room', () => {
  test('takes roles, links and guest tokens along, and leaves the space', async () => {
    const { id: roomId, alias } = await owner.createRooms({ spaceId, name: 'Room' })
    await owner.grantRole({ spaceId, roomId, targetUserId: cast.stranger.id, role: 'role_room_moderator' })
    const accessToken = tokenOf(await owner.generateAccess({ spaceId, roomId, role: 'user', isPermanent: true }))
    const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken, participantName: 'Guest' })
    expect(await owner.deleteRoom({ spaceId, roomId })).toEqual({})
    expect(await refusal(owner.getRoom({ spaceId, roomId }))).toEqual([404, 'not_found'])
    expect(await refusal(owner.deleteRoom({ spaceId, roomId }))).toEqual([404, 'not_found'])
    expect(await refusal(cast.stranger.updateRoom({ spaceId, roomId, name: 'x' }))).toEqual([404, 'not_found'])
    expect(await refusal(lectern.anonymous.getRoomByAlias({ alias }))).toEqual([404, 'not_found'])
    expect(await refusal(lectern.anonymous.redeemAccess({ accessToken, participantName: 'x' }))).toEqual([
      404,
      'not_found',
    ])
    expect(await refusal(lectern.withToken(guestToken).getRoom({ spaceId, roomId }))).toEqual([401, 'token_invalid'])
    expect((await owner.getSpace({ spaceId })).id).toBe(spaceId)
  })
})

describe('room by alias', () => {
  const look = async (alias: string, token?: string) => {
    const { status, body } = await lectern.request('GET', `/v1/rooms/${alias}`, {
      ...(token && { token }),
    })
    expect(status).toBe(200)
    return body
  }

  test('is also found where it was before', async () => {
    const { alias, id } = await owner.createRooms({ spaceId, name: 'Room' })
    const earlier = await fetch(`${lectern.url}/v1/spaces/room-by-alias/${alias}`)
    expect(await earlier.json()).toMatchObject({ roomId: id, entry: 'private' })
  })

  test('says how to get in, and names nothing to those who may not', async () => {
    const make = async (space: string, isPublic: boolean) => ({
      space,
      ...(await owner.createRooms({ spaceId: space, name: 'Secret name', isPublic })),
    })
    const publicPublic = await make(publicSpace, true)
    const publicPrivate = await make(publicSpace, false)
    const privatePublic = await make(spaceId, true)
    const privatePrivate = await make(spaceId, false)
    const { member, stranger } = cast
    await owner.grantRole({
      spaceId: publicSpace,
      roomId: publicPrivate.id,
      targetUserId: member.id,
      role: 'role_room_user',
    })
    await owner.grantRole({ spaceId, roomId: privatePrivate.id, targetUserId: stranger.id, role: 'role_room_user' })
    for (const [room, person, entry] of [
      [publicPublic, null, 'sign_in'],
      [publicPublic, stranger, 'open'],
      [publicPrivate, null, 'private'],
      [publicPrivate, stranger, 'private'],
      [publicPrivate, member, 'open'],
      [privatePublic, null, 'private'],
      [privatePublic, stranger, 'private'],
      [privatePublic, member, 'open'],
      [privatePrivate, null, 'private'],
      [privatePrivate, member, 'private'],
      [privatePrivate, stranger, 'private'],
      [privatePrivate, owner, 'open'],
    ] as const) {
      const mayJoin = entry === 'open'
      expect(await look(room.alias, person?.token)).toEqual({
        spaceId: room.space,
        roomId: room.id,
        type: 'lesson',
        entry,
        role: mayJoin ? (person === owner ? 'moderator' : 'user') : null,
        spaceName: mayJoin ? (room.space === publicSpace ? 'Public' : 'Space') : null,
        roomName: mayJoin ? 'Secret name' : null,
        logo: mayJoin && room.space === publicSpace ? 'https://example.com/l.png' : null,
        recording: null,
        isStreamed: false,
        name: mayJoin ? person.username : null,
        isRenamingAllowed: false,
      })
    }
  })

  test('is open to a guest of the room, and of no other', async () => {
    const { id: roomId, alias } = await owner.createRooms({ spaceId, name: 'Room' })
    const { alias: other } = await owner.createRooms({ spaceId, name: 'Other' })
    const accessToken = tokenOf(await owner.generateAccess({ spaceId, roomId, role: 'user', username: 'Guest' }))
    const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken })
    expect(await look(alias, guestToken)).toMatchObject({ entry: 'open', role: 'user', roomName: 'Room' })
    expect(await look(other, guestToken)).toMatchObject({ entry: 'private', roomName: null })
    // They know the others by name alone.
    expect((await lectern.withToken(guestToken).getRoom({ spaceId, roomId })).creatorId).toBeNull()
  })

  test('finds no room by anything else', async () => {
    const { id } = await owner.createRooms({ spaceId, name: 'Room' })
    for (const alias of [id, 'abc-defg-hjk', 'x', '%00', 'ABC-DEFG-HJK'])
      expect((await lectern.request('GET', `/v1/rooms/${alias}`)).status).toBe(404)
  })
})
