import { createServer } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { DAY, MINUTE, newClientToken } from '../../support/cast.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let ada: Person

beforeAll(async () => {
  lectern = await startLectern()
  ada = await lectern.user('Ada')
})

/** The address in links and cookies is another than the one to connect to, so the port must be known before. */
const freePort = () =>
  new Promise<number>(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

const form = (fields: Record<string, string>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  raw: new URLSearchParams(fields).toString(),
})
const token = (fields: Record<string, unknown>) => lectern.request('POST', '/v1/auth/token', { body: fields })
const signIn = (person: Person = ada) =>
  lectern.anonymous.createToken({ grant_type: 'password', username: person.username, password: person.password })
const refresh = (refresh_token: string | undefined) =>
  lectern.anonymous.createToken({ grant_type: 'refresh_token', refresh_token })
const me = (accessToken: string) => lectern.withToken(accessToken).getMe()
const ended = [401, 'token_invalid']

describe('the password grant', () => {
  test('answers a user token and a refresh token, to JSON and to a form', async () => {
    const fields = { grant_type: 'password', username: 'Ada', password: ada.password }
    for (const sent of [{ body: fields }, form(fields)]) {
      const { status, headers, body } = await lectern.request('POST', '/v1/auth/token', sent)
      expect(status).toBe(200)
      expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache'])
      expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'token_type'])
      expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900 })
      expect((await me(body.access_token)).id).toBe(ada.id)
    }
  })

  test.each(['Ada', 'ada', 'ADA', 'Ada@example.com', 'ADA@EXAMPLE.COM'])(
    'takes %s for the same user',
    async username => {
      const { access_token } = await lectern.anonymous.createToken({
        grant_type: 'password',
        username,
        password: ada.password,
      })
      expect((await me(access_token)).id).toBe(ada.id)
    },
  )

  test('tells a wrong password and an unknown user alike', async () => {
    const wrong = await token({ grant_type: 'password', username: 'Ada', password: 'not the password' })
    const unknown = await token({ grant_type: 'password', username: 'Nobody', password: 'not the password' })
    expect(wrong.status).toBe(400)
    expect(wrong.headers.get('content-type')).toContain('application/json')
    expect(wrong.body).toEqual({ error: 'invalid_grant', error_description: expect.any(String) })
    expect([unknown.status, unknown.body]).toEqual([wrong.status, wrong.body])
  })

  test('the case of the password counts', async () => {
    const { status } = await token({ grant_type: 'password', username: 'Ada', password: ada.password.toUpperCase() })
    expect(status).toBe(400)
  })

  test('takes the credentials of a client, which must then be right', async () => {
    const { clientId, clientSecret } = await ada.createClient({ name: 'Page' })
    const fields = { grant_type: 'password', username: 'Ada', password: ada.password, client_id: clientId }
    const right = await token({ ...fields, client_secret: clientSecret })
    expect(right.status).toBe(200)
    // A user token, not a client token.
    await lectern.withToken(right.body.access_token).createSpaces({ name: 'Space' })
    const wrong = await token({ ...fields, client_secret: 'wrong' })
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client'])
    const missing = await token(fields)
    expect([missing.status, missing.body.error]).toEqual([401, 'invalid_client'])
  })
})

describe('as RFC 6749 has it', () => {
  const fields = () => ({ grant_type: 'password', username: 'Ada', password: ada.password })
  const basic = (id: string, secret = '') => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  })

  test('unknown parameters are ignored', async () => {
    const { status } = await lectern.request(
      'POST',
      '/v1/auth/token',
      form({ ...fields(), audience: 'x', unknown: 'y' }),
    )
    expect(status).toBe(200)
    const { access_token } = await signIn()
    const revoked = await lectern.request('POST', '/v1/auth/revoke', form({ token: access_token, unknown: 'y' }))
    expect(revoked.status).toBe(200)
    expect(await refusal(me(access_token))).toEqual(ended)
  })

  test('a parameter without a value is as if it were not there', async () => {
    const empty = { client_id: '', client_secret: '', scope: '', refresh_token: '' }
    expect((await lectern.request('POST', '/v1/auth/token', form({ ...fields(), ...empty }))).status).toBe(200)
    const { status, body } = await token({ ...fields(), password: '' })
    expect([status, body.error]).toEqual([400, 'invalid_request'])
  })

  test('a program that is no API client names itself without a secret, in the body or as Basic', async () => {
    const named = await lectern.request('POST', '/v1/auth/token', form({ ...fields(), client_id: 'my-app' }))
    expect(named.status).toBe(200)
    const again = { grant_type: 'refresh_token', refresh_token: named.body.refresh_token as string }
    const renewed = await lectern.request('POST', '/v1/auth/token', {
      ...form(again),
      headers: { ...form(again).headers, ...basic('my-app') },
    })
    expect(renewed.status).toBe(200)
    const pretending = await token({ ...fields(), client_id: 'my-app', client_secret: 'a secret' })
    expect([pretending.status, pretending.body.error]).toEqual([401, 'invalid_client'])
  })

  test('an API client signs a user in with Basic, and its refresh token needs that client', async () => {
    const { clientId, clientSecret } = await ada.createClient({ name: 'Page' })
    const ask = (more: Record<string, string>, headers: Record<string, string> = {}) =>
      lectern.request('POST', '/v1/auth/token', { ...form(more), headers: { ...form(more).headers, ...headers } })
    const { status, body } = await ask(fields(), basic(clientId, clientSecret))
    expect(status).toBe(200)
    const again = { grant_type: 'refresh_token', refresh_token: body.refresh_token as string }
    expect((await ask(again)).body.error).toBe('invalid_client')
    expect((await ask({ ...again, client_id: 'my-app' })).body.error).toBe('invalid_client')
    expect((await ask(again, basic(clientId))).body.error).toBe('invalid_client')
    // As base64url, which Basic is not.
    expect((await ask(fields(), { authorization: 'Basic eDp_-w' })).body.error).toBe('invalid_client')
    expect((await ask({ ...again, client_id: ada.id }, basic(clientId, clientSecret))).body.error).toBe(
      'invalid_request',
    )
    expect((await ask({ ...again, client_id: clientId }, basic(clientId, clientSecret))).status).toBe(200)
  })

  test('who is refused is told how to authenticate', async () => {
    const challenge = async (...request: Parameters<Lectern['request']>) =>
      (await lectern.request(...request)).headers.get('www-authenticate')
    expect(await challenge('GET', '/v1/users/me')).toBe('Bearer realm="lectern"')
    expect(await challenge('GET', '/v1/users/me', { token: 'wrong' })).toMatch(
      /^Bearer realm="lectern", error="invalid_token", error_description="[^"\\]+"$/,
    )
    const wrong = { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' }
    expect(await challenge('POST', '/v1/auth/token', { body: wrong })).toBe('Basic realm="lectern", charset="UTF-8"')
  })

  test('a body of another kind is told which ones work', async () => {
    const { status, body } = await lectern.request('POST', '/v1/auth/token', {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      raw: '--x--',
    })
    expect([status, body.error]).toEqual([415, 'invalid_request'])
    expect(body.error_description).toContain('application/x-www-form-urlencoded')
  })

  test('libraries find the endpoints', async () => {
    const { body } = await lectern.request('GET', '/.well-known/oauth-authorization-server')
    expect(body).toMatchObject({
      issuer: lectern.url,
      token_endpoint: `${lectern.url}/v1/auth/token`,
      revocation_endpoint: `${lectern.url}/v1/auth/revoke`,
      grant_types_supported: ['password', 'client_credentials', 'refresh_token'],
    })
  })
})

describe('errors are those of OAuth', () => {
  test.each([
    ['an unknown grant', { grant_type: 'implicit' }, 400, 'unsupported_grant_type'],
    ['no username', { grant_type: 'password', password: 'password' }, 400, 'invalid_request'],
    ['no password', { grant_type: 'password', username: 'Ada' }, 400, 'invalid_request'],
    ['no refresh token', { grant_type: 'refresh_token' }, 400, 'invalid_request'],
    ['an unknown refresh token', { grant_type: 'refresh_token', refresh_token: 'x' }, 400, 'invalid_grant'],
    ['no client', { grant_type: 'client_credentials' }, 400, 'invalid_request'],
    [
      'an unknown client',
      { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' },
      401,
      'invalid_client',
    ],
  ])('%s', async (_, fields, status, error) => {
    for (const sent of [{ body: fields }, form({ ...fields } as Record<string, string>)]) {
      const answer = await lectern.request('POST', '/v1/auth/token', sent)
      expect([answer.status, answer.body]).toEqual([status, { error, error_description: expect.any(String) }])
    }
  })

  // RFC 6749 §5.2: a missing or repeated parameter is an invalid request, whichever it is.
  test('no grant, or two', async () => {
    const { status, body } = await token({})
    expect([status, body.error]).toEqual([400, 'invalid_request'])
    const twice = { ...form({}), raw: 'grant_type=password&grant_type=password' }
    const repeated = await lectern.request('POST', '/v1/auth/token', twice)
    expect([repeated.status, repeated.body.error]).toEqual([400, 'invalid_request'])
  })

  test('a number for a password', async () => {
    const { status, body } = await token({ grant_type: 'password', username: 'Ada', password: 12345678 })
    expect([status, body.error]).toEqual([400, 'invalid_request'])
  })

  test('also for a body that cannot be read', async () => {
    const { status, body } = await lectern.request('POST', '/v1/auth/token', {
      headers: { 'content-type': 'application/json' },
      raw: '{"grant_type":',
    })
    expect([status, body]).toEqual([400, { error: 'invalid_request', error_description: expect.any(String) }])
  })
})

describe('the client_credentials grant', () => {
  test('answers a client token without a refresh token, to JSON, a form and HTTP Basic', async () => {
    const { clientId, clientSecret } = await ada.createClient({ name: 'Backend' })
    const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    const asForm = form({ grant_type: 'client_credentials' })
    for (const sent of [
      { body: fields },
      form(fields),
      { ...asForm, headers: { ...asForm.headers, authorization: basic } },
    ]) {
      const { status, body } = await lectern.request('POST', '/v1/auth/token', sent)
      expect(status).toBe(200)
      expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'token_type'])
      const client = lectern.withToken(body.access_token)
      expect((await client.getMe()).id).toBe(ada.id)
      expect(await refusal(client.createSpaces({ name: 'Space' }))).toEqual([403, 'user_token_required'])
    }
  })

  test('refuses a wrong secret and the secret of another client', async () => {
    const one = await ada.createClient({ name: 'One' })
    const two = await ada.createClient({ name: 'Two' })
    for (const client_secret of ['wrong', two.clientSecret, '']) {
      const { status, body } = await token({
        grant_type: 'client_credentials',
        client_id: one.clientId,
        client_secret,
      })
      expect([status, body.error]).toEqual([401, 'invalid_client'])
    }
  })
})

describe('the refresh_token grant', () => {
  test('gives a new pair, in JSON and in a form', async () => {
    const first = await signIn()
    const second = await refresh(first.refresh_token)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect((await me(second.access_token)).id).toBe(ada.id)
    const third = await lectern.request(
      'POST',
      '/v1/auth/token',
      form({ grant_type: 'refresh_token', refresh_token: second.refresh_token ?? '' }),
    )
    expect((await me(third.body.access_token)).id).toBe(ada.id)
  })

  test('a twin within 10 seconds is no thief: both go on, with the same refresh token', async () => {
    const first = await signIn()
    const one = await refresh(first.refresh_token)
    lectern.advance(9_000)
    const two = await refresh(first.refresh_token)
    expect(two.refresh_token).toBe(one.refresh_token)
    expect((await me(one.access_token)).id).toBe(ada.id)
    expect((await me(two.access_token)).id).toBe(ada.id)
    const three = await refresh(one.refresh_token)
    expect((await refresh(two.refresh_token)).refresh_token).toBe(three.refresh_token)
  })

  test('racing twins go on in one chain: who uses its token once more later on is found out', async () => {
    const first = await signIn()
    const pairs = await Promise.all([refresh(first.refresh_token), refresh(first.refresh_token)])
    for (const { access_token } of pairs) expect((await me(access_token)).id).toBe(ada.id)
    const [owner, thief] = pairs
    lectern.advance(MINUTE)
    const next = await refresh(owner.refresh_token)
    lectern.advance(10_001)
    expect(await refusal(refresh(thief.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await refusal(me(next.access_token))).toEqual(ended)
    expect(await refusal(refresh(next.refresh_token))).toEqual([400, 'invalid_grant'])
  })

  test('a twin who comes once the successor has been used gets nothing, and the session goes on', async () => {
    const first = await signIn()
    const second = await refresh(first.refresh_token)
    const third = await refresh(second.refresh_token)
    expect(await refusal(refresh(first.refresh_token))).toEqual([400, 'invalid_grant'])
    expect((await me(third.access_token)).id).toBe(ada.id)
    await refresh(third.refresh_token)
  })

  test('reuse after that ends the whole session, access tokens included, and no other', async () => {
    const other = await signIn()
    const first = await signIn()
    const second = await refresh(first.refresh_token)
    lectern.advance(10_001)
    expect(await refusal(refresh(first.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await refusal(refresh(second.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await refusal(me(second.access_token))).toEqual(ended)
    expect(await refusal(me(first.access_token))).toEqual(ended)
    expect((await me(other.access_token)).id).toBe(ada.id)
    await refresh(other.refresh_token)
  })

  test('a token issued to an API client is refreshed by that client alone', async () => {
    const [own, other] = [await ada.createClient({ name: 'Own' }), await ada.createClient({ name: 'Other' })]
    const credentials = ({ clientId, clientSecret }: typeof own) => ({
      client_id: clientId,
      client_secret: clientSecret,
    })
    const { body: first } = await token({
      grant_type: 'password',
      username: 'Ada',
      password: ada.password,
      ...credentials(own),
    })
    const withToken = (refresh_token: string, more: Record<string, string> = {}) =>
      token({ grant_type: 'refresh_token', refresh_token, ...more })
    const refused = async (refresh_token: string) => {
      const answers = [
        await withToken(refresh_token),
        await withToken(refresh_token, { ...credentials(own), client_secret: other.clientSecret }),
        await withToken(refresh_token, { client_id: own.clientId }),
        await withToken(refresh_token, credentials(other)),
      ]
      expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
        [401, 'invalid_client'],
        [401, 'invalid_client'],
        [401, 'invalid_client'],
        [400, 'invalid_grant'],
      ])
      const cookie = await lectern.request('POST', '/v1/auth/session/refresh', {
        headers: { cookie: `refreshToken=${refresh_token}`, origin: lectern.url },
        body: {},
      })
      expect([cookie.status, cookie.headers.getSetCookie()]).toEqual([401, []])
    }
    await refused(first.refresh_token)
    const basic = Buffer.from(`${own.clientId}:${own.clientSecret}`).toString('base64')
    const asForm = form({ grant_type: 'refresh_token', refresh_token: first.refresh_token })
    const second = await lectern.request('POST', '/v1/auth/token', {
      ...asForm,
      headers: { ...asForm.headers, authorization: `Basic ${basic}` },
    })
    expect(second.status).toBe(200)
    // Nor does anyone else end its session with a token that is long spent.
    lectern.advance(11_000)
    await refused(first.refresh_token)
    const third = await withToken(second.body.refresh_token, credentials(own))
    expect((await me(third.body.access_token)).id).toBe(ada.id)
    expect((await withToken(first.refresh_token, credentials(own))).body.error).toBe('invalid_grant')
    expect(await refusal(me(third.body.access_token))).toEqual(ended)
  })

  test('an API client refreshes no token that was issued without it', async () => {
    const { clientId, clientSecret } = await ada.createClient({ name: 'Client' })
    const { refresh_token } = await signIn()
    const answer = await token({
      grant_type: 'refresh_token',
      refresh_token,
      client_id: clientId,
      client_secret: clientSecret,
    })
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant'])
    await refresh(refresh_token)
  })

  test('a refresh token is no access token, nor the other way round', async () => {
    const { access_token, refresh_token } = await signIn()
    expect(await refusal(me(refresh_token ?? ''))).toEqual(ended)
    expect(await refusal(refresh(access_token))).toEqual([400, 'invalid_grant'])
  })
})

describe('time', () => {
  test('an access token lives 15 minutes; its refresh token goes on', async () => {
    const { access_token, refresh_token } = await signIn()
    lectern.advance(14 * MINUTE)
    await me(access_token)
    lectern.advance(MINUTE + 1000)
    expect(await refusal(me(access_token))).toEqual(ended)
    await me((await refresh(refresh_token)).access_token)
  })

  test('a client token lives 15 minutes', async () => {
    const client = await newClientToken(lectern, ada)
    lectern.advance(14 * MINUTE)
    await me(client.token)
    lectern.advance(MINUTE + 1000)
    expect(await refusal(me(client.token))).toEqual(ended)
  })

  test('a session in use goes on, to the 365th day', async () => {
    let { refresh_token } = await signIn()
    for (let day = 0; day < 360; day += 20) {
      lectern.advance(20 * DAY)
      refresh_token = (await refresh(refresh_token)).refresh_token
    }
    lectern.advance(4 * DAY)
    const last = await refresh(refresh_token)
    lectern.advance(DAY + 1000)
    expect(await refusal(refresh(last.refresh_token))).toEqual([400, 'invalid_grant'])
    await ada.signIn(ada.username, ada.password)
    await lectern.operator.signIn('operator', lectern.operator.password)
  })

  test('a refresh token lives 30 days', async () => {
    const late = await signIn()
    const tooLate = await signIn()
    lectern.advance(30 * DAY - MINUTE)
    await refresh(late.refresh_token)
    lectern.advance(MINUTE + 1000)
    expect(await refusal(refresh(tooLate.refresh_token))).toEqual([400, 'invalid_grant'])
    await ada.signIn(ada.username, ada.password)
    await lectern.operator.signIn('operator', lectern.operator.password)
  })
})

describe('revoke', () => {
  test.each(['access_token', 'refresh_token'] as const)('by %s ends both, at once', async which => {
    const pair = await signIn()
    const other = await signIn()
    expect(await lectern.anonymous.revokeToken({ token: pair[which] ?? '' })).toEqual({})
    expect(await refusal(me(pair.access_token))).toEqual(ended)
    expect(await refusal(refresh(pair.refresh_token))).toEqual([400, 'invalid_grant'])
    await me(other.access_token)
  })

  test('takes a form, as RFC 7009 has it', async () => {
    const { access_token } = await signIn()
    const { status } = await lectern.request(
      'POST',
      '/v1/auth/revoke',
      form({ token: access_token, token_type_hint: 'access_token' }),
    )
    expect(status).toBe(200)
    expect(await refusal(me(access_token))).toEqual(ended)
  })

  test('is 200 for a token nobody knows', async () => {
    for (const unknown of ['x', 'a.b.c', '']) {
      const { status, body } = await lectern.request('POST', '/v1/auth/revoke', { body: { token: unknown } })
      expect([status, body]).toEqual([200, {}])
    }
  })

  test('ends a client token', async () => {
    const client = await newClientToken(lectern, ada)
    await lectern.anonymous.revokeToken({ token: client.token })
    expect(await refusal(me(client.token))).toEqual(ended)
  })
})

describe('tokens stop at once', () => {
  test('when the user is deleted', async () => {
    const gone = await lectern.user()
    const client = await newClientToken(lectern, gone)
    const { refresh_token } = await signIn(gone)
    await lectern.operator.deleteUser({ userId: gone.id })
    expect(await refusal(me(gone.token))).toEqual(ended)
    expect(await refusal(me(client.token))).toEqual(ended)
    expect(await refusal(refresh(refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await refusal(signIn(gone))).toEqual([400, 'invalid_grant'])
    const again = await token({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    })
    expect([again.status, again.body.error]).toEqual([401, 'invalid_client'])
  })

  test('when the password is changed: all but the session that changed it', async () => {
    const user = await lectern.user()
    const other = await signIn(user)
    const client = await newClientToken(lectern, user)
    await user.changePassword({ currentPassword: user.password, newPassword: 'a new password' })
    expect(await refusal(me(other.access_token))).toEqual(ended)
    expect(await refusal(refresh(other.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await refusal(me(client.token))).toEqual(ended)
    await me(user.token)
  })

  test('when the client is deleted: its own, and those users got through it', async () => {
    const client = await newClientToken(lectern, ada)
    const through = await lectern.anonymous.createToken({
      grant_type: 'password',
      username: ada.username,
      password: ada.password,
      client_id: client.clientId,
      client_secret: client.clientSecret,
    })
    const other = await signIn()
    await ada.deleteClient({ clientId: client.clientId })
    expect(await refusal(me(client.token))).toEqual(ended)
    expect(await refusal(me(through.access_token))).toEqual(ended)
    await me(other.access_token)
  })
})

describe('a token that is not ours', () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test.each([
    ['no token at all', () => 'x'],
    ['a changed signature', () => `${ada.token.slice(0, -4)}AAAA`],
    [
      'no algorithm',
      () => {
        const [, claims] = ada.token.split('.')
        return `${part({ alg: 'none', typ: 'at+jwt' })}.${claims}.`
      },
    ],
    [
      'other claims',
      () => {
        const [head, , signature] = ada.token.split('.')
        return `${head}.${part({ iss: 'lectern', aud: 'user', sub: ada.id, exp: 9e9 })}.${signature}`
      },
    ],
  ])('is refused: %s', async (_, forged) => {
    expect(await refusal(me(forged()))).toEqual(ended)
  })

  test('the scheme must be Bearer', async () => {
    for (const authorization of [`Basic ${ada.token}`, ada.token, 'Bearer', `Bearer ${ada.token} x`]) {
      const { status, headers } = await lectern.request('GET', '/v1/users/me', { headers: { authorization } })
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toContain('Bearer')
    }
  })
})

describe('cookies', () => {
  const session = (url: string, person: { username: string; password: string }) =>
    fetch(`${url}/v1/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: person.username, password: person.password }),
    })
  const open = async () => {
    const response = await session(lectern.url, ada)
    expect([response.status, await response.json()]).toEqual([200, { id: ada.id }])
    const lines = response.headers.getSetCookie()
    const value = (name: string) =>
      lines.find(line => line.startsWith(`${name}=`))?.match(/^[^=]+=([^;]*)/)?.[1] ?? `no ${name}`
    return {
      lines,
      access: `accessToken=${value('accessToken')}`,
      refresh: `refreshToken=${value('refreshToken')}`,
      refreshToken: value('refreshToken'),
    }
  }
  const sameOrigin = (cookie: string) => ({ cookie, origin: lectern.url })

  test('are HttpOnly and SameSite=Lax, and not Secure over http', async () => {
    const { lines } = await open()
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expect(line).toMatch(/; HttpOnly/i)
      expect(line).toMatch(/; SameSite=Lax/i)
      expect(line).not.toMatch(/; Secure/i)
    }
  })

  test('are Secure under https', async () => {
    const secure = await startLectern({ PORT: String(await freePort()), LECTERN_PUBLIC_URL: 'https://lectern.example' })
    const { username, password } = secure.operator
    const { headers } = await session(secure.url, { username, password })
    const lines = headers.getSetCookie()
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(line).toMatch(/; Secure/i)
  })

  test('a wrong password opens nothing', async () => {
    const { status, headers, body } = await lectern.request('POST', '/v1/auth/session', {
      body: { username: 'Ada', password: 'not the password' },
    })
    expect([status, body.code]).toEqual([401, 'credentials_invalid'])
    expect(headers.getSetCookie()).toEqual([])
  })

  test('tell who is signed in, without a refusal when nobody is', async () => {
    const who = async (cookie?: string) => {
      const { status, body } = await lectern.request('GET', '/v1/auth/session', cookie ? { headers: { cookie } } : {})
      return [status, body]
    }
    const nobody = [200, { id: null }]
    expect(await who()).toEqual(nobody)
    expect(await who('refreshToken=made-up')).toEqual(nobody)
    const { refresh } = await open()
    expect(await who(refresh)).toEqual([200, { id: ada.id }])
    await lectern.request('DELETE', '/v1/auth/session', { headers: sameOrigin(refresh) })
    expect(await who(refresh)).toEqual(nobody)
  })

  test('stand in for the header', async () => {
    const { access } = await open()
    const read = await lectern.request('GET', '/v1/users/me', { headers: { cookie: access } })
    expect(read.body.id).toBe(ada.id)
    const made = await lectern.request('POST', '/v1/spaces', { headers: sameOrigin(access), body: { name: 'Space' } })
    expect(made.status).toBe(200)
    const fetched = await lectern.request('POST', '/v1/spaces', {
      headers: { cookie: access, 'sec-fetch-site': 'same-origin' },
      body: { name: 'Space' },
    })
    expect(fetched.status).toBe(200)
  })

  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://localhost:1' }],
    ['no origin', {}],
    ['the origin null', { origin: 'null' }],
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }],
    ['a same-site fetch', { 'sec-fetch-site': 'same-site' }],
  ])('change nothing on a request from %s', async (_, headers) => {
    const { access } = await open()
    const before = (await ada.getMe()).displayName
    for (const [method, path, body] of [
      ['POST', '/v1/spaces', { name: 'Space' }],
      ['PATCH', '/v1/users/me', { displayName: 'Changed' }],
      ['DELETE', '/v1/users/me/sessions', undefined],
    ] as const) {
      const answer = await lectern.request(method, path, { headers: { cookie: access, ...headers }, body })
      expect([answer.status, answer.body.code]).toEqual([403, 'cross_site_request'])
    }
    expect((await ada.getMe()).displayName).toBe(before)
  })

  test('are not given for a form', async () => {
    const { username, password } = ada
    const { status, headers, body } = await lectern.request('POST', '/v1/auth/session', form({ username, password }))
    expect([status, body.code, headers.get('set-cookie')]).toEqual([415, 'unsupported_media_type', null])
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'never count with %s',
    async type => {
      const { access } = await open()
      const { status, body } = await lectern.request('POST', '/v1/spaces', {
        headers: { ...sameOrigin(access), 'content-type': type },
        raw: '{"name":"Space"}',
      })
      expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
    },
  )

  test('do not count beside a header: it alone does', async () => {
    const { access } = await open()
    const grace = await lectern.user()
    const read = await lectern.request('GET', '/v1/users/me', { token: grace.token, headers: { cookie: access } })
    expect(read.body.id).toBe(grace.id)
    const bad = await lectern.request('GET', '/v1/users/me', { token: 'x', headers: { cookie: access } })
    expect(bad.status).toBe(401)
    // The samples of the interface send both; text/plain and a foreign origin are then no danger.
    const made = await lectern.request('POST', '/v1/spaces', {
      token: grace.token,
      headers: { cookie: access, origin: 'https://evil.example', 'content-type': 'text/plain' },
      raw: '{"name":"Space"}',
    })
    expect(made.status).toBe(200)
    expect((await grace.listSpaces()).items.map(({ id }) => id)).toEqual([made.body.id])
  })

  test('are renewed, rotating the refresh token', async () => {
    const first = await open()
    const renewed = await lectern.request('POST', '/v1/auth/session/refresh', { headers: sameOrigin(first.refresh) })
    expect([renewed.status, renewed.body]).toEqual([200, { id: ada.id }])
    const lines = renewed.headers.getSetCookie().join('\n')
    expect(lines).toContain('accessToken=')
    expect(lines).not.toContain(first.refreshToken)
    lectern.advance(10_001)
    const reused = await lectern.request('POST', '/v1/auth/session/refresh', { headers: sameOrigin(first.refresh) })
    expect(reused.status).toBe(401)
    const dead = await lectern.request('GET', '/v1/users/me', { headers: { cookie: first.access } })
    expect(dead.status).toBe(401)
  })

  test('are not renewed across sites, nor without a cookie', async () => {
    const { refresh: cookie } = await open()
    const foreign = await lectern.request('POST', '/v1/auth/session/refresh', {
      headers: { cookie, origin: 'https://evil.example' },
    })
    expect([foreign.status, foreign.body.code]).toEqual([403, 'cross_site_request'])
    const none = await lectern.request('POST', '/v1/auth/session/refresh', { headers: { origin: lectern.url } })
    expect(none.status).toBe(401)
  })

  test('end with the session', async () => {
    const { access, refresh: cookie } = await open()
    const { status, headers, body } = await lectern.request('DELETE', '/v1/auth/session', {
      headers: sameOrigin(`${access}; ${cookie}`),
    })
    expect([status, body]).toEqual([200, {}])
    expect(headers.getSetCookie().map(line => line.split(';')[0])).toEqual(['accessToken=', 'refreshToken='])
    const after = await lectern.request('GET', '/v1/users/me', { headers: { cookie: access } })
    expect(after.status).toBe(401)
  })

  test('no page of another site signs a browser in', async () => {
    const { status, body } = await lectern.request('POST', '/v1/auth/session', {
      headers: { origin: 'https://evil.example' },
      body: { username: ada.username, password: ada.password },
    })
    expect([status, body.code]).toEqual([403, 'cross_site_request'])
  })
})
