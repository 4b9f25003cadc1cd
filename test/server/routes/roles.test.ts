import { beforeAll, describe, expect, test } from 'vitest'
import { type Cast, createCast, refusals } from '../../support/cast.ts'
import { type Lectern, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast

beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
})

/** By the space moderator, so that the owner is not its creator. */
const newRoom = async () => (await cast.moderator.createRooms({ spaceId: cast.spaceId, name: 'Room' })).id

describe('grantRole', () => {
  test('answers exactly targetUserId and role', async () => {
    const { owner, member, spaceId } = cast
    const roomId = await newRoom()
    const body = { targetUserId: member.id, role: 'role_room_user' }
    const path = `/v1/spaces/${spaceId}/rooms/${roomId}/roles`
    const answer = await lectern.request('POST', path, { token: owner.token, body })
    expect([answer.status, answer.body]).toEqual([200, body])
    expect((await member.getRoom({ spaceId, roomId })).id).toBe(roomId)
  })

  test('takes the place of an earlier role', async () => {
    const { owner, member, spaceId } = cast
    const roomId = await newRoom()
    const grant = (role: 'role_room_user' | 'role_room_moderator') =>
      owner.grantRole({ spaceId, roomId, targetUserId: member.id, role })
    await grant('role_room_user')
    expect(await refusal(member.generateAccess({ spaceId, roomId, role: 'user' }))).toEqual([403, 'not_allowed'])
    await grant('role_room_moderator')
    await member.generateAccess({ spaceId, roomId, role: 'user' })
    await grant('role_room_user')
    expect(await refusal(member.generateAccess({ spaceId, roomId, role: 'user' }))).toEqual([403, 'not_allowed'])
    expect((await owner.listRoles({ spaceId, roomId })).items).toHaveLength(1)
  })

  test('is for room creator, room moderator, owner and space moderator', async () => {
    const { owner, moderator, member, stranger, spaceId } = cast
    const roomId = (await owner.createRooms({ spaceId, name: 'Room' })).id
    const grant = (by: typeof owner, targetUserId: string, role: 'role_room_user' | 'role_room_moderator') =>
      by.grantRole({ spaceId, roomId, targetUserId, role })
    expect(await refusal(grant(stranger, stranger.id, 'role_room_user'))).toEqual([404, 'not_found'])
    expect(await refusal(grant(member, member.id, 'role_room_user'))).toEqual([403, 'not_allowed'])
    // The space moderator is not the creator here; in newRoom() the owner is not.
    await grant(moderator, member.id, 'role_room_user')
    expect(await refusal(grant(member, stranger.id, 'role_room_user'))).toEqual([403, 'not_allowed'])
    await grant(owner, member.id, 'role_room_moderator')
    await grant(member, stranger.id, 'role_room_moderator')
    // Not a member, but a room moderator at once.
    await grant(stranger, member.id, 'role_room_user')
    expect((await stranger.listRoles({ spaceId, roomId })).items).toHaveLength(2)
    await owner.grantRole({ spaceId, roomId: await newRoom(), targetUserId: member.id, role: 'role_room_user' })
  })

  test('the target need not be a member, but must be there', async () => {
    const { owner, stranger, spaceId } = cast
    const roomId = await newRoom()
    await owner.grantRole({ spaceId, roomId, targetUserId: stranger.id, role: 'role_room_user' })
    const nobody = '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10'
    expect(await refusal(owner.grantRole({ spaceId, roomId, targetUserId: nobody, role: 'role_room_user' }))).toEqual([
      404,
      'not_found',
    ])
  })

  test('nobody lowers or removes the room creator', async () => {
    const { owner, moderator, spaceId } = cast
    const roomId = await newRoom()
    for (const person of [owner, moderator]) {
      expect(
        await refusal(person.grantRole({ spaceId, roomId, targetUserId: moderator.id, role: 'role_room_user' })),
      ).toEqual([403, 'not_allowed'])
      expect(await refusal(person.revokeRole({ spaceId, roomId, userId: moderator.id }))).toEqual([403, 'not_allowed'])
    }
    await moderator.generateAccess({ spaceId, roomId, role: 'user' })
  })

  test.each([
    {},
    { role: 'role_room_user' },
    { targetUserId: 'x', role: 'role_room_user' },
    { targetUserId: 1, role: 'role_room_user' },
    { targetUserId: 'the member', role: 'role_space_moderator' },
    { targetUserId: 'the member', role: 'user' },
    { targetUserId: 'the member', role: 'role_room_user', roomId: 'x' },
  ])('refuses %j', async fields => {
    const { owner, member, spaceId } = cast
    const roomId = await newRoom()
    const body = { ...fields, ...(fields.targetUserId === 'the member' && { targetUserId: member.id }) }
    const path = `/v1/spaces/${spaceId}/rooms/${roomId}/roles`
    const answer = await lectern.request('POST', path, { token: owner.token, body })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    expect((await owner.listRoles({ spaceId, roomId })).items).toEqual([])
  })
})

describe('the list of roles', () => {
  test('names each with their role, page by page', async () => {
    const { owner, member, stranger, spaceId } = cast
    const roomId = await newRoom()
    await owner.grantRole({ spaceId, roomId, targetUserId: member.id, role: 'role_room_user' })
    await owner.grantRole({ spaceId, roomId, targetUserId: stranger.id, role: 'role_room_moderator' })
    const record = (person: typeof owner, role: string) => ({
      userId: person.id,
      username: person.username,
      displayName: person.username,
      role,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    })
    const first = await owner.listRoles({ spaceId, roomId, limit: 1 })
    const second = await owner.listRoles({ spaceId, roomId, limit: 1, cursor: first.nextCursor ?? '' })
    expect([...first.items, ...second.items]).toEqual([
      record(member, 'role_room_user'),
      record(stranger, 'role_room_moderator'),
    ])
    expect(second.nextCursor).toBeNull()
    expect(second.items[0]?.updatedAt).toBe(second.items[0]?.createdAt)
    lectern.advance(5000)
    await owner.grantRole({ spaceId, roomId, targetUserId: stranger.id, role: 'role_room_moderator' })
    const grant = () => owner.getRole({ spaceId, roomId, userId: stranger.id })
    expect((await grant()).updatedAt).toBe(second.items[0]?.updatedAt)
    await owner.grantRole({ spaceId, roomId, targetUserId: stranger.id, role: 'role_room_user' })
    const { createdAt, updatedAt } = await grant()
    expect(createdAt).toBe(second.items[0]?.createdAt)
    expect(Date.parse(updatedAt) - Date.parse(createdAt)).toBeGreaterThanOrEqual(5000)
  })

  test('is not for room users and members', async () => {
    const { owner, member, stranger, spaceId } = cast
    const roomId = await newRoom()
    expect(await refusal(member.listRoles({ spaceId, roomId }))).toEqual([403, 'not_allowed'])
    await owner.grantRole({ spaceId, roomId, targetUserId: member.id, role: 'role_room_user' })
    const refused = await refusals({
      'room user lists': member.listRoles({ spaceId, roomId }),
      'room user revokes': member.revokeRole({ spaceId, roomId, userId: member.id }),
    })
    for (const [who, ...answer] of refused) expect([who, ...answer]).toEqual([who, 403, 'not_allowed'])
    expect(await refusal(stranger.listRoles({ spaceId, roomId }))).toEqual([404, 'not_found'])
  })
})

describe('revoking a role', () => {
  test('ends its rights at once', async () => {
    const { owner, member, spaceId } = cast
    const roomId = await newRoom()
    await owner.grantRole({ spaceId, roomId, targetUserId: member.id, role: 'role_room_moderator' })
    await member.updateRoom({ spaceId, roomId, name: 'Mine' })
    expect(await owner.revokeRole({ spaceId, roomId, userId: member.id })).toEqual({})
    expect(await refusal(member.updateRoom({ spaceId, roomId, name: 'x' }))).toEqual([403, 'not_allowed'])
    expect(await refusal(member.getRoom({ spaceId, roomId }))).toEqual([403, 'role_required'])
    for (const userId of [member.id, 'x'])
      expect(await refusal(owner.revokeRole({ spaceId, roomId, userId }))).toEqual([404, 'not_found'])
  })
})
