import { expect, test } from 'vitest'
import { callsByHand } from '../../support/calls.ts'
import { createCast } from '../../support/cast.ts'
import { refusal, startLectern } from '../../support/lectern.ts'

const lectern = await startLectern()

const roleOf = async ({ owner, spaceId }: Awaited<ReturnType<typeof createCast>>, userId: string) =>
  (await owner.listMembers({ spaceId })).items.find(member => member.userId === userId)?.role

test('the owner makes moderators and users of others, and nobody else does', async () => {
  const cast = await createCast(lectern)
  const { owner, moderator, member, stranger, spaceId } = cast
  const raise = { spaceId, userId: member.id, role: 'role_space_moderator' } as const
  for (const person of [moderator, member])
    expect(await refusal(person.setMemberRole(raise))).toEqual([403, 'not_allowed'])
  expect(await refusal(stranger.setMemberRole(raise))).toEqual([404, 'not_found'])
  expect(await owner.setMemberRole(raise)).toEqual({ userId: member.id, role: 'role_space_moderator' })
  await member.createRooms({ spaceId, name: 'Theirs' })
  await owner.setMemberRole({ ...raise, role: 'role_space_user' })
  expect(await refusal(member.createRooms({ spaceId, name: 'No more' }))).toEqual([403, 'not_allowed'])
  expect(await roleOf(cast, member.id)).toBe('role_space_user')

  // Written down once for each change, and not for what changes nothing.
  const memberships = async () => (await owner.listMembers({ spaceId })).items
  const before = await memberships()
  expect(before.filter(({ joinedAt, updatedAt }) => joinedAt !== updatedAt).map(({ userId }) => userId)).toEqual([
    member.id,
  ])
  await owner.setMemberRole({ ...raise, role: 'role_space_user' })
  expect(await memberships()).toEqual(before)
  const { items } = await owner.listSpaceAudit({ spaceId, action: 'member.role_changed' })
  expect(items.map(({ details, target }) => [details, target.id])).toEqual([
    [{ role: 'role_space_user' }, member.id],
    [{ role: 'role_space_moderator' }, member.id],
  ])
})

test('the owner stays the owner, and nobody becomes one', async () => {
  const cast = await createCast(lectern)
  const { owner, member, spaceId } = cast
  for (const role of ['role_space_user', 'role_space_moderator'] as const)
    expect(await refusal(owner.setMemberRole({ spaceId, userId: owner.id, role }))).toEqual([403, 'not_allowed'])
  const role = 'role_space_owner' as never
  expect(await refusal(owner.setMemberRole({ spaceId, userId: member.id, role }))).toEqual([400, 'invalid_request'])
  expect(await roleOf(cast, owner.id)).toBe('role_space_owner')
})

test('invites of a moderator wait while they are none', async () => {
  const { owner, moderator, member, stranger, spaceId } = await createCast(lectern)
  const { id: inviteId } = await moderator.createInvite({ spaceId, role: 'role_space_user' })
  const lower = { spaceId, userId: moderator.id, role: 'role_space_user' } as const
  await owner.setMemberRole(lower)
  expect(await refusal(stranger.activateInvite({ spaceId, inviteId }))).toEqual([410, 'invite_revoked'])
  await owner.setMemberRole({ ...lower, role: 'role_space_moderator' })
  await stranger.activateInvite({ spaceId, inviteId })
  expect(await refusal(member.listInvites({ spaceId }))).toEqual([403, 'not_allowed'])
})

test('who was lowered is in no room any more that asks for a role', async () => {
  const { owner, moderator, spaceId } = await createCast(lectern)
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Private' })
  expect((await moderator.getRoom({ spaceId, roomId })).id).toBe(roomId)
  const { rights, db } = await callsByHand(lectern)
  const mayStay = () => rights.standingIfAllowed({ roomId, userId: moderator.id, guestId: null })
  expect(await mayStay()).not.toBeNull()
  await owner.setMemberRole({ spaceId, userId: moderator.id, role: 'role_space_user' })
  expect(await refusal(moderator.getRoom({ spaceId, roomId }))).toEqual([403, 'role_required'])
  expect(await mayStay()).toBeNull()
  await db.destroy()
})

test('a role changes or ends, but is not given to who was just removed', async () => {
  for (let round = 0; round < 5; round++) {
    const cast = await createCast(lectern)
    const { owner, member, spaceId } = cast
    const [changed, removed] = await Promise.allSettled([
      owner.setMemberRole({ spaceId, userId: member.id, role: 'role_space_moderator' }),
      owner.removeMember({ spaceId, userId: member.id }),
    ])
    expect(removed.status).toBe('fulfilled')
    if (changed.status === 'rejected') expect(changed.reason).toMatchObject({ code: 'not_found' })
    expect(await roleOf(cast, member.id)).toBeUndefined()
    expect(await refusal(member.getSpace({ spaceId }))).toEqual([404, 'not_found'])
  }
})
