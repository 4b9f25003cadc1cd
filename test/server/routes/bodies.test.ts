import { request as httpRequest } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Cast, createCast } from '../../support/cast.ts'
import { isOneNode, type Lectern, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast

beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
})

const newInvite = async () => (await cast.owner.createInvite({ spaceId: cast.spaceId, role: 'role_space_user' })).id
const post = (path: string, headers: Record<string, string>, raw: string) =>
  lectern.request('POST', path, { token: cast.owner.token, headers, raw })

describe('JSON as text/plain, with an Authorization header', () => {
  test.each(['text/plain', 'text/plain;charset=UTF-8', 'TEXT/PLAIN; charset=utf-8', 'application/json; charset=utf-8'])(
    'counts as %s on every operation of the interface',
    async type => {
      const { owner, member, spaceId } = cast
      const headers = { 'content-type': type }
      const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
      const room = `/v1/spaces/${spaceId}/rooms/${roomId}`
      const email = `${Math.random()}@example.com`
      for (const [path, body] of [
        ['/v1/users', { email, username: email, password: 'a good password' }],
        ['/v1/spaces', { name: 'Space' }],
        [`/v1/spaces/${spaceId}/rooms`, { name: 'Room' }],
        [`/v1/spaces/${spaceId}/invites`, { role: 'role_space_user' }],
        [`/v1/spaces/${spaceId}/invites/${await newInvite()}/activate`, {}],
        [`${room}/roles`, { targetUserId: member.id, role: 'role_room_user' }],
        [`${room}/generate-access`, { role: 'user' }],
      ] as const) {
        const { status } = await post(path, headers, JSON.stringify(body))
        expect([path, status]).toEqual([path, 200])
      }
    },
  )

  test('is as strict as JSON', async () => {
    for (const type of ['text/plain', 'application/json']) {
      const headers = { 'content-type': type }
      for (const [raw, code] of [
        ['name=Space', 'malformed_body'],
        ['{"name":"Space"', 'malformed_body'],
        ['{"name":"Space"}}', 'malformed_body'],
        ['{"name":"Space","__proto__":{"isPublic":true}}', 'malformed_body'],
        ['{"name":"Space","constructor":{"prototype":{"isPublic":true}}}', 'malformed_body'],
        ['{"name":"Space","isPublic":"true"}', 'invalid_request'],
        ['{"name":"Space","extra":1}', 'invalid_request'],
        ['null', 'invalid_request'],
        ['[]', 'invalid_request'],
        ['"name"', 'invalid_request'],
      ] as const) {
        const { status, body } = await post('/v1/spaces', headers, raw)
        expect([type, raw, status, body.code]).toEqual([type, raw, 400, code])
      }
    }
  })

  test('does not count without the header', async () => {
    const { status, body } = await lectern.request('POST', '/v1/access/inspect', {
      headers: { 'content-type': 'text/plain' },
      raw: '{"accessToken":"x"}',
    })
    expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
  })
})

describe('other types', () => {
  test.each([
    'application/x-www-form-urlencoded',
    'text/html',
    'application/xml',
    'application/octet-stream',
    'nonsense',
  ])('%s is 415', async type => {
    const { status, body } = await post('/v1/spaces', { 'content-type': type }, '{"name":"Space"}')
    expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
  })
})

describe('the limit', () => {
  const limit = 1024 * 1024

  test('is 1 MiB', async () => {
    const body = '{"name":"Space"}'
    const headers = { 'content-type': 'application/json' }
    expect((await post('/v1/spaces', headers, body.padEnd(limit))).status).toBe(200)
    const over = await post('/v1/spaces', headers, body.padEnd(limit + 1))
    expect([over.status, over.body.code]).toEqual([413, 'body_too_large'])
  })
})

// A balancer has a limit of its own.
test.runIf(isOneNode)('a path, query and headers that are too long are told as a problem', async () => {
  const { status, headers, body } = await lectern.request('GET', `/v1/spaces?cursor=${'a'.repeat(20_000)}`)
  expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json'])
  expect(body).toMatchObject({ status: 400, code: 'invalid_request', detail: expect.stringContaining('16 KiB') })
})

describe('an empty body', () => {
  const activate = async (headers: Record<string, string>, raw?: string) => {
    const path = `/v1/spaces/${cast.spaceId}/invites/${await newInvite()}/activate`
    return lectern.request('POST', path, { token: cast.member.token, headers, ...(raw !== undefined && { raw }) })
  }

  test.each([
    ['nothing', {}, undefined],
    ['{}', { 'content-type': 'application/json' }, '{}'],
    ['{} as text/plain', { 'content-type': 'text/plain' }, '{}'],
    ['nothing as JSON', { 'content-type': 'application/json' }, ''],
    ['nothing as text/plain', { 'content-type': 'text/plain' }, ''],
    ['nothing as a form, as curl has it', { 'content-type': 'application/x-www-form-urlencoded' }, ''],
    ['nothing as XML', { 'content-type': 'application/xml' }, ''],
  ])('activates an invite: %s', async (_, headers, raw) => {
    const { status, body } = await activate(headers as Record<string, string>, raw)
    expect([status, body]).toEqual([200, { spaceId: cast.spaceId, role: 'role_space_user' }])
  })

  test('activates an invite with no Content-Length either', async () => {
    const path = `/v1/spaces/${cast.spaceId}/invites/${await newInvite()}/activate`
    const status = await new Promise(resolve => {
      const sent = httpRequest(lectern.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${cast.member.token}`,
          'content-type': 'application/json',
          'transfer-encoding': 'chunked',
        },
      })
      sent.on('response', response => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.end()
    })
    expect(status).toBe(200)
  })

  test.each([
    ['a field', '{"role":"role_space_moderator"}'],
    ['a list', '[]'],
    ['null', 'null'],
  ])('is not %s', async (_, raw) => {
    const { status } = await activate({ 'content-type': 'application/json' }, raw)
    expect(status).toBe(400)
  })

  test('is missing what is required elsewhere', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain' }]) {
      const { status, body } = await post('/v1/spaces', headers as Record<string, string>, '')
      expect([status, body.code]).toEqual([400, 'invalid_request'])
      expect(body.errors).toEqual([expect.objectContaining({ path: '/name', code: 'required' })])
    }
  })
})

describe('a body that is held back', () => {
  /** Its headers are with the service, and the caller's standing has been found, when `meanwhile` runs. */
  const create = (token: string, meanwhile: () => Promise<unknown>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest(`${lectern.url}/v1/spaces/${cast.spaceId}/rooms`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': '2',
          expect: '100-continue',
        },
      })
      sent.on('continue', () => meanwhile().then(() => sent.end('{}'), reject))
      sent.on('error', reject)
      sent.on('response', response => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.flushHeaders()
    })

  test('is not acted on in a session that has ended meanwhile', async () => {
    const { id: inviteId } = await cast.owner.createInvite({ spaceId: cast.spaceId, role: 'role_space_moderator' })
    const moderator = await lectern.user()
    await moderator.activateInvite({ spaceId: cast.spaceId, inviteId })
    // Who may is told what is wrong with the body, who may not any more is not.
    expect(await create(moderator.token, async () => lectern.advance(1000))).toBe(400)
    const signOut = async () => {
      await lectern.anonymous.revokeToken({ token: moderator.token })
      lectern.advance(1000)
    }
    expect(await create(moderator.token, signOut)).toBe(401)
  })
})
