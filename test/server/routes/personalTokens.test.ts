import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../../contract/operation.ts'
import { type OperationName, operations } from '../../../contract/operations.ts'
import { type Scope, scopes } from '../../../contract/scopes.ts'
import { createPersonalTokens } from '../../../server/identity/personalTokens.ts'
import { DAY, MINUTE, newToken } from '../../support/cast.ts'
import { isOneNode, type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let owner: Person
let spaceId: string
let roomId: string

beforeAll(async () => {
  lectern = await startLectern()
  owner = await lectern.user()
  spaceId = (await owner.createSpaces({ name: 'Space' })).id
  roomId = (await owner.createRooms({ spaceId, name: 'Room' })).id
})

const tokenWith = async (...granted: Scope[]) =>
  (await owner.createPersonalToken({ name: 'Token', ...(granted.length > 0 && { scopes: granted }) })).token
const clientWith = async (...granted: Scope[]) => lectern.withToken(await tokenWith(...granted))
const ofUsers = Object.entries<Operation>(operations).filter(([, { tokens }]) => tokens.includes('user'))

describe('every operation', () => {
  test('that takes user tokens states its scope, and every scope has its operations', () => {
    expect(ofUsers.filter(([, { scope }]) => scope === undefined).map(([name]) => name)).toEqual([])
    const used = new Set(ofUsers.map(([, { scope }]) => scope))
    expect(scopes.filter(scope => !used.has(scope))).toEqual([])
    const wrong = ofUsers.filter(([, { method, scope }]) => scope?.endsWith(':read') && method !== 'GET')
    expect(wrong.map(([name]) => name)).toEqual([])
  })

  test('of the operator, the account, its tokens, clients and sessions is closed', () => {
    const closed: Partial<Record<OperationName, true>> = {
      ...{ updateMe: true, changePassword: true, listSessions: true, endOtherSessions: true, endSession: true },
      ...{ createClient: true, listClients: true, deleteClient: true },
      ...{ createPersonalToken: true, listPersonalTokens: true, deletePersonalToken: true },
    }
    for (const [name, { tag, scope }] of ofUsers)
      expect([name, scope === null]).toEqual([name, tag === 'Operator' || name in closed])
  })

  /** On a space and a room of the caller's, with a body that is refused once the token is accepted. */
  const call = ({ method, path, body }: Operation, token: string, at: { spaceId: string; roomId: string }) =>
    lectern.request(
      method,
      path.replace(/:(\w+)/g, (_, name) => (name in at ? at[name as keyof typeof at] : randomUUID())),
      { token, ...(body && { body: { nonsense: 1 } }) },
    )

  test('refuses a token without its scope, and names it; or every such token', async () => {
    const at = { spaceId, roomId }
    const without = new Map<Scope, string>()
    for (const scope of scopes) {
      // To write includes to read.
      const others = scopes.filter(other => other !== scope && other !== scope.replace(':read', ':write'))
      without.set(scope, await tokenWith(...others))
    }
    const all = await tokenWith()
    for (const [name, operation] of ofUsers) {
      const { scope } = operation
      if (scope === 'any') continue
      if (name === 'getRoomByAlias') continue
      const { status, body, headers } = await call(operation, scope ? (without.get(scope as Scope) ?? '') : all, at)
      if (!scope) expect([name, status, body.code]).toEqual([name, 403, 'session_required'])
      else {
        expect([name, status, body.code, body.scope]).toEqual([name, 403, 'scope_required', scope])
        expect(body.detail).toContain(scope)
        expect(headers.get('www-authenticate')).toBe(
          `Bearer realm="lectern", error="insufficient_scope", scope="${scope}"`,
        )
      }
    }
  })

  test('accepts a token with just its scope', async () => {
    const { id } = await owner.createSpaces({ name: 'Passing' })
    const at = { spaceId: id, roomId: (await owner.createRooms({ spaceId: id, name: 'Room' })).id }
    const tokens = new Map<string, string>()
    for (const scope of scopes) tokens.set(scope, await tokenWith(scope))
    // What ends the space or the room comes last.
    const isLast = (name: string) => (name === 'deleteSpace' ? 2 : name === 'deleteRoom' ? 1 : 0)
    for (const [name, operation] of ofUsers.toSorted(([one], [other]) => isLast(one) - isLast(other))) {
      if (!operation.scope || operation.scope === 'any') continue
      const { status, body } = await call(operation, tokens.get(operation.scope) ?? '', at)
      expect([name, body.code]).not.toEqual([name, expect.stringMatching(/^(token|scope|session)_/)])
      expect([name, status]).not.toEqual([name, 401])
    }
    expect(await refusal(owner.getSpace({ spaceId: id }))).toEqual([404, 'not_found'])
  })

  test('says so in the description', async () => {
    const { body } = await lectern.request('GET', '/openapi.json')
    expect(body.paths['/v1/spaces/{spaceId}/rooms'].post.security).toContainEqual({ personalToken: ['rooms:write'] })
    expect(body.paths['/v1/clients'].post.security).toEqual([{ userToken: [] }])
  })
})

describe('a personal access token', () => {
  test('is shown once, and stored as a hash', async () => {
    const expiresAt = new Date(lectern.now() + DAY).toISOString()
    const person = await lectern.user()
    const made = await person.createPersonalToken({ name: ' School backend ', expiresAt, scopes: ['rooms:read'] })
    expect(Object.keys(made).sort()).toEqual(['id', 'token'])
    expect(made.token).toMatch(/^lectern_pat_[A-Za-z0-9_-]{43}$/)
    const { items } = await person.listPersonalTokens()
    expect(items).toEqual([
      {
        id: made.id,
        name: 'School backend',
        scopes: ['rooms:read'],
        createdAt: expect.stringMatching(/Z$/),
        lastUsedAt: null,
        expiresAt,
      },
    ])
    const rows = await lectern.running.db.selectFrom('sessions').selectAll().where('userId', '=', person.id).execute()
    expect(JSON.stringify(rows)).not.toContain(made.token)
    expect(JSON.stringify(rows)).not.toContain(made.token.slice('lectern_pat_'.length))
  })

  test('has all scopes and no end, if none is given', async () => {
    const person = await lectern.user()
    await person.createPersonalToken({ name: 'All' })
    const { items } = await person.listPersonalTokens()
    expect(items).toMatchObject([{ scopes, expiresAt: null }])
  })

  test('counts as a user token', async () => {
    const client = await clientWith()
    expect((await client.getMe()).id).toBe(owner.id)
    const { id } = await client.createSpaces({ name: 'By token' })
    const room = await client.createRooms({ spaceId: id, name: 'Room' })
    expect((await client.generateAccess({ spaceId: id, roomId: room.id, role: 'user' })).url).toContain('accessToken')
    expect((await client.getRoomByAlias({ alias: room.alias })).entry).toBe('open')
    await client.deleteSpace({ spaceId: id })
  })

  test('writes where it may write, which includes to read', async () => {
    const [writer, reader] = [await clientWith('rooms:write'), await clientWith('rooms:read')]
    expect((await writer.getRoom({ spaceId, roomId })).id).toBe(roomId)
    await writer.updateRoom({ spaceId, roomId, name: 'Renamed' })
    expect((await reader.getRoom({ spaceId, roomId })).name).toBe('Renamed')
    expect(await refusal(reader.updateRoom({ spaceId, roomId, name: 'No' }))).toEqual([403, 'scope_required'])
    expect((await owner.getRoom({ spaceId, roomId })).name).toBe('Renamed')
  })

  test('is asked for its scope where a token is optional, too', async () => {
    const { alias } = await owner.getRoom({ spaceId, roomId })
    const narrow = await clientWith('webhook:read')
    await expect(narrow.getRoomByAlias({ alias })).rejects.toMatchObject({
      code: 'scope_required',
      scope: 'rooms:read',
    })
    const unknown = lectern.withToken(`lectern_pat_${'a'.repeat(43)}`)
    expect(await refusal(unknown.getRoomByAlias({ alias }))).toEqual([401, 'token_invalid'])
  })

  test('is not made of what is not valid', async () => {
    const person = await lectern.user()
    const create = async (body: object) => {
      const answer = await lectern.request('POST', '/v1/users/me/tokens', { token: person.token, body })
      return [
        answer.status,
        ...(answer.body.errors ?? []).map(({ path, code }: Record<string, string>) => [path, code]),
      ]
    }
    const past = new Date(lectern.now() - 1000).toISOString()
    expect(await create({})).toEqual([400, ['/name', 'required']])
    expect(await create({ name: ' ' })).toEqual([400, ['/name', 'required']])
    expect(await create({ name: 'x', expiresAt: past })).toEqual([400, ['/expiresAt', 'in_the_past']])
    expect(await create({ name: 'x', expiresAt: 'soon' })).toEqual([400, ['/expiresAt', 'time']])
    expect(await create({ name: 'x', scopes: [] })).toEqual([400, ['/scopes', 'too_few_items']])
    expect(await create({ name: 'x', scopes: ['rooms'] })).toEqual([400, ['/scopes/0', 'not_one_of']])
    expect(await create({ name: 'x', scopes: ['rooms:read', 'rooms:read'] })).toEqual([400, ['/scopes', 'not_unique']])
    expect((await person.listPersonalTokens()).items).toEqual([])
  })
})

describe('nothing makes more of one', () => {
  test('an operator’s does nothing of the operator’s', async () => {
    const { operator } = lectern
    const { token } = await operator.createPersonalToken({ name: 'Operator' })
    const client = lectern.withToken(token)
    expect(await refusal(client.listUsers())).toEqual([403, 'session_required'])
    expect(await refusal(client.setSpacePlan({ spaceId, plan: 'free' }))).toEqual([403, 'session_required'])
    expect(await refusal(client.listAudit({}))).toEqual([403, 'session_required'])
    expect(await refusal(client.deleteUser({ userId: owner.id }))).toEqual([403, 'session_required'])
  })

  test('it is no refresh token, cookie or client secret', async () => {
    const token = await tokenWith()
    const refreshed = lectern.anonymous.createToken({ grant_type: 'refresh_token', refresh_token: token })
    expect(await refusal(refreshed)).toEqual([400, 'invalid_grant'])
    const byCookie = await lectern.request('GET', '/v1/users/me', { headers: { cookie: `accessToken=${token}` } })
    expect(byCookie.status).toBe(401)
    const renewed = await lectern.request('POST', '/v1/auth/session/refresh', {
      headers: { cookie: `refreshToken=${token}`, origin: lectern.url },
      body: {},
    })
    expect(renewed.status).toBe(401)
    expect((await lectern.withToken(token).getMe()).id).toBe(owner.id)
  })

  test('who may only look at invites gets none that can be used', async () => {
    const { id } = await owner.createInvite({ spaceId, role: 'role_space_moderator' })
    const [shown] = (await (await clientWith('invites:read')).listInvites({ spaceId })).items
    expect(shown?.id).not.toBe(id)
    const stranger = await lectern.user()
    expect(await refusal(stranger.activateInvite({ spaceId, inviteId: shown?.id ?? '' }))).toEqual([404, 'not_found'])
    const [usable] = (await (await clientWith('invites:write')).listInvites({ spaceId })).items
    expect(usable?.id).toBe(id)
  })

  test('it is nobody else’s, and no session', async () => {
    const other = await lectern.user()
    const { id } = await other.createPersonalToken({ name: 'Other' })
    expect(await refusal(owner.deletePersonalToken({ tokenId: id }))).toEqual([404, 'not_found'])
    expect((await owner.listPersonalTokens()).items.map(token => token.id)).not.toContain(id)
    expect(await refusal(other.endSession({ sessionId: id }))).toEqual([404, 'not_found'])
    expect((await other.listSessions()).items.map(session => session.id)).not.toContain(id)
    const [session] = (await other.listSessions()).items
    expect(await refusal(other.deletePersonalToken({ tokenId: session?.id ?? '' }))).toEqual([404, 'not_found'])
  })
})

describe('it ends', () => {
  /** A token that every node has seen. */
  const used = async (person: Person, more: { expiresAt?: string } = {}) => {
    const { id, token } = await person.createPersonalToken({ name: 'Token', ...more })
    const client = lectern.withToken(token)
    for (let time = 0; time < 4; time++) await client.getMe()
    return { id, token, client }
  }
  const expectEnded = async ({ client }: Awaited<ReturnType<typeof used>>) => {
    for (let time = 0; time < 4; time++) expect(await refusal(client.getMe())).toEqual([401, 'token_invalid'])
    expect(await refusal(client.createSpaces({ name: 'No' }))).toEqual([401, 'token_invalid'])
  }

  test('when it is deleted, and the others go on', async () => {
    const [one, other] = [await used(owner), await used(owner)]
    expect(await owner.deletePersonalToken({ tokenId: one.id })).toEqual({})
    await expectEnded(one)
    expect((await other.client.getMe()).id).toBe(owner.id)
    expect(await refusal(owner.deletePersonalToken({ tokenId: one.id }))).toEqual([404, 'not_found'])
  })

  test('by its holder, who has nothing else', async () => {
    const person = await lectern.user()
    const token = await used(person)
    expect(await lectern.anonymous.revokeToken({ token: token.token })).toEqual({})
    await expectEnded(token)
    expect(await lectern.anonymous.revokeToken({ token: token.token })).toEqual({})
    const { items } = await lectern.operator.listAudit({ actorId: person.id, action: 'token.deleted' })
    expect(items.map(({ target }) => target.id)).toEqual([token.id])
  })

  test('with the account', async () => {
    const person = await lectern.user()
    const token = await used(person)
    await lectern.operator.deleteUser({ userId: person.id })
    await expectEnded(token)
  })

  test('with the API clients, when an operator resets the password so', async () => {
    const person = await lectern.user()
    const token = await used(person)
    await lectern.operator.resetPassword({ userId: person.id, password: 'another password' })
    expect((await token.client.getMe()).id).toBe(person.id)
    await lectern.operator.resetPassword({ userId: person.id, password: 'a third password', endClients: true })
    await expectEnded(token)
  })

  test('not with the password, nor by signing out everywhere', async () => {
    const person = await lectern.user()
    const token = await used(person)
    await person.changePassword({ currentPassword: person.password, newPassword: 'another password' })
    await person.endOtherSessions()
    expect((await token.client.getMe()).id).toBe(person.id)
  })

  test('while it is in use, without a failure', async () => {
    const person = await lectern.user()
    const tokens = await Promise.all(Array.from({ length: 6 }, () => used(person)))
    const outcomes = await Promise.all([
      ...tokens.flatMap(({ client }) =>
        Array.from({ length: 4 }, () =>
          client.createSpaces({ name: 'Space' }).then(
            () => 200,
            error => error.status,
          ),
        ),
      ),
      ...tokens.map(({ id }) => person.deletePersonalToken({ tokenId: id }).then(() => 200)),
    ])
    expect([...new Set(outcomes)].filter(status => status !== 200 && status !== 401)).toEqual([])
    for (const token of tokens) await expectEnded(token)
  })

  test('at its time, and stays in the list for a month', async () => {
    const person = await lectern.user()
    const token = await used(person, { expiresAt: new Date(lectern.now() + 10 * MINUTE).toISOString() })
    lectern.advance(10 * MINUTE)
    await expectEnded(token)
    expect((await person.listPersonalTokens()).items.map(({ id }) => id)).toEqual([token.id])
  })
})

test('its last use is written at most once a minute', async () => {
  const person = { ...owner, ...lectern.withToken(await newToken(lectern, owner)) }
  const { id, token } = await person.createPersonalToken({ name: 'Used' })
  const client = lectern.withToken(token)
  const lastUse = async () => (await person.listPersonalTokens()).items.find(each => each.id === id)?.lastUsedAt ?? null
  expect(await lastUse()).toBeNull()
  await client.getMe()
  await expect.poll(lastUse).not.toBeNull()
  const first = await lastUse()
  for (let time = 0; time < 4; time++) await client.getMe()
  expect(await lastUse()).toBe(first)
  lectern.advance(MINUTE)
  await client.getMe()
  await expect.poll(lastUse).not.toBe(first)
  expect(Date.parse((await lastUse()) ?? '') - Date.parse(first ?? '')).toBeGreaterThanOrEqual(MINUTE)
})

test('within a minute a node does not ask the database to write a use again', async () => {
  const { id } = await owner.createPersonalToken({ name: 'Used' })
  let time = lectern.now()
  const { used } = createPersonalTokens(lectern.running.db, () => time)
  expect(await used(id)?.then(() => 'written')).toBe('written')
  time += MINUTE - 1
  expect(used(id)).toBeUndefined()
  time += 1
  expect(await used(id)?.then(() => 'written')).toBe('written')
})

test('the audit log says which token was used', async () => {
  const person = { ...owner, ...lectern.withToken(await newToken(lectern, owner)) }
  const { id, token } = await person.createPersonalToken({ name: 'Named', scopes: ['rooms:write'] })
  await lectern.withToken(token).createRooms({ spaceId, name: 'Audited' })
  await person.createRooms({ spaceId, name: 'By hand' })
  const { items } = await person.listSpaceAudit({ spaceId, action: 'room.created', limit: 2 })
  expect(items.map(({ actor, tokenId, tokenName }) => [actor.id, actor.kind, tokenId === id, tokenName])).toEqual([
    [owner.id, 'user', false, null],
    [owner.id, 'user', true, 'Named'],
  ])
  const csv = await person.listSpaceAudit({ spaceId, action: 'room.created', format: 'csv' })
  expect(await csv.text()).toContain(`"${id}","Named"`)
  const created = (await lectern.operator.listAudit({ action: 'token.created', actorId: owner.id, limit: 1 })).items[0]
  expect(created).toMatchObject({
    target: { type: 'token', id, name: 'Named' },
    details: { scopes: 'rooms:write', expiresAt: null },
  })
  expect(JSON.stringify(created)).not.toContain(token)
})

test.runIf(isOneNode)('requests are counted by the token, and guesses by the address', async () => {
  const limited = await startLectern({ LECTERN_RATE_LIMITS: 'on' })
  const { token } = await limited.operator.createPersonalToken({ name: 'Token' })
  const policy = async (bearer: string) =>
    (await limited.request('GET', '/v1/users/me', { token: bearer })).headers.get('ratelimit-policy')
  // It is known only once it was found.
  expect(await policy(token)).toContain('"address"')
  expect(await policy(token)).toContain('"token"')
  expect(await policy(token.slice(0, -1))).toContain('"address"')
  expect(await policy(token.slice(0, -1))).toContain('"address"')
})
