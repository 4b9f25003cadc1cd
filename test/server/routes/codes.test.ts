import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { LecternError } from '../../../client/error.ts'
import { type FieldCode, type FieldError, fieldCodes, type RuleName } from '../../../contract/errors.ts'
import { admit, type Cast, createCast } from '../../support/cast.ts'
import { type Lectern, startLectern } from '../../support/lectern.ts'

/* What a page or a program branches on: codes of closed lists, never sentences. */

let lectern: Lectern
let cast: Cast
let room: { spaceId: string; roomId: string }
beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
  const { id } = await cast.owner.createRooms({ spaceId: cast.spaceId, name: 'Room' })
  room = { spaceId: cast.spaceId, roomId: id }
})
afterAll(() => lectern.stop())

const refused = async (promise: Promise<unknown>): Promise<LecternError> => {
  const error = await promise.then(
    () => null,
    (caught: unknown) => caught,
  )
  if (error instanceof LecternError) return error
  throw error ?? new Error('it was not refused')
}

describe('what is wrong with a value', () => {
  const user = { email: 'new@example.com', username: 'new', password: 'a good password' }
  const told = new Set<FieldCode>()

  test.each<[what: string, method: string, path: string, body: unknown, field: string, FieldCode, params?: object]>([
    ['missing', 'POST', '/v1/spaces', {}, '/name', 'required'],
    ['an empty name', 'POST', '/v1/spaces', { name: '' }, '/name', 'required'],
    ['a blank name', 'POST', '/v1/spaces', { name: ' \t' }, '/name', 'required'],
    ['an empty e-mail', 'POST', '/v1/users', { ...user, email: '' }, '/email', 'required'],
    ['a blank username', 'POST', '/v1/users', { ...user, username: ' ' }, '/username', 'required'],
    ['an empty password', 'POST', '/v1/users', { ...user, password: '' }, '/password', 'required'],
    [
      'a short password of blanks',
      'POST',
      '/v1/users',
      { ...user, password: ' ' },
      '/password',
      'too_short',
      { min: 8 },
    ],
    ['many blanks', 'POST', '/v1/users', { ...user, username: ' '.repeat(300) }, '/username', 'required'],
    ['nobody chosen', 'POST', 'ROOM/roles', { targetUserId: '', role: 'role_room_user' }, '/targetUserId', 'required'],
    ['an empty url', 'POST', 'SPACE/webhook', { url: '' }, '/url', 'required'],
    ['too short', 'POST', '/v1/users', { ...user, password: 'short' }, '/password', 'too_short', { min: 8 }],
    ['too long', 'POST', '/v1/spaces', { name: 'x'.repeat(201) }, '/name', 'too_long', { max: 200 }],
    ['too small', 'POST', 'ROOM/generate-access', { role: 'user', ttl: 0 }, '/ttl', 'too_small', { min: 1 }],
    [
      'too large',
      'POST',
      'ROOM/generate-access',
      { role: 'user', ttl: 31_536_001 },
      '/ttl',
      'too_large',
      { max: 31_536_000 },
    ],
    [
      'too many',
      'PUT',
      'SPACE/webhook/events',
      { events: Array(51).fill('call_started') },
      '/events',
      'too_many_items',
      { max: 50 },
    ],
    ['too few', 'POST', '/v1/users/me/tokens', { name: 'x', scopes: [] }, '/scopes', 'too_few_items', { min: 1 }],
    ['twice', 'PUT', 'SPACE/webhook/events', { events: Array(2).fill('call_started') }, '/events', 'not_unique'],
    ['characters', 'POST', '/v1/spaces', { name: 'a\u0007b' }, '/name', 'pattern'],
    ['no e-mail', 'POST', '/v1/users', { ...user, email: 'nobody' }, '/email', 'email'],
    ['no address', 'POST', '/v1/spaces', { name: 'Space', logo: 'nowhere' }, '/logo', 'url'],
    ['not a web address', 'POST', '/v1/spaces', { name: 'Space', logo: 'ftp://x.example' }, '/logo', 'url'],
    ['no time', 'PUT', 'SPACE/plan', { plan: 'team', activeUntil: 'soon' }, '/activeUntil', 'time'],
    [
      'no such second',
      'PUT',
      'SPACE/plan',
      { plan: 'team', activeUntil: '2016-12-31T23:59:60Z' },
      '/activeUntil',
      'time',
    ],
    [
      'after the year 9999',
      'PUT',
      'SPACE/plan',
      { plan: 'team', activeUntil: '9999-12-31T23:59:59-00:01' },
      '/activeUntil',
      'time',
    ],
    [
      'before the year 0',
      'PUT',
      'SPACE/plan',
      { plan: 'team', activeUntil: '0000-01-01T00:00:00+00:01' },
      '/activeUntil',
      'time',
    ],
    [
      'long ago',
      'POST',
      '/v1/users/me/tokens',
      { name: 'x', expiresAt: '2001-01-01T00:00:00Z' },
      '/expiresAt',
      'in_the_past',
    ],
    ['an @', 'POST', '/v1/users', { ...user, username: 'a@b.example' }, '/username', 'at_sign'],
    ['unknown', 'POST', '/v1/spaces', { name: 'Space', colour: 1 }, '/colour', 'unknown_field'],
    ['in a pointer', 'POST', '/v1/spaces', { name: 'Space', 'a/b~c~1': 1 }, '/a~1b~0c~01', 'unknown_field'],
    ['a number', 'POST', '/v1/spaces', { name: 1 }, '/name', 'wrong_type', { type: 'string' }],
    [
      'a number, or null',
      'PATCH',
      '/v1/users/me',
      { displayName: 1 },
      '/displayName',
      'wrong_type',
      { type: 'string' },
    ],
    [
      'another value',
      'POST',
      'SPACE/invites',
      { role: 'king' },
      '/role',
      'not_one_of',
      { values: ['role_space_moderator', 'role_space_user'] },
    ],
    [
      'the wrong password',
      'PUT',
      '/v1/users/me/password',
      { currentPassword: 'a guess', newPassword: 'a good password' },
      '/currentPassword',
      'incorrect',
    ],
    ['inside', 'POST', 'SPACE/webhook', { url: 'http://127.0.0.1' }, '/url', 'address_not_allowed'],
    ['of a query', 'GET', '/v1/spaces?limit=201', undefined, '/limit', 'too_large', { max: 200 }],
    ['of a query', 'GET', '/v1/spaces?limit=many', undefined, '/limit', 'wrong_type', { type: 'integer' }],
  ])('%s: %s %s %j is %s %s', async (_, method, path, body, field, code, params = {}) => {
    const { owner, spaceId } = cast
    if (path.endsWith('/events')) await owner.createWebhook({ spaceId, url: 'https://school.example' }).catch(() => {})
    const at = path
      .replace('SPACE', `/v1/spaces/${spaceId}`)
      .replace('ROOM', `/v1/spaces/${spaceId}/rooms/${room.roomId}`)
    const { token } = path.endsWith('/plan') ? lectern.operator : owner
    const answer = await lectern.request(method, at, { token, ...(body !== undefined && { body }) })
    // More events than there are cannot all be different.
    const errors = answer.body.errors.filter((error: FieldError) => error.code === code || error.code !== 'not_unique')
    expect(errors).toEqual([{ path: field, code, params, message: expect.stringContaining(fieldCodes[code]) }])
    told.add(code)
  })

  test('has been tried for every code but the one for what nobody thought of', () => {
    expect(Object.keys(fieldCodes).filter(code => !told.has(code as FieldCode))).toEqual(['invalid'])
  })

  test('is said once of each field, and of all fields', async () => {
    const { body } = await lectern.request('POST', '/v1/users', {
      token: cast.owner.token,
      body: { email: '', username: '' },
    })
    expect(body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).sort()).toEqual([
      '/email required',
      '/password required',
      '/username required',
    ])
  })
})

describe('not_allowed names the rule', () => {
  const expectRules = async (attempts: Partial<Record<RuleName, Promise<unknown>>>) => {
    const errors = await Promise.all(Object.values(attempts).map(refused))
    expect(errors.map(({ code, rule }) => [code, rule])).toEqual(
      Object.keys(attempts).map(rule => ['not_allowed', rule]),
    )
  }

  test('that a route declares', async () => {
    const { owner, member, moderator, spaceId } = cast
    const { id: publicRoom } = await owner.createRooms({ spaceId, name: 'Public', isPublic: true })
    const inRoom = { spaceId, roomId: publicRoom }
    await expectRules({
      operatorOnly: owner.listUsers(),
      mayChangeSpace: moderator.updateSpace({ spaceId, name: 'Mine' }),
      mayCreateRooms: member.createRooms({ spaceId, name: 'Room' }),
      mayListMembers: member.listMembers({ spaceId }),
      mayManageInvites: member.listInvites({ spaceId }),
      mayAddMembers: moderator.addMember({ spaceId, userId: cast.stranger.id, role: 'role_space_user' }),
      mayManageWebhook: moderator.getWebhook({ spaceId }),
      mayChangeRoom: member.updateRoom({ ...inRoom, name: 'Mine' }),
      mayDeleteRoom: member.deleteRoom(inRoom),
      mayManageRoles: member.listRoles(inRoom),
      mayGenerateAccess: moderator.listLinks(inRoom),
      mayModerate: member.endCall(inRoom),
      maySeeCalls: member.listCalls(inRoom),
      maySeeRecords: member.listRecords(inRoom),
      mayDeleteRecords: member.deleteRecord({ ...inRoom, recordId: publicRoom }),
      maySeeCallsOfSpace: member.listSpaceCalls({ spaceId }),
    })
  })

  test('that a handler asks with what it has found', async () => {
    const { owner, moderator, spaceId } = cast
    const { id: publicSpace } = await owner.createSpaces({ name: 'Public', isPublic: true })
    await admit(owner, publicSpace, moderator, 'role_space_moderator')
    await expectRules({
      mayChangeMemberRole: owner.setMemberRole({ spaceId, userId: owner.id, role: 'role_space_user' }),
      mayRemoveMembers: cast.stranger.removeMember({ spaceId: publicSpace, userId: owner.id }),
      mayRemoveMember: moderator.removeMember({ spaceId, userId: owner.id }),
      mayManageInvitesFor: moderator.createInvite({ spaceId, role: 'role_space_moderator' }),
      mayGrantRole: owner.grantRole({ ...room, targetUserId: owner.id, role: 'role_room_user' }),
      mayChangePassword: owner.changePassword({ currentPassword: 'a guess', newPassword: 'a good password' }),
    })
    expect((await refused(owner.revokeRole({ ...room, userId: owner.id }))).rule).toBe('mayRevokeRole')
  })

  test('also beside the interface', async () => {
    const { body } = await lectern.request('GET', '/metrics', { headers: { forwarded: 'for=192.0.2.1' } })
    expect([body.code, body.rule]).toEqual(['not_allowed', 'mayReadMetrics'])
    const joinable = await startLectern({
      LECTERN_MEDIA: 'on',
      LECTERN_LIVEKIT_URL: 'http://127.0.0.1:9',
      LECTERN_LIVEKIT_API_KEY: 'key',
      LECTERN_LIVEKIT_API_SECRET: 'a secret that is long enough for it',
    })
    await vi.waitFor(() => joinable.engine())
    const media = await joinable.request('GET', '/media/rtc/validate?access_token=x')
    expect([media.body.code, media.body.rule]).toEqual(['not_allowed', 'mayJoin'])
  })

  test('and no other refusal names one', async () => {
    const error = await refused(lectern.anonymous.getMe())
    expect([error.code, error.rule]).toEqual(['token_required', null])
  })
})
