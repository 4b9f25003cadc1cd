import { beforeAll, describe, expect, test } from 'vitest'
import { errorCodes } from '../../../contract/errors.ts'
import type { Operation } from '../../../contract/operation.ts'
import { operations } from '../../../contract/operations.ts'
import { type Cast, createCast, newClientToken, refusals } from '../../support/cast.ts'
import { isOneNode, type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast
let roomId: string
let alias: string
let other: { owner: Person; spaceId: string; roomId: string; alias: string }
let ownersClient: string
let membersClient: string

beforeAll(async () => {
  lectern = await startLectern()
  const [people, second] = await Promise.all([createCast(lectern), lectern.user()])
  cast = people
  ;({ id: roomId, alias } = await cast.owner.createRooms({ spaceId: cast.spaceId, name: 'Room' }))
  const { id: spaceId } = await second.createSpaces({ name: 'Other' })
  const room = await second.createRooms({ spaceId, name: 'Other' })
  other = { owner: second, spaceId, roomId: room.id, alias: room.alias }
  ownersClient = (await newClientToken(lectern, cast.owner)).token
  membersClient = (await newClientToken(lectern, cast.member)).token
})

const unknown = '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10'
const json = { 'content-type': 'application/json' }

const all = Object.entries(operations) as [string, Operation][]
const path = (operation: Operation, params: Record<string, string>) =>
  operation.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? unknown)
const send = (operation: Operation, params: Record<string, string>, token?: string, body: unknown = {}) =>
  lectern.request(operation.method, path(operation, params), {
    ...(token && { token }),
    ...(operation.body && { body }),
  })

describe('an error', () => {
  test('is problem+json with a code of the closed list', async () => {
    const { owner, member, stranger, spaceId } = cast
    const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_user' })
    await stranger.activateInvite({ spaceId, inviteId })
    await owner.removeMember({ spaceId, userId: stranger.id })
    const { token } = owner
    for (const [expected, answer] of [
      [400, await lectern.request('POST', '/v1/spaces', { token, body: { nme: 'x' } })],
      [400, await lectern.request('POST', '/v1/spaces', { token, headers: json, raw: '{' })],
      [401, await lectern.request('GET', '/v1/spaces')],
      [403, await lectern.request('DELETE', `/v1/spaces/${spaceId}`, { token: member.token })],
      [404, await lectern.request('GET', `/v1/spaces/${unknown}`, { token })],
      [404, await lectern.request('GET', '/v1/nothing', { token })],
      [410, await lectern.request('POST', `/v1/spaces/${spaceId}/invites/${inviteId}/activate`, { token })],
      [
        415,
        await lectern.request('POST', '/v1/spaces', { token, headers: { 'content-type': 'text/xml' }, raw: '<x/>' }),
      ],
      [503, await lectern.request('POST', `/v1/spaces/${spaceId}/rooms/${roomId}/join`, { token })],
    ] as const) {
      expect(answer.status).toBe(expected)
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
      const { errors, rule, ...problem } = answer.body
      expect(problem).toEqual({
        type: expect.any(String),
        title: expect.any(String),
        status: expected,
        detail: expect.any(String),
        code: expect.any(String),
      })
      expect(Object.keys(errorCodes)).toContain(problem.code)
      expect(problem.code === 'invalid_request').toBe(errors !== undefined)
      expect(problem.code === 'not_allowed').toBe(rule !== undefined)
    }
  })

  test('of a bad body names every field that is wrong', async () => {
    const { body } = await lectern.request('POST', '/v1/spaces', {
      token: cast.owner.token,
      body: { isPublic: 'yes', logo: 'x', extra: 1 },
    })
    const paths = body.errors.map((error: { path: string; message: string }) => error.path)
    expect(paths).toEqual(expect.arrayContaining(['/name', '/isPublic', '/logo', '/extra']))
    for (const error of body.errors) expect(Object.keys(error).sort()).toEqual(['code', 'message', 'params', 'path'])
  })

  test('of 403 says which rule', async () => {
    const { body } = await lectern.request('POST', `/v1/spaces/${cast.spaceId}/rooms`, {
      token: cast.member.token,
      body: { name: 'Room' },
    })
    expect(body.detail).toMatch(/owner/)
    expect(body.detail).toMatch(/moderator/)
  })
})

describe('without a token', () => {
  test.each(all.filter(([, { tokens, tokenOptional }]) => tokens.length > 0 && !tokenOptional))(
    '%s is 401, whatever else is wrong',
    async (_, operation) => {
      const { status, body } = await lectern.request(operation.method, path(operation, {}), {
        ...(operation.body && { headers: json, raw: '{"broken' }),
      })
      expect([status, body.code]).toEqual([401, 'token_required'])
    },
  )
})

describe('foreign and mixed-up ids are 404', () => {
  // The plan is the operator's, and an invite or link is its own permission: they are below.
  const inSpace = all.filter(
    ([name, { path, tokens }]) =>
      path.includes(':spaceId') && tokens.length > 0 && name !== 'setSpacePlan' && name !== 'activateInvite',
  )
  const inRoom = inSpace.filter(([, { path }]) => path.includes(':roomId'))

  test.each(inSpace)('%s in a space one does not see', async (_, operation) => {
    for (const token of [cast.stranger.token, cast.owner.token, lectern.operator.token, ownersClient])
      for (const room of [other.roomId, other.alias]) {
        const { status, body } = await send(operation, { spaceId: other.spaceId, roomId: room }, token)
        expect([status, body.code]).toEqual([404, 'not_found'])
      }
  })

  test.each(inSpace)('%s in a space that is not there', async (_, operation) => {
    for (const spaceId of [unknown, 'x', cast.spaceId.toUpperCase(), `${cast.spaceId}%20`, '%00', roomId]) {
      const { status, body } = await send(operation, { spaceId, roomId }, cast.owner.token)
      expect([spaceId, status, body.code]).toEqual([spaceId, 404, 'not_found'])
    }
  })

  test.each(inRoom)('%s of a room in another space', async (_, operation) => {
    for (const room of [other.roomId, other.alias, unknown, 'abc-defg-hjk', 'x', alias.toUpperCase(), cast.spaceId]) {
      const { status, body } = await send(operation, { spaceId: cast.spaceId, roomId: room }, cast.owner.token)
      expect([room, status, body.code]).toEqual([room, 404, 'not_found'])
    }
  })

  test('what is inside a space or room is not found from another', async () => {
    const { owner, spaceId } = cast
    const { id: inviteId } = await other.owner.createInvite({ spaceId: other.spaceId, role: 'role_space_user' })
    await other.owner.grantRole({
      spaceId: other.spaceId,
      roomId: other.roomId,
      targetUserId: cast.stranger.id,
      role: 'role_room_user',
    })
    await other.owner.generateAccess({ spaceId: other.spaceId, roomId: other.roomId, role: 'user' })
    const [link] = (await other.owner.listLinks({ spaceId: other.spaceId, roomId: other.roomId })).items
    const refused = await refusals({
      revokeInvite: owner.revokeInvite({ spaceId, inviteId }),
      activateInvite: owner.activateInvite({ spaceId, inviteId }),
      revokeLink: owner.revokeLink({ spaceId, roomId, linkId: link?.id ?? '' }),
      revokeRole: owner.revokeRole({ spaceId, roomId, userId: cast.stranger.id }),
      removeMember: owner.removeMember({ spaceId, userId: other.owner.id }),
      setMemberRole: owner.setMemberRole({ spaceId, userId: other.owner.id, role: 'role_space_user' }),
      setSpacePlan: lectern.operator.setSpacePlan({ spaceId: unknown, plan: 'free' }),
      register: lectern.anonymous.registerWithInvite({
        spaceId,
        inviteId,
        email: 'x@example.com',
        username: 'x',
        password: 'a good password',
      }),
    })
    for (const [what, ...answer] of refused) expect([what, ...answer]).toEqual([what, 404, 'not_found'])
    expect((await other.owner.listInvites({ spaceId: other.spaceId })).items[0]).toMatchObject({
      usedAt: null,
      revokedAt: null,
    })
    expect((await other.owner.listRoles({ spaceId: other.spaceId, roomId: other.roomId })).items).toHaveLength(1)
  })

  test('a space that is seen refuses with 403 instead', async () => {
    const { id: spaceId } = await other.owner.createSpaces({ name: 'Public', isPublic: true })
    expect(await refusal(cast.stranger.updateSpace({ spaceId, name: 'x' }))).toEqual([403, 'not_allowed'])
  })
})

describe('when several things are wrong', () => {
  const rooms = (spaceId: string) => `/v1/spaces/${spaceId}/rooms`
  const big = `{"name":"${'x'.repeat(1024 * 1024)}"}`

  test('401 comes first', async () => {
    for (const token of [undefined, 'x']) {
      const { status } = await lectern.request('POST', rooms(unknown), {
        ...(token && { token }),
        headers: { 'content-type': 'text/xml' },
        raw: '<x/>',
      })
      expect(status).toBe(401)
    }
  })

  const unreadable: [number, Record<string, string>, string][] = [
    [413, json, big],
    [415, { 'content-type': 'text/xml' }, '<x/>'],
    [400, json, '{"name":'],
  ]
  // A balancer may meet the closed connection before the answer.
  test.each(isOneNode ? unreadable : unreadable.slice(1))(
    'then a body that cannot be read: %i, before 404 and 403',
    async (expected, headers, raw) => {
      for (const [token, spaceId] of [
        [cast.owner.token, unknown],
        [cast.member.token, cast.spaceId],
        [ownersClient, cast.spaceId],
      ] as const) {
        const { status, body } = await lectern.request('POST', rooms(spaceId), { token, headers, raw })
        expect(status).toBe(expected)
        if (expected === 400) expect(body.code).toBe('malformed_body')
      }
    },
  )

  test('then 404, before the kind of token, the rule and the content', async () => {
    for (const token of [ownersClient, cast.owner.token]) {
      const { status } = await lectern.request('POST', rooms(other.spaceId), { token, body: { nonsense: 1 } })
      expect(status).toBe(404)
    }
  })

  test('then the kind of token, before the rule', async () => {
    const { status, body } = await lectern.request('POST', rooms(cast.spaceId), {
      token: membersClient,
      body: { nonsense: 1 },
    })
    expect([status, body.code]).toEqual([403, 'user_token_required'])
  })

  test('then the rule, before the content', async () => {
    const { status, body } = await lectern.request('POST', rooms(cast.spaceId), {
      token: cast.member.token,
      body: { nonsense: 1 },
    })
    expect([status, body.code]).toEqual([403, 'not_allowed'])
    const access = await lectern.request('POST', `${rooms(cast.spaceId)}/${roomId}/generate-access`, {
      token: cast.moderator.token,
      body: { ttl: 0 },
    })
    expect(access.status).toBe(403)
  })

  test('and the content last', async () => {
    const { status } = await lectern.request('POST', rooms(cast.spaceId), {
      token: cast.owner.token,
      body: { nonsense: 1 },
    })
    expect(status).toBe(400)
  })

  // The body is checked before these are looked for.
  test.each([
    ['an invite to activate', 'POST', '/v1/spaces/SPACE/invites/x/activate', { nonsense: 1 }],
    ['an invite to register with', 'POST', '/v1/spaces/SPACE/invites/x/register', {}],
    ['a space to set the plan of', 'PUT', `/v1/spaces/${unknown}/plan`, {}],
    ['a user to reset the password of', 'PUT', `/v1/users/${unknown}/password`, {}],
  ])('404 for %s, before the content', async (_, method, path, body) => {
    const { status } = await lectern.request(method, path.replace('SPACE', cast.spaceId), {
      token: lectern.operator.token,
      body,
    })
    expect(status).toBe(404)
  })
})
