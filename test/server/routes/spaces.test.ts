import { beforeAll, describe, expect, test } from 'vitest'
import { admit, type Cast, createCast, refusals, tokenOf } from '../../support/cast.ts'
import { type Lectern, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast

beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
})

const unknown = '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10'

describe('createSpaces', () => {
  test('answers exactly the id; the caller becomes the owner', async () => {
    const { status, body } = await lectern.request('POST', '/v1/spaces', {
      token: cast.owner.token,
      body: { name: ' Evening school ', description: 'Languages', logo: 'https://example.com/l.png', isPublic: true },
    })
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['id'])
    expect(await cast.owner.getSpace({ spaceId: body.id })).toEqual({
      id: body.id,
      name: 'Evening school',
      description: 'Languages',
      logo: 'https://example.com/l.png',
      isPublic: true,
      role: 'role_space_owner',
      plan: 'team',
      planActiveUntil: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      externalId: null,
      metadata: {},
    })
  })

  test('is private unless told otherwise', async () => {
    const { id: spaceId } = await cast.owner.createSpaces({ name: 'Space' })
    expect(await cast.owner.getSpace({ spaceId })).toMatchObject({ isPublic: false, description: null, logo: null })
    expect(await refusal(cast.stranger.getSpace({ spaceId }))).toEqual([404, 'not_found'])
  })

  test.each([
    ['no name', {}, '/name'],
    ['an empty name', { name: '' }, '/name'],
    ['a blank name', { name: '  ' }, '/name'],
    ['a name of 201', { name: 'x'.repeat(201) }, '/name'],
    ['a number for a name', { name: 1 }, '/name'],
    ['text for isPublic', { name: 'x', isPublic: 'true' }, '/isPublic'],
    ['a logo that is no address', { name: 'x', logo: 'logo.png' }, '/logo'],
    ['a logo with a script', { name: 'x', logo: 'javascript:alert(1)' }, '/logo'],
    ['a logo by ftp', { name: 'x', logo: 'ftp://example.com/l.png' }, '/logo'],
    ['an unknown field', { name: 'x', plan: 'business' }, '/plan'],
  ])('refuses %s and stores nothing', async (_, body, path) => {
    const before = (await cast.stranger.listSpaces()).items.length
    const answer = await lectern.request('POST', '/v1/spaces', { token: cast.stranger.token, body })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path)
    expect((await cast.stranger.listSpaces()).items).toHaveLength(before)
  })

  test('takes a name of 200', async () => {
    await cast.owner.createSpaces({ name: 'x'.repeat(200) })
  })
})

describe('reading', () => {
  test('a public space is seen by every user, and tells each their role', async () => {
    const { id: spaceId } = await cast.owner.createSpaces({ name: 'Public', isPublic: true })
    expect((await cast.stranger.getSpace({ spaceId })).role).toBeNull()
    await admit(cast.owner, spaceId, cast.member)
    expect((await cast.member.getSpace({ spaceId })).role).toBe('role_space_user')
  })

  test('the list has the spaces one owns or joined, and no others', async () => {
    const { id: open } = await cast.owner.createSpaces({ name: 'Public', isPublic: true })
    const mine = (await cast.moderator.listSpaces()).items
    expect(mine.find(({ id }) => id === cast.spaceId)?.role).toBe('role_space_moderator')
    expect(mine.map(({ id }) => id)).not.toContain(open)
    expect(await cast.owner.listSpaces().then(({ items }) => items.map(({ id }) => id))).toContain(open)
  })

  test('the operator is not above the rules', async () => {
    expect(await refusal(lectern.operator.getSpace({ spaceId: cast.spaceId }))).toEqual([404, 'not_found'])
    expect(await refusal(lectern.operator.deleteSpace({ spaceId: cast.spaceId }))).toEqual([404, 'not_found'])
  })
})

describe('changing', () => {
  test('changes what is given and nothing else', async () => {
    const { id: spaceId } = await cast.owner.createSpaces({ name: 'Before', description: 'Text' })
    const before = { ...(await cast.owner.getSpace({ spaceId })), updatedAt: expect.any(String) }
    expect(await cast.owner.updateSpace({ spaceId, name: ' After ' })).toEqual({ ...before, name: 'After' })
    expect(await cast.owner.updateSpace({ spaceId, description: null, isPublic: true })).toEqual({
      ...before,
      name: 'After',
      description: null,
      isPublic: true,
    })
    expect(await cast.owner.updateSpace({ spaceId })).toEqual(await cast.owner.getSpace({ spaceId }))
    await cast.stranger.getSpace({ spaceId })
    await cast.owner.updateSpace({ spaceId, isPublic: false })
    expect(await refusal(cast.stranger.getSpace({ spaceId }))).toEqual([404, 'not_found'])
  })

  test('and deleting is for the owner alone', async () => {
    const { spaceId } = cast
    for (const person of [cast.moderator, cast.member]) {
      expect(await refusal(person.updateSpace({ spaceId, name: 'x' }))).toEqual([403, 'not_allowed'])
      expect(await refusal(person.deleteSpace({ spaceId }))).toEqual([403, 'not_allowed'])
      expect(await refusal(person.setSpaceOwner({ spaceId, userId: person.id }))).toEqual([403, 'not_allowed'])
    }
    expect(await refusal(cast.stranger.updateSpace({ spaceId, name: 'x' }))).toEqual([404, 'not_found'])
  })

  test('cannot set the plan, nor blank the name', async () => {
    for (const body of [{ plan: 'business' }, { name: ' ' }, { isPublic: null }, { name: null }]) {
      const answer = await lectern.request('PATCH', `/v1/spaces/${cast.spaceId}`, { token: cast.owner.token, body })
      expect(answer.status).toBe(400)
    }
  })
})

describe('deleting', () => {
  test('takes rooms, invites, roles, links and guest tokens along', async () => {
    const { owner, member, stranger } = cast
    const { id: spaceId } = await owner.createSpaces({ name: 'Gone' })
    await admit(owner, spaceId, member)
    const { id: roomId, alias } = await owner.createRooms({ spaceId, name: 'Room' })
    await owner.grantRole({ spaceId, roomId, targetUserId: stranger.id, role: 'role_room_moderator' })
    const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_user' })
    const accessToken = tokenOf(await owner.generateAccess({ spaceId, roomId, role: 'user', isPermanent: true }))
    const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken, participantName: 'Guest' })

    expect(await owner.deleteSpace({ spaceId })).toEqual({})

    const refused = await refusals([
      owner.getSpace({ spaceId }),
      owner.deleteSpace({ spaceId }),
      member.getSpace({ spaceId }),
      owner.getRoom({ spaceId, roomId }),
      stranger.listRoles({ spaceId, roomId }),
      stranger.activateInvite({ spaceId, inviteId }),
      lectern.anonymous.getRoomByAlias({ alias }),
      lectern.anonymous.inspectAccess({ accessToken }),
    ])
    for (const [which, ...answer] of refused) expect([which, ...answer]).toEqual([which, 404, 'not_found'])
    expect(await refusal(lectern.withToken(guestToken).getRoom({ spaceId, roomId }))).toEqual([401, 'token_invalid'])
    expect((await member.listSpaces()).items.map(({ id }) => id)).not.toContain(spaceId)
  })
})

describe('handing over', () => {
  test('makes a member the owner, and the owner until now a member of lower standing', async () => {
    const { owner, member } = cast
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    await admit(owner, spaceId, member)
    expect(await owner.setSpaceOwner({ spaceId, userId: member.id })).toEqual({ userId: member.id })
    expect((await member.getSpace({ spaceId })).role).toBe('role_space_owner')
    expect((await owner.getSpace({ spaceId })).role).toBe('role_space_moderator')
    expect(await refusal(owner.updateSpace({ spaceId, name: 'x' }))).toEqual([403, 'not_allowed'])
    expect(await refusal(owner.setSpaceOwner({ spaceId, userId: owner.id }))).toEqual([403, 'not_allowed'])
    await member.updateSpace({ spaceId, name: 'Mine now' })
  })

  test('needs a member', async () => {
    for (const userId of [cast.stranger.id, unknown])
      expect(await refusal(cast.owner.setSpaceOwner({ spaceId: cast.spaceId, userId }))).toEqual([409, 'not_a_member'])
    expect(await refusal(cast.owner.setSpaceOwner({ spaceId: cast.spaceId, userId: 'x' }))).toEqual([
      400,
      'invalid_request',
    ])
    expect((await cast.owner.getSpace({ spaceId: cast.spaceId })).role).toBe('role_space_owner')
  })
})

describe('plans', () => {
  test('are set by the operator, in a space the operator does not see', async () => {
    const { owner } = cast
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    const activeUntil = '2030-01-31T09:30:00.000Z'
    expect(await lectern.operator.setSpacePlan({ spaceId, plan: 'business', activeUntil })).toEqual({
      plan: 'business',
      planActiveUntil: activeUntil,
    })
    expect(await owner.getSpace({ spaceId })).toMatchObject({ plan: 'business', planActiveUntil: activeUntil })
    expect(await lectern.operator.setSpacePlan({ spaceId, plan: 'free' })).toEqual({
      plan: 'free',
      planActiveUntil: null,
    })
  })

  test('are not set by the owner, nor without sense', async () => {
    const { owner, spaceId } = cast
    expect(await refusal(owner.setSpacePlan({ spaceId, plan: 'business' }))).toEqual([403, 'not_allowed'])
    for (const body of [
      { plan: 'gold' },
      {},
      { plan: 'team', activeUntil: 'tomorrow' },
      { plan: 'team', activeUntil: 1 },
      { plan: 'team', activeUntil: '2030-12-31T23:59:60Z' },
    ]) {
      const answer = await lectern.request('PUT', `/v1/spaces/${spaceId}/plan`, { token: lectern.operator.token, body })
      expect([body, answer.status]).toEqual([body, 400])
    }
    expect((await owner.getSpace({ spaceId })).plan).toBe('team')
  })

  test('of a space that is not there', async () => {
    for (const spaceId of [unknown, 'x'])
      expect(await refusal(lectern.operator.setSpacePlan({ spaceId, plan: 'free' }))).toEqual([404, 'not_found'])
  })

  test('new spaces get the configured one', async () => {
    const selling = await startLectern({ LECTERN_DEFAULT_PLAN: 'free' })
    const { id: spaceId } = await selling.operator.createSpaces({ name: 'Space' })
    expect((await selling.operator.getSpace({ spaceId })).plan).toBe('free')
  })
})

describe('the operator’s list', () => {
  test('has every space with its owner and plan, and no more', async () => {
    const { items } = await lectern.operator.listAllSpaces({ limit: 200 })
    expect(items.find(({ id }) => id === cast.spaceId)).toEqual({
      id: cast.spaceId,
      name: 'Space',
      owner: { id: cast.owner.id, username: cast.owner.username },
      plan: 'team',
      planActiveUntil: null,
    })
    expect(await refusal(cast.owner.listAllSpaces())).toEqual([403, 'not_allowed'])
  })
})

describe('paging', () => {
  test('goes through all, each once, and says when it is at the end', async () => {
    const user = await lectern.user()
    const made: string[] = []
    for (let i = 0; i < 7; i++) made.push((await user.createSpaces({ name: `Space ${i}` })).id)
    for (const limit of [1, 3, 7, 8]) {
      const found: string[] = []
      let cursor: string | null = null
      let pages = 0
      do {
        const page: Awaited<ReturnType<typeof user.listSpaces>> = await user.listSpaces({
          limit,
          ...(cursor && { cursor }),
        })
        expect(Object.keys(page).sort()).toEqual(['items', 'nextCursor'])
        found.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
        pages++
      } while (cursor)
      expect([...found].sort()).toEqual([...made].sort())
      expect(found).toHaveLength(7)
      expect(pages).toBe(Math.ceil(7 / limit))
    }
  })

  test('has 50 in a page unless told otherwise', async () => {
    const user = await lectern.user()
    await Promise.all(Array.from({ length: 51 }, (_, i) => user.createSpaces({ name: `Space ${i}` })))
    const first = await user.listSpaces()
    expect(first.items).toHaveLength(50)
    expect((await user.listSpaces({ cursor: first.nextCursor ?? '' })).items).toHaveLength(1)
    expect((await user.listSpaces({ limit: 200 })).items).toHaveLength(51)
  })

  test.each([
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=x',
    'limit=',
    'limit=1&limit=2',
    'cursor=x',
    'page=2',
  ])('refuses ?%s', async query => {
    const paths = ['/v1/spaces', '/rooms', '/members', '/invites'].map(path =>
      path.startsWith('/v1') ? path : `/v1/spaces/${cast.spaceId}${path}`,
    )
    for (const path of paths) {
      const { status, body } = await lectern.request('GET', `${path}?${query}`, { token: cast.owner.token })
      expect([path, status, body.code]).toEqual([path, 400, 'invalid_request'])
    }
  })
})
