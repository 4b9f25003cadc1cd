import { createServer } from 'node:http'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { NewUser } from '../../../contract/users.ts'
import { admit, newClientToken, newToken, refusals } from '../../support/cast.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let ada: Person
let grace: Person

beforeAll(async () => {
  lectern = await startLectern()
  ;[ada, grace] = await Promise.all([lectern.user('Ada'), lectern.user('Grace')])
})

let count = 0
const newUser = (fields: Partial<NewUser> = {}): NewUser => {
  count++
  return { email: `new${count}@example.com`, username: `new ${count}`, password: 'a good password', ...fields }
}
const create = (fields: Record<string, unknown>) =>
  lectern.request('POST', '/v1/users', { token: ada.token, body: fields })

describe('createUser', () => {
  test('answers exactly the id, to any user, and the new user can sign in', async () => {
    const fields = newUser({ phone: '+372 5555 1234', captchaToken: 'ignored without a provider' })
    const answer = await ada.createUser(fields)
    expect(Object.keys(answer)).toEqual(['id'])
    const user = lectern.withToken(await newToken(lectern, { ...ada, ...fields }))
    expect(await user.getMe()).toEqual({
      id: answer.id,
      email: fields.email,
      username: fields.username,
      displayName: fields.username,
      phone: '+372 5555 1234',
      isOperator: false,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      externalId: null,
      metadata: {},
    })
  })

  test('needs a user token', async () => {
    expect((await lectern.request('POST', '/v1/users', { body: newUser() })).status).toBe(401)
    const client = lectern.withToken((await newClientToken(lectern, ada)).token)
    expect(await refusal(client.createUser(newUser()))).toEqual([403, 'user_token_required'])
  })

  test.each([
    ['e-mail', { email: 'ada@example.com' }, 'email_taken'],
    ['e-mail in another case', { email: 'ADA@Example.COM' }, 'email_taken'],
    ['username', { username: 'Ada' }, 'username_taken'],
    ['username in another case', { username: 'aDA' }, 'username_taken'],
    ['username with spaces around it', { username: ' ada ' }, 'username_taken'],
  ])('refuses a taken %s', async (_, fields, code) => {
    expect(await refusal(ada.createUser(newUser(fields)))).toEqual([409, code])
  })

  test('a username has an @ only when it is the user’s own e-mail', async () => {
    const own = newUser()
    await ada.createUser({ ...own, username: own.email.toUpperCase() })
    for (const username of ['x@y', grace.username.concat('@example.com'), 'x＠y'])
      expect(await refusal(ada.createUser(newUser({ username })))).toEqual([400, 'invalid_request'])
  })

  test('stores the username trimmed', async () => {
    const fields = newUser({ username: '  Trimmed  ' })
    await ada.createUser(fields)
    const token = await newToken(lectern, { ...ada, username: 'Trimmed', password: fields.password })
    expect((await lectern.withToken(token).getMe()).username).toBe('Trimmed')
  })

  test.each([
    ['no e-mail', { email: undefined }, '/email'],
    ['no username', { username: undefined }, '/username'],
    ['no password', { password: undefined }, '/password'],
    ['no e-mail address', { email: 'ada' }, '/email'],
    ['an empty username', { username: '' }, '/username'],
    ['a blank username', { username: '   ' }, '/username'],
    ['a username of 65', { username: 'x'.repeat(65) }, '/username'],
    ['a username that does not print', { username: 'a\u0007b' }, '/username'],
    ['a password of 7', { password: '1234567' }, '/password'],
    ['a password of 257', { password: 'x'.repeat(257) }, '/password'],
    ['a number for a phone', { phone: 5555 }, '/phone'],
    ['null for a phone', { phone: null }, '/phone'],
    ['an unknown field', { isOperator: true }, '/isOperator'],
  ])('refuses %s', async (_, fields, path) => {
    const { status, body } = await create({ ...newUser(), ...fields })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.errors.map((error: { path: string }) => error.path)).toContain(path)
  })

  test('takes the longest and the shortest', async () => {
    await ada.createUser(newUser({ username: 'x'.repeat(64), password: 'x'.repeat(256) }))
    await ada.createUser(newUser({ username: 'y', password: '12345678' }))
  })
})

describe('with a captcha provider', () => {
  test('a captcha is required and verified', async () => {
    const asked: URLSearchParams[] = []
    let up = true
    const provider = createServer(async (request, response) => {
      let form = ''
      for await (const chunk of request) form += chunk
      const fields = new URLSearchParams(form)
      asked.push(fields)
      response.statusCode = up ? 200 : 500
      response.end(up ? JSON.stringify({ success: fields.get('response') === 'right' }) : 'out of order')
    })
    await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void provider.close())
    const { port } = provider.address() as { port: number }
    const guarded = await startLectern({
      LECTERN_CAPTCHA_SECRET: 'captcha secret',
      LECTERN_CAPTCHA_URL: `http://127.0.0.1:${port}/siteverify`,
    })
    const user = newUser()
    const { operator } = guarded
    expect(await refusal(operator.createUser(user))).toEqual([400, 'captcha_required'])
    expect(asked).toHaveLength(0)
    expect(await refusal(operator.createUser({ ...user, captchaToken: 'wrong' }))).toEqual([400, 'captcha_failed'])
    up = false
    expect(await refusal(operator.createUser({ ...user, captchaToken: 'right' }))).toEqual([503, 'unavailable'])
    up = true
    await operator.createUser({ ...user, captchaToken: 'right' })
    expect(asked.at(-1)?.get('secret')).toBe('captcha secret')
    const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
    const { id: inviteId } = await operator.createInvite({ spaceId, role: 'role_space_user' })
    const register = (captchaToken?: string) =>
      guarded.anonymous.registerWithInvite({ spaceId, inviteId, ...newUser(), ...(captchaToken && { captchaToken }) })
    expect(await refusal(register())).toEqual([400, 'captcha_required'])
    expect((await register('right')).role).toBe('role_space_user')
  })
})

describe('my own account', () => {
  test('changes name, phone, e-mail and username', async () => {
    const user = await lectern.user()
    expect(await user.updateMe({ displayName: ' Augusta ', phone: '+372 1' })).toMatchObject({
      id: user.id,
      displayName: 'Augusta',
      phone: '+372 1',
    })
    const changed = await user.updateMe({ email: 'Renamed@example.com', username: ' renamed ' })
    expect(changed).toMatchObject({ email: 'Renamed@example.com', username: 'renamed', displayName: 'Augusta' })
    expect(await user.updateMe({ displayName: null, phone: null })).toMatchObject({
      displayName: 'renamed',
      phone: null,
    })
    expect(await user.updateMe({})).toEqual(await user.getMe())
    for (const username of ['RENAMED', 'renamed@EXAMPLE.com']) await newToken(lectern, { ...user, username })
    expect(await refusal(newToken(lectern, user))).toEqual([400, 'invalid_grant'])
  })

  test('cannot take what another has, in any case', async () => {
    expect(await refusal(grace.updateMe({ email: 'ADA@example.com' }))).toEqual([409, 'email_taken'])
    expect(await refusal(grace.updateMe({ username: 'ADA' }))).toEqual([409, 'username_taken'])
    expect(await refusal(grace.updateMe({ username: 'ada@example.com' }))).toEqual([400, 'invalid_request'])
    // One's own in another case is nobody else's.
    expect((await grace.updateMe({ username: 'grace' })).username).toBe('grace')
    await grace.updateMe({ username: 'Grace' })
  })

  test('takes no other field', async () => {
    const { status } = await lectern.request('PATCH', '/v1/users/me', {
      token: grace.token,
      body: { isOperator: true },
    })
    expect(status).toBe(400)
    expect((await grace.getMe()).isOperator).toBe(false)
  })
})

describe('the password', () => {
  test('changes with the old one, and ends the other sessions', async () => {
    const user = await lectern.user()
    const other = lectern.withToken(await newToken(lectern, user))
    const change = { currentPassword: user.password, newPassword: 'another password' }
    expect(await user.changePassword(change)).toEqual({})
    expect(await refusal(other.getMe())).toEqual([401, 'token_invalid'])
    expect((await user.getMe()).id).toBe(user.id)
    expect(await refusal(newToken(lectern, user))).toEqual([400, 'invalid_grant'])
    await newToken(lectern, { ...user, password: 'another password' })
  })

  test('stays when the old one is wrong or the new one too short', async () => {
    expect(
      await refusal(grace.changePassword({ currentPassword: 'wrong password', newPassword: 'another password' })),
    ).toEqual([403, 'not_allowed'])
    // The field is named, for who fills in a form.
    await expect(
      grace.changePassword({ currentPassword: 'wrong password', newPassword: 'another password' }),
    ).rejects.toMatchObject({ errors: [{ path: '/currentPassword' }] })
    expect(await refusal(grace.changePassword({ currentPassword: grace.password, newPassword: 'short' }))).toEqual([
      400,
      'invalid_request',
    ])
    await newToken(lectern, grace)
  })
})

describe('sessions', () => {
  test('are listed with the current one marked, and ended one by one', async () => {
    const user = await lectern.user()
    const other = lectern.withToken(await newToken(lectern, user))
    const { items, nextCursor } = await user.listSessions()
    expect(nextCursor).toBeNull()
    expect(items).toHaveLength(2)
    expect(items.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, true])
    const sessionId = items.find(({ isCurrent }) => !isCurrent)?.id ?? ''
    // Nobody else ends it.
    expect(await refusal(ada.endSession({ sessionId }))).toEqual([404, 'not_found'])
    await other.getMe()
    expect(await user.endSession({ sessionId })).toEqual({})
    expect(await refusal(other.getMe())).toEqual([401, 'token_invalid'])
    expect((await user.listSessions()).items).toHaveLength(1)
    expect(await refusal(user.endSession({ sessionId }))).toEqual([404, 'not_found'])
    expect(await refusal(user.endSession({ sessionId: 'x' }))).toEqual([404, 'not_found'])
  })

  test('all others end together', async () => {
    const user = await lectern.user()
    const others = [await newToken(lectern, user), await newToken(lectern, user)].map(lectern.withToken)
    expect(await user.endOtherSessions()).toEqual({})
    for (const other of others) expect(await refusal(other.getMe())).toEqual([401, 'token_invalid'])
    expect((await user.listSessions()).items.map(({ isCurrent }) => isCurrent)).toEqual([true])
  })
})

describe('the operator', () => {
  test('alone lists, deletes and resets', async () => {
    const refused = await refusals([
      ada.listUsers(),
      ada.deleteUser({ userId: grace.id }),
      ada.resetPassword({ userId: grace.id, password: 'another password' }),
      ada.listAllSpaces(),
    ])
    for (const [which, ...answer] of refused) expect([which, ...answer]).toEqual([which, 403, 'not_allowed'])
    await grace.getMe()
  })

  test('lists all users, page by page, without secrets', async () => {
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page = await lectern.operator.listUsers({ limit: 3, ...(cursor && { cursor }) })
      expect(page.items.length).toBeLessThanOrEqual(3)
      for (const user of page.items) {
        expect(Object.keys(user).sort()).toEqual(
          [
            ...['createdAt', 'displayName', 'email', 'externalId', 'id', 'isOperator'],
            ...['metadata', 'phone', 'updatedAt', 'username'],
          ].sort(),
        )
        found.push(user.id)
      }
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(expect.arrayContaining([ada.id, grace.id, lectern.operator.id]))
  })

  test('resets a password; API clients end with the sessions only when asked to', async () => {
    const user = await lectern.user()
    const other = await lectern.user()
    const [client, kept] = [await newClientToken(lectern, user), await newClientToken(lectern, other)]
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret }
    const { username } = user
    const through = await lectern.anonymous.createToken({
      grant_type: 'password',
      username,
      password: user.password,
      ...credentials,
    })
    const clientSignsIn = () => lectern.anonymous.createToken({ grant_type: 'client_credentials', ...credentials })
    const reset = (more: { endClients?: boolean }) =>
      lectern.operator.resetPassword({ userId: user.id, password: 'given by the operator', ...more })

    for (const more of [{}, { endClients: false }]) {
      await reset(more)
      expect(await refusal(lectern.withToken(through.access_token).getMe())).toEqual([401, 'token_invalid'])
      expect((await lectern.withToken(client.token).getMe()).id).toBe(user.id)
      await clientSignsIn()
    }
    await reset({ endClients: true })
    expect(await refusal(lectern.withToken(client.token).getMe())).toEqual([401, 'token_invalid'])
    expect(await refusal(clientSignsIn())).toEqual([401, 'invalid_client'])
    const again = lectern.withToken(await newToken(lectern, { ...user, password: 'given by the operator' }))
    expect((await again.listClients()).items).toEqual([])
    expect((await lectern.withToken(kept.token).getMe()).id).toBe(other.id)
  })

  test('resets a password, which ends all sessions of the user', async () => {
    const user = await lectern.user()
    expect(await lectern.operator.resetPassword({ userId: user.id, password: 'given by the operator' })).toEqual({})
    expect(await refusal(lectern.withToken(user.token).getMe())).toEqual([401, 'token_invalid'])
    expect(await refusal(newToken(lectern, user))).toEqual([400, 'invalid_grant'])
    await newToken(lectern, { ...user, password: 'given by the operator' })
  })

  test('deletes a user, but not one who owns spaces', async () => {
    const [user, heir] = await Promise.all([lectern.user(), lectern.user()])
    const { id: spaceId } = await user.createSpaces({ name: 'Space' })
    const { id: roomId } = await user.createRooms({ spaceId, name: 'Room' })
    expect(await refusal(lectern.operator.deleteUser({ userId: user.id }))).toEqual([409, 'owns_spaces'])
    // The refusal costs the user nothing.
    expect((await lectern.withToken(user.token).getMe()).id).toBe(user.id)
    await admit(user, spaceId, heir)
    await user.setSpaceOwner({ spaceId, userId: heir.id })
    const { id: inviteId } = await user.createInvite({ spaceId, role: 'role_space_user' })
    expect(await lectern.operator.deleteUser({ userId: user.id })).toEqual({})
    expect(await refusal(lectern.operator.deleteUser({ userId: user.id }))).toEqual([404, 'not_found'])
    expect((await heir.getRoom({ spaceId, roomId })).creatorId).toBe(heir.id)
    expect((await heir.listMembers({ spaceId })).items.map(({ userId }) => userId)).toEqual([heir.id])
    expect(await refusal(grace.activateInvite({ spaceId, inviteId }))).toEqual([410, 'invite_revoked'])
    // Name and address are free again.
    await ada.createUser(newUser({ username: user.username }))
  })

  test('does not find a user who is not there, and never deletes the last operator', async () => {
    for (const userId of ['x', '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10']) {
      expect(await refusal(lectern.operator.deleteUser({ userId }))).toEqual([404, 'not_found'])
      expect(await refusal(lectern.operator.resetPassword({ userId, password: 'another password' }))).toEqual([
        404,
        'not_found',
      ])
    }
    expect(await refusal(lectern.operator.deleteUser({ userId: lectern.operator.id }))).toEqual([409, 'last_operator'])
  })
})
