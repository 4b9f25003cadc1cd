import { expect, test } from 'vitest'
import { createCast } from '../../support/cast.ts'
import { refusal, startLectern } from '../../support/lectern.ts'

const lectern = await startLectern()
const role = 'role_space_user'

test('many invites are made at once, each with whom it is for', async () => {
  const { owner, stranger, spaceId } = await createCast(lectern)
  const labels = Array.from({ length: 100 }, (_, index) => ` Pupil ${index} `)
  const { items } = await owner.createInvites({ spaceId, role, labels }, { idempotencyKey: 'class' })
  expect(items.map(({ label }) => label)).toEqual(labels.map(label => label.trim()))
  expect(new Set(items.map(({ id }) => id)).size).toBe(100)
  await stranger.activateInvite({ spaceId, inviteId: items[7]?.id ?? '' })
  const listed = (await owner.listInvites({ spaceId, limit: 200 })).items
  expect(listed.find(({ usedBy }) => usedBy === stranger.id)?.label).toBe('Pupil 7')
  // Asked again, for the answer was lost: the same, and no more.
  expect((await owner.createInvites({ spaceId, role, labels }, { idempotencyKey: 'class' })).items).toEqual(items)
  expect((await owner.listInvites({ spaceId, limit: 200 })).items).toHaveLength(listed.length)
  const { items: acts } = await owner.listSpaceAudit({ spaceId, action: 'invite.created', limit: 200 })
  expect(acts.length).toBeGreaterThanOrEqual(100)
})

test('all or none, and none too many', async () => {
  const { owner, moderator, member, spaceId } = await createCast(lectern)
  const count = async () => (await owner.listInvites({ spaceId, limit: 200 })).items.length
  const before = await count()
  const many = (labels: string[], person = owner) => refusal(person.createInvites({ spaceId, role, labels }))
  expect(await many([])).toEqual([400, 'invalid_request'])
  expect(await many(['Ada', ' '])).toEqual([400, 'invalid_request'])
  expect(await many(Array.from({ length: 101 }, () => 'Ada'))).toEqual([400, 'invalid_request'])
  expect(await many(['Ada'], member)).toEqual([403, 'not_allowed'])
  const moderators = moderator.createInvites({ spaceId, role: 'role_space_moderator', labels: ['Ada'] })
  expect(await refusal(moderators)).toEqual([403, 'not_allowed'])
  expect(await count()).toBe(before)
  await moderator.createInvites({ spaceId, role, labels: ['Ada'] })
  const { id } = await owner.createInvite({ spaceId, role, label: 'Grace' })
  const { items } = await owner.listInvites({ spaceId })
  expect(items.slice(0, 2).map(({ label }) => label)).toEqual(['Grace', 'Ada'])
  expect(items[0]?.id).toBe(id)
})
