import { beforeAll, describe, expect, test } from 'vitest'
import type { InviteRole } from '../../../contract/invites.ts'
import { type Cast, createCast, newClientToken } from '../../support/cast.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

/* Members without an invite, where the operator allows it. */

const NOBODY = '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10'
const role = 'role_space_user'

test('off, as it is by default: the owner is told so, and nothing changes', async () => {
  const lectern = await startLectern()
  const { owner, stranger, moderator, spaceId } = await createCast(lectern)
  const { email } = await stranger.getMe()
  for (const whom of [{ userId: stranger.id }, { email }, { email: 'nobody@example.com' }, { userId: NOBODY }])
    expect(await refusal(owner.addMember({ spaceId, ...whom, role }))).toEqual([403, 'direct_members_off'])
  expect(await refusal(moderator.addMember({ spaceId, email, role }))).toEqual([403, 'not_allowed'])
  expect((await owner.listMembers({ spaceId })).items).toHaveLength(3)
})

describe('on', () => {
  let lectern: Lectern
  let cast: Cast
  beforeAll(async () => {
    lectern = await startLectern({ LECTERN_DIRECT_MEMBERS: 'on', LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })
    cast = await createCast(lectern)
  })

  /** A space of the owner's alone, with a webhook that no one listens behind. */
  const newSpace = async () => {
    const { owner } = cast
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    await owner.createWebhook({ spaceId, url: 'http://127.0.0.1:9' })
    await owner.setWebhookEvents({ spaceId, events: ['member_joined'] })
    return spaceId
  }
  const emailOf = async (person: Person) => (await person.getMe()).email
  const roleOf = async (spaceId: string, person: Person) =>
    (await cast.owner.listMembers({ spaceId })).items.find(({ userId }) => userId === person.id)?.role ?? null
  /** What is told of it: to the webhook and in the audit log, oldest first. */
  const told = async (spaceId: string) => {
    const { items: deliveries } = await cast.owner.listDeliveries({ spaceId })
    const bodies = await Promise.all(
      deliveries.map(async ({ id: deliveryId }) =>
        JSON.parse((await cast.owner.getDelivery({ spaceId, deliveryId })).body),
      ),
    )
    const { items: entries } = await cast.owner.listSpaceAudit({ spaceId, action: 'member.added' })
    return {
      events: bodies.reverse(),
      entries: entries.map(({ target, details }) => [target.id, details.role]).reverse(),
    }
  }

  test('the owner adds users by id and by address, with the roles that invites grant', async () => {
    const { owner, stranger, member } = cast
    const spaceId = await newSpace()
    const email = (await emailOf(member)).toUpperCase()
    expect(await owner.addMember({ spaceId, userId: stranger.id, role: 'role_space_moderator' })).toEqual({})
    expect(await owner.addMember({ spaceId, email, role })).toEqual({})
    expect(await roleOf(spaceId, stranger)).toBe('role_space_moderator')
    expect(await roleOf(spaceId, member)).toBe('role_space_user')
    expect((await member.getSpace({ spaceId })).id).toBe(spaceId)
    const { events, entries } = await told(spaceId)
    expect(entries).toEqual([
      [stranger.id, 'role_space_moderator'],
      [member.id, 'role_space_user'],
    ])
    expect(events).toMatchObject([
      { eventName: 'member_joined', spaceId, roomId: '', userId: stranger.id, role: 'role_space_moderator' },
      { eventName: 'member_joined', spaceId, roomId: '', userId: member.id, role: 'role_space_user' },
    ])
  })

  test('an address that nobody has is answered as one that somebody has', async () => {
    const { owner, stranger } = cast
    const spaceId = await newSpace()
    const add = async (email: string) => {
      const { status, body, headers } = await lectern.request('POST', `/v1/spaces/${spaceId}/members`, {
        token: owner.token,
        body: { email, role },
      })
      return { status, body, names: [...headers.keys()] }
    }
    const unknown = await add('nobody@example.com')
    expect(unknown).toMatchObject({ status: 200, body: {} })
    expect(await told(spaceId)).toEqual({ events: [], entries: [] })
    const known = await add(await emailOf(stranger))
    expect(known).toEqual(unknown)
    expect(await add(await emailOf(stranger))).toEqual(unknown)
    expect(await roleOf(spaceId, stranger)).toBe(role)
  })

  test('an id that nobody has is not found', async () => {
    expect(await refusal(cast.owner.addMember({ spaceId: cast.spaceId, userId: NOBODY, role }))).toEqual([
      404,
      'not_found',
    ])
  })

  test('who is a member already stays what they are, and it is no news', async () => {
    const { owner, moderator, member } = cast
    const spaceId = await newSpace()
    await owner.addMember({ spaceId, userId: moderator.id, role: 'role_space_moderator' })
    await owner.addMember({ spaceId, userId: member.id, role: 'role_space_user' })
    const before = await told(spaceId)
    const { items } = await owner.listMembers({ spaceId })
    for (const person of [owner, moderator, member])
      for (const other of ['role_space_user', 'role_space_moderator'] satisfies InviteRole[])
        for (const whom of [{ userId: person.id }, { email: await emailOf(person) }])
          expect(await owner.addMember({ spaceId, ...whom, role: other })).toEqual({})
    expect((await owner.listMembers({ spaceId })).items).toEqual(items)
    expect(await told(spaceId)).toEqual(before)
  })

  test('nobody but the owner does, and no token without the scope', async () => {
    const { owner, moderator, member, stranger, spaceId } = cast
    const { id: publicSpace } = await owner.createSpaces({ name: 'Public', isPublic: true })
    const add = (person: Pick<Person, 'addMember'>, at = spaceId) =>
      refusal(person.addMember({ spaceId: at, userId: stranger.id, role }))
    for (const person of [moderator, member]) expect(await add(person)).toEqual([403, 'not_allowed'])
    expect(await add(stranger)).toEqual([404, 'not_found'])
    expect(await add(stranger, publicSpace)).toEqual([403, 'not_allowed'])
    expect(await add(lectern.operator, publicSpace)).toEqual([403, 'not_allowed'])
    expect(await add(lectern.withToken((await newClientToken(lectern, owner)).token))).toEqual([
      403,
      'user_token_required',
    ])
    const tokenWith = async (...scopes: ('members:read' | 'members:write' | 'invites:write')[]) =>
      lectern.withToken((await owner.createPersonalToken({ name: 'Token', scopes })).token)
    expect(await add(await tokenWith('members:read', 'invites:write'))).toEqual([403, 'scope_required'])
    expect(await roleOf(spaceId, stranger)).toBeNull()
    const other = await newSpace()
    await (await tokenWith('members:write')).addMember({ spaceId: other, userId: stranger.id, role })
    expect(await roleOf(other, stranger)).toBe(role)
  })

  test('takes an id or an address: not both, not neither, and no role but those of invites', async () => {
    const { owner, stranger, spaceId } = cast
    const email = await emailOf(stranger)
    for (const [body, path, code] of [
      [{ role }, '', 'too_few_items'],
      [{ userId: stranger.id, email, role }, '', 'too_many_items'],
      [{ userId: stranger.id }, '/role', 'required'],
      [{ userId: stranger.id, role: 'role_space_owner' }, '/role', 'not_one_of'],
      [{ email: 'stranger', role }, '/email', 'email'],
      [{ userId: 'stranger', role }, '/userId', 'pattern'],
    ] as const) {
      const answer = await lectern.request('POST', `/v1/spaces/${spaceId}/members`, { token: owner.token, body })
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
      expect(answer.body.errors).toContainEqual(expect.objectContaining({ path, code }))
    }
    expect(await roleOf(spaceId, stranger)).toBeNull()
  })

  test('of adds at the same moment one counts', async () => {
    const { owner, stranger } = cast
    const email = await emailOf(stranger)
    for (let round = 0; round < 3; round++) {
      const spaceId = await newSpace()
      const adds = Array.from({ length: 10 }, (_, index) =>
        owner.addMember({
          spaceId,
          ...(index % 2 ? { email } : { userId: stranger.id }),
          role: index % 3 ? 'role_space_user' : 'role_space_moderator',
        }),
      )
      expect(await Promise.all(adds)).toEqual(adds.map(() => ({})))
      const { events, entries } = await told(spaceId)
      expect(entries).toEqual([[stranger.id, await roleOf(spaceId, stranger)]])
      expect(events).toHaveLength(1)
    }
  })

  test('an account that is deleted at the same moment is no member in the end', async () => {
    const { owner } = cast
    const people = await Promise.all(Array.from({ length: 5 }, () => lectern.user()))
    const spaceId = await newSpace()
    await Promise.all(
      people.flatMap(({ id: userId }) => [
        owner.addMember({ spaceId, userId, role }).catch(error => expect(error.status).toBe(404)),
        lectern.operator.deleteUser({ userId }),
      ]),
    )
    expect((await owner.listMembers({ spaceId })).items.map(({ userId }) => userId)).toEqual([owner.id])
  })
})

test('addresses are limited to 120 a minute for a person, ids are not', async () => {
  const lectern = await startLectern({ LECTERN_DIRECT_MEMBERS: 'on', LECTERN_RATE_LIMITS: 'on' })
  const owner = await lectern.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const add = (index: number) => owner.addMember({ spaceId, email: `nobody${index}@example.com`, role })
  await Promise.all(Array.from({ length: 120 }, (_, index) => add(index)))
  expect(await refusal(add(120))).toEqual([429, 'rate_limited'])
  await owner.addMember({ spaceId, userId: lectern.operator.id, role })
})
