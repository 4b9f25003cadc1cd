import { beforeAll, describe, expect, test } from 'vitest'
import { admit, type Cast, createCast } from '../../support/cast.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast
let second: Person

beforeAll(async () => {
  lectern = await startLectern()
  ;[cast, second] = await Promise.all([createCast(lectern), lectern.user()])
})

/** A space of its own with the same people, for tests that remove them. */
const newSpace = async (isPublic = false) => {
  const { owner, moderator, member } = cast
  const { id: spaceId } = await owner.createSpaces({ name: 'Space', isPublic })
  await admit(owner, spaceId, moderator, 'role_space_moderator')
  await admit(owner, spaceId, second, 'role_space_moderator')
  await admit(owner, spaceId, member)
  return spaceId
}
const roleIn = async (spaceId: string, person: Person) =>
  (await cast.owner.listMembers({ spaceId })).items.find(({ userId }) => userId === person.id)?.role ?? null

describe('the list of members', () => {
  test('names everyone with their role', async () => {
    const { owner, moderator, member, spaceId } = cast
    const record = (person: Person, role: string) => ({
      userId: person.id,
      username: person.username,
      displayName: person.username,
      role,
      joinedAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    })
    for (const person of [owner, moderator]) {
      expect(await person.listMembers({ spaceId })).toEqual({
        items: [
          record(owner, 'role_space_owner'),
          record(moderator, 'role_space_moderator'),
          record(member, 'role_space_user'),
        ],
        nextCursor: null,
      })
    }
  })

  test('is not for plain users, nor for strangers', async () => {
    const { member, stranger, spaceId } = cast
    expect(await refusal(member.listMembers({ spaceId }))).toEqual([403, 'not_allowed'])
    expect(await refusal(stranger.listMembers({ spaceId }))).toEqual([404, 'not_found'])
    const open = await newSpace(true)
    expect(await refusal(stranger.listMembers({ spaceId: open }))).toEqual([403, 'not_allowed'])
  })

  test('is paged', async () => {
    const { owner, spaceId } = cast
    const first = await owner.listMembers({ spaceId, limit: 2 })
    expect(first.items).toHaveLength(2)
    const rest = await owner.listMembers({ spaceId, limit: 2, cursor: first.nextCursor ?? '' })
    expect(rest.items).toHaveLength(1)
    expect(rest.nextCursor).toBeNull()
  })
})

describe('removing a member', () => {
  test('the owner removes anyone but themselves', async () => {
    const { owner, moderator, member } = cast
    const spaceId = await newSpace()
    expect(await owner.removeMember({ spaceId, userId: moderator.id })).toEqual({})
    expect(await owner.removeMember({ spaceId, userId: member.id })).toEqual({})
    expect(await refusal(owner.removeMember({ spaceId, userId: owner.id }))).toEqual([403, 'not_allowed'])
    expect(await roleIn(spaceId, moderator)).toBeNull()
    expect(await roleIn(spaceId, owner)).toBe('role_space_owner')
    expect(await refusal(member.getSpace({ spaceId }))).toEqual([404, 'not_found'])
  })

  test('a space moderator removes plain users and themselves, nobody else', async () => {
    const { owner, moderator, member } = cast
    const spaceId = await newSpace()
    for (const userId of [owner.id, second.id])
      expect(await refusal(moderator.removeMember({ spaceId, userId }))).toEqual([403, 'not_allowed'])
    await moderator.removeMember({ spaceId, userId: member.id })
    await moderator.removeMember({ spaceId, userId: moderator.id })
    expect((await owner.listMembers({ spaceId })).items.map(({ userId }) => userId)).toEqual([owner.id, second.id])
  })

  test('a plain user leaves and removes nobody', async () => {
    const { owner, moderator, member } = cast
    const spaceId = await newSpace()
    await admit(owner, spaceId, cast.stranger)
    for (const userId of [owner.id, moderator.id, cast.stranger.id])
      expect(await refusal(member.removeMember({ spaceId, userId }))).toEqual([403, 'not_allowed'])
    expect(await member.removeMember({ spaceId, userId: member.id })).toEqual({})
    expect(await roleIn(spaceId, member)).toBeNull()
  })

  test('who is no member is not found, and removes nobody', async () => {
    const { owner, member, stranger } = cast
    const spaceId = await newSpace(true)
    for (const userId of [stranger.id, 'x', '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10'])
      expect(await refusal(owner.removeMember({ spaceId, userId }))).toEqual([404, 'not_found'])
    expect(await refusal(stranger.removeMember({ spaceId, userId: member.id }))).toEqual([403, 'not_allowed'])
    expect(await refusal(stranger.removeMember({ spaceId: cast.spaceId, userId: member.id }))).toEqual([
      404,
      'not_found',
    ])
  })

  test('who was removed can be invited again', async () => {
    const { owner, member } = cast
    const spaceId = await newSpace()
    await owner.removeMember({ spaceId, userId: member.id })
    await admit(owner, spaceId, member)
    expect(await roleIn(spaceId, member)).toBe('role_space_user')
  })
})

describe('with a removal end', () => {
  test('the room roles in the space, and in no other', async () => {
    const { owner, member } = cast
    const [spaceId, other] = [await newSpace(true), await newSpace(true)]
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const { id: otherRoom } = await owner.createRooms({ spaceId: other, name: 'Room' })
    const grant = { targetUserId: member.id, role: 'role_room_moderator' } as const
    await owner.grantRole({ spaceId, roomId, ...grant })
    await owner.grantRole({ spaceId: other, roomId: otherRoom, ...grant })
    await owner.removeMember({ spaceId, userId: member.id })
    expect((await owner.listRoles({ spaceId, roomId })).items).toEqual([])
    expect(await refusal(member.generateAccess({ spaceId, roomId, role: 'user' }))).toEqual([403, 'not_allowed'])
    await member.generateAccess({ spaceId: other, roomId: otherRoom, role: 'user' })
  })

  test('being a room creator: their rooms pass to the owner', async () => {
    const { owner, moderator } = cast
    const spaceId = await newSpace()
    const { id: roomId } = await moderator.createRooms({ spaceId, name: 'Room' })
    expect(await refusal(owner.generateAccess({ spaceId, roomId, role: 'user' }))).toEqual([403, 'not_allowed'])
    await owner.removeMember({ spaceId, userId: moderator.id })
    expect((await owner.getRoom({ spaceId, roomId })).creatorId).toBe(owner.id)
    await owner.generateAccess({ spaceId, roomId, role: 'user' })
    expect(await refusal(moderator.getRoom({ spaceId, roomId }))).toEqual([404, 'not_found'])
    // Back in the space, it is not theirs again.
    await admit(owner, spaceId, moderator)
    expect(await refusal(moderator.getRoom({ spaceId, roomId }))).toEqual([403, 'role_required'])
  })

  test('the invites they made and nobody used', async () => {
    const { owner, moderator, member, stranger } = cast
    const spaceId = await newSpace()
    await owner.removeMember({ spaceId, userId: member.id })
    const used = await moderator.createInvite({ spaceId, role: 'role_space_user' })
    await member.activateInvite({ spaceId, inviteId: used.id })
    const open = await moderator.createInvite({ spaceId, role: 'role_space_user' })
    const others = await second.createInvite({ spaceId, role: 'role_space_user' })
    await owner.removeMember({ spaceId, userId: moderator.id })
    expect(await refusal(stranger.activateInvite({ spaceId, inviteId: open.id }))).toEqual([410, 'invite_revoked'])
    // Who came by one stays, and the invites of others stand.
    expect(await roleIn(spaceId, member)).toBe('role_space_user')
    await stranger.activateInvite({ spaceId, inviteId: others.id })
    await owner.removeMember({ spaceId, userId: stranger.id })
  })

  test('the same when they leave by themselves', async () => {
    const { owner, moderator, stranger } = cast
    const spaceId = await newSpace()
    const { id: roomId } = await moderator.createRooms({ spaceId, name: 'Room' })
    const { id: inviteId } = await moderator.createInvite({ spaceId, role: 'role_space_user' })
    await moderator.removeMember({ spaceId, userId: moderator.id })
    expect((await owner.getRoom({ spaceId, roomId })).creatorId).toBe(owner.id)
    expect(await refusal(stranger.activateInvite({ spaceId, inviteId }))).toEqual([410, 'invite_revoked'])
  })
})
