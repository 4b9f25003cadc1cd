import { beforeAll, describe, expect, test } from 'vitest'
import type { NewUser } from '../../../contract/users.ts'
import { admit, type Cast, createCast, newToken, refusals } from '../../support/cast.ts'
import { type Lectern, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast

beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
})

const newSpace = async () => (await cast.owner.createSpaces({ name: 'Space' })).id
const invite = async (spaceId: string, role: 'role_space_user' | 'role_space_moderator' = 'role_space_user') =>
  (await cast.owner.createInvite({ spaceId, role })).id

describe('createInvite', () => {
  test('answers exactly the id, which nobody can guess', async () => {
    const { status, body } = await lectern.request('POST', `/v1/spaces/${cast.spaceId}/invites`, {
      token: cast.owner.token,
      body: { role: 'role_space_user' },
    })
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['id'])
    // 256 bits in base64url.
    expect(body.id).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  test('the owner invites for both roles, a space moderator for users only', async () => {
    const { owner, moderator, spaceId } = cast
    await owner.createInvite({ spaceId, role: 'role_space_moderator' })
    await owner.createInvite({ spaceId, role: 'role_space_user' })
    await moderator.createInvite({ spaceId, role: 'role_space_user' })
    expect(await refusal(moderator.createInvite({ spaceId, role: 'role_space_moderator' }))).toEqual([
      403,
      'not_allowed',
    ])
  })

  test('nobody else may', async () => {
    const { member, stranger, spaceId } = cast
    expect(await refusal(member.createInvite({ spaceId, role: 'role_space_user' }))).toEqual([403, 'not_allowed'])
    expect(await refusal(stranger.createInvite({ spaceId, role: 'role_space_user' }))).toEqual([404, 'not_found'])
    expect(await refusal(lectern.operator.createInvite({ spaceId, role: 'role_space_user' }))).toEqual([
      404,
      'not_found',
    ])
  })

  test.each([{}, { role: 'role_space_owner' }, { role: 'moderator' }, { role: 'role_room_user' }, { role: null }])(
    'refuses %j',
    async body => {
      const answer = await lectern.request('POST', `/v1/spaces/${cast.spaceId}/invites`, {
        token: cast.owner.token,
        body,
      })
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    },
  )
})

describe('inspecting', () => {
  const inspect = (spaceId: string, inviteId: string) => lectern.anonymous.inspectInvite({ spaceId, inviteId })

  test('tells whoever holds an invite where it leads, and does not use it', async () => {
    const spaceId = (await cast.owner.createSpaces({ name: 'School', logo: 'https://example.com/logo.png' })).id
    const inviteId = await invite(spaceId, 'role_space_moderator')
    for (let i = 0; i < 2; i++)
      expect(await inspect(spaceId, inviteId)).toEqual({
        spaceId,
        spaceName: 'School',
        logo: 'https://example.com/logo.png',
        role: 'role_space_moderator',
      })
    await cast.stranger.activateInvite({ spaceId, inviteId })
  })

  test('says that one is used or revoked, and nothing else', async () => {
    const spaceId = await newSpace()
    const [used, revoked] = [await invite(spaceId), await invite(spaceId)]
    await cast.stranger.activateInvite({ spaceId, inviteId: used })
    await cast.owner.revokeInvite({ spaceId, inviteId: revoked })
    expect(await refusal(inspect(spaceId, used))).toEqual([410, 'invite_used'])
    expect(await refusal(inspect(spaceId, revoked))).toEqual([410, 'invite_revoked'])
    const { body } = await lectern.request('GET', `/v1/spaces/${spaceId}/invites/${used}`)
    expect(JSON.stringify(body)).not.toContain('Space')
  })

  test('one whose creator may no longer invite is revoked', async () => {
    const spaceId = await newSpace()
    await admit(cast.owner, spaceId, cast.moderator, 'role_space_moderator')
    const { id: inviteId } = await cast.moderator.createInvite({ spaceId, role: 'role_space_user' })
    await inspect(spaceId, inviteId)
    await cast.owner.removeMember({ spaceId, userId: cast.moderator.id })
    expect(await refusal(inspect(spaceId, inviteId))).toEqual([410, 'invite_revoked'])
  })

  test('says nothing to those who do not hold it', async () => {
    const spaceId = await newSpace()
    const inviteId = await invite(spaceId)
    const { items } = await cast.owner.listInvites({ spaceId })
    expect(items).toHaveLength(1)
    const attempts = [inspect(cast.spaceId, inviteId), inspect('x', inviteId), inspect(spaceId, 'A'.repeat(43))]
    for (const [which, ...answer] of await refusals(attempts))
      expect([which, ...answer]).toEqual([which, 404, 'not_found'])
  })
})

describe('the list of invites', () => {
  test('says who made it and who used it', async () => {
    const { owner, stranger } = cast
    const spaceId = await newSpace()
    const [open, used, revoked] = [await invite(spaceId), await invite(spaceId), await invite(spaceId)]
    await stranger.activateInvite({ spaceId, inviteId: used })
    await owner.revokeInvite({ spaceId, inviteId: revoked })
    const { items } = await owner.listInvites({ spaceId })
    const time = expect.stringMatching(/Z$/)
    const record = { role: 'role_space_user', label: null, createdBy: owner.id, createdAt: time, updatedAt: time }
    expect(items).toHaveLength(3)
    expect(items).toEqual(
      expect.arrayContaining([
        { ...record, id: open, usedAt: null, usedBy: null, usedByName: null, revokedAt: null },
        { ...record, id: used, usedAt: time, usedBy: stranger.id, usedByName: stranger.username, revokedAt: null },
        { ...record, id: revoked, usedAt: null, usedBy: null, usedByName: null, revokedAt: time },
      ]),
    )
    for (const { createdAt, updatedAt, usedAt, revokedAt } of items)
      expect(updatedAt).toBe(usedAt ?? revokedAt ?? createdAt)
  })

  test('hides the invites for moderators from moderators', async () => {
    const { owner, moderator } = cast
    const spaceId = await newSpace()
    await admit(owner, spaceId, moderator, 'role_space_moderator')
    const [forUser, forModerator] = [await invite(spaceId), await invite(spaceId, 'role_space_moderator')]
    expect((await owner.listInvites({ spaceId })).items.map(({ id }) => id)).toEqual(
      expect.arrayContaining([forUser, forModerator]),
    )
    expect((await moderator.listInvites({ spaceId })).items.map(({ id }) => id)).toEqual([forUser])
  })

  test('is for owner and moderators only', async () => {
    const { member, stranger, spaceId } = cast
    expect(await refusal(member.listInvites({ spaceId }))).toEqual([403, 'not_allowed'])
    expect(await refusal(stranger.listInvites({ spaceId }))).toEqual([404, 'not_found'])
  })

  test('is paged', async () => {
    const spaceId = await newSpace()
    const made = [await invite(spaceId), await invite(spaceId), await invite(spaceId)]
    const first = await cast.owner.listInvites({ spaceId, limit: 2 })
    const rest = await cast.owner.listInvites({ spaceId, limit: 2, cursor: first.nextCursor ?? '' })
    expect([...first.items, ...rest.items].map(({ id }) => id).sort()).toEqual([...made].sort())
    expect(rest.nextCursor).toBeNull()
  })
})

describe('activateInvite', () => {
  test('admits the caller, with the role of the invite', async () => {
    const spaceId = await newSpace()
    const { stranger, member } = cast
    expect(await refusal(stranger.getSpace({ spaceId }))).toEqual([404, 'not_found'])
    expect(await stranger.activateInvite({ spaceId, inviteId: await invite(spaceId) })).toEqual({
      spaceId,
      role: 'role_space_user',
    })
    expect((await stranger.getSpace({ spaceId })).role).toBe('role_space_user')
    expect(await member.activateInvite({ spaceId, inviteId: await invite(spaceId, 'role_space_moderator') })).toEqual({
      spaceId,
      role: 'role_space_moderator',
    })
    await member.createRooms({ spaceId, name: 'Room' })
  })

  test('is good once, for the same user too', async () => {
    const spaceId = await newSpace()
    const inviteId = await invite(spaceId)
    await cast.stranger.activateInvite({ spaceId, inviteId })
    for (const person of [cast.member, cast.stranger])
      expect(await refusal(person.activateInvite({ spaceId, inviteId }))).toEqual([410, 'invite_used'])
    expect(await refusal(cast.member.getSpace({ spaceId }))).toEqual([404, 'not_found'])
  })

  test('raises a standing and never lowers one; the invite is used all the same', async () => {
    const { owner, stranger } = cast
    const spaceId = await newSpace()
    const activate = async (person: typeof owner, role: 'role_space_user' | 'role_space_moderator') => {
      const inviteId = await invite(spaceId, role)
      const answer = await person.activateInvite({ spaceId, inviteId })
      expect(await refusal(person.activateInvite({ spaceId, inviteId }))).toEqual([410, 'invite_used'])
      expect((await person.getSpace({ spaceId })).role).toBe(answer.role)
      return answer.role
    }
    expect(await activate(stranger, 'role_space_user')).toBe('role_space_user')
    expect(await activate(stranger, 'role_space_moderator')).toBe('role_space_moderator')
    expect(await activate(stranger, 'role_space_user')).toBe('role_space_moderator')
    expect(await activate(owner, 'role_space_user')).toBe('role_space_owner')
    expect(await activate(owner, 'role_space_moderator')).toBe('role_space_owner')
  })

  test('needs the invite of this space', async () => {
    const [spaceId, other] = [await newSpace(), await newSpace()]
    const inviteId = await invite(spaceId)
    const { stranger } = cast
    const refused = await refusals([
      stranger.activateInvite({ spaceId: other, inviteId }),
      stranger.activateInvite({ spaceId: 'x', inviteId }),
      stranger.activateInvite({ spaceId, inviteId: 'x' }),
      stranger.activateInvite({ spaceId, inviteId: 'A'.repeat(43) }),
    ])
    for (const [which, ...answer] of refused) expect([which, ...answer]).toEqual([which, 404, 'not_found'])
    await stranger.activateInvite({ spaceId, inviteId })
  })

  test('of twins who race for it, one is admitted', async () => {
    const spaceId = await newSpace()
    const inviteId = await invite(spaceId)
    const results = await Promise.allSettled(
      [cast.stranger, cast.member, cast.moderator].map(person => person.activateInvite({ spaceId, inviteId })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await cast.owner.listMembers({ spaceId })).items).toHaveLength(2)
  })
})

describe('revoking', () => {
  test('makes the invite void, and may be repeated', async () => {
    const spaceId = await newSpace()
    const inviteId = await invite(spaceId)
    expect(await cast.owner.revokeInvite({ spaceId, inviteId })).toEqual({})
    expect(await cast.owner.revokeInvite({ spaceId, inviteId })).toEqual({})
    expect(await refusal(cast.stranger.activateInvite({ spaceId, inviteId }))).toEqual([410, 'invite_revoked'])
  })

  test('cannot undo what was used', async () => {
    const spaceId = await newSpace()
    const inviteId = await invite(spaceId)
    await cast.stranger.activateInvite({ spaceId, inviteId })
    expect(await refusal(cast.owner.revokeInvite({ spaceId, inviteId }))).toEqual([410, 'invite_used'])
    expect((await cast.stranger.getSpace({ spaceId })).role).toBe('role_space_user')
  })

  test('a moderator revokes invites for users and does not find those for moderators', async () => {
    const { moderator, member, spaceId } = cast
    const [forUser, forModerator] = [await invite(spaceId), await invite(spaceId, 'role_space_moderator')]
    expect(await moderator.revokeInvite({ spaceId, inviteId: forUser })).toEqual({})
    expect(await refusal(moderator.revokeInvite({ spaceId, inviteId: forModerator }))).toEqual([404, 'not_found'])
    expect(await refusal(member.revokeInvite({ spaceId, inviteId: forModerator }))).toEqual([403, 'not_allowed'])
    // It still stands.
    const open = (await cast.owner.listInvites({ spaceId })).items.find(({ id }) => id === forModerator)
    expect(open?.revokedAt).toBeNull()
  })
})

describe('registering with an invite', () => {
  let count = 0
  const newUser = (): NewUser => {
    count++
    return { email: `invited${count}@example.com`, username: `invited ${count}`, password: 'a good password' }
  }
  const signIn = (user: NewUser) => newToken(lectern, { ...cast.owner, ...user })

  test('makes the account and a member of it, without a token', async () => {
    const spaceId = await newSpace()
    const inviteId = await invite(spaceId, 'role_space_moderator')
    const user = newUser()
    const answer = await lectern.anonymous.registerWithInvite({ spaceId, inviteId, ...user })
    expect(answer).toEqual({ id: expect.any(String), spaceId, role: 'role_space_moderator' })
    const signedIn = lectern.withToken(await signIn(user))
    expect((await signedIn.getMe()).id).toBe(answer.id)
    expect((await signedIn.getSpace({ spaceId })).role).toBe('role_space_moderator')
    expect(await refusal(cast.stranger.activateInvite({ spaceId, inviteId }))).toEqual([410, 'invite_used'])
  })

  test('makes no account with an invite that is used, revoked or not there', async () => {
    const spaceId = await newSpace()
    const [used, revoked] = [await invite(spaceId), await invite(spaceId)]
    await cast.stranger.activateInvite({ spaceId, inviteId: used })
    await cast.owner.revokeInvite({ spaceId, inviteId: revoked })
    for (const [inviteId, expected] of [
      [used, [410, 'invite_used']],
      [revoked, [410, 'invite_revoked']],
      ['x', [404, 'not_found']],
    ] as const) {
      const user = newUser()
      expect(await refusal(lectern.anonymous.registerWithInvite({ spaceId, inviteId, ...user }))).toEqual(expected)
      expect(await refusal(signIn(user))).toEqual([400, 'invalid_grant'])
      // Address and name are still free.
      await cast.owner.createUser(user)
    }
  })

  test('does not use the invite when no account comes of it', async () => {
    const spaceId = await newSpace()
    const inviteId = await invite(spaceId)
    const taken = { ...newUser(), username: cast.owner.username.toUpperCase() }
    expect(await refusal(lectern.anonymous.registerWithInvite({ spaceId, inviteId, ...taken }))).toEqual([
      409,
      'username_taken',
    ])
    const short = { ...newUser(), password: 'short' }
    expect(await refusal(lectern.anonymous.registerWithInvite({ spaceId, inviteId, ...short }))).toEqual([
      400,
      'invalid_request',
    ])
    await lectern.anonymous.registerWithInvite({ spaceId, inviteId, ...newUser() })
  })

  test('of twins who race for it, one registers', async () => {
    const spaceId = await newSpace()
    const inviteId = await invite(spaceId)
    const people = [newUser(), newUser()]
    const results = await Promise.allSettled(
      people.map(user => lectern.anonymous.registerWithInvite({ spaceId, inviteId, ...user })),
    )
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const signedIn = await Promise.allSettled(people.map(signIn))
    expect(signedIn.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})
