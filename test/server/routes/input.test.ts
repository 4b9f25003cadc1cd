import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorCodes } from '../../../contract/errors.ts'
import type { Operation } from '../../../contract/operation.ts'
import { operations } from '../../../contract/operations.ts'
import { loadKeys } from '../../../server/identity/keys.ts'
import { callsByHand } from '../../support/calls.ts'
import { tokenOf } from '../../support/cast.ts'
import { isOneNode, type Lectern, type Person, startLectern } from '../../support/lectern.ts'
import { inTurn } from '../../support/long.ts'

/* Requests that no honest client sends. Each is refused with a problem of the closed list, and nothing is stored. */

/** What is refused before the store is asked is refused by any node alike. */
const describeBeforeStore = describe.runIf(isOneNode)

let lectern: Lectern
let owner: Person
let spaceId: string
let roomId: string
let inviteId: string
let participantId: string

beforeAll(async () => {
  lectern = await startLectern()
  owner = await lectern.user()
  spaceId = (await owner.createSpaces({ name: 'Space' })).id
  roomId = (await owner.createRooms({ spaceId, name: 'Room' })).id
  inviteId = (await owner.createInvite({ spaceId, role: 'role_space_user' })).id
  await owner.createWebhook({ spaceId, url: 'https://example.com/callbacks' })
  const { join } = await callsByHand(lectern)
  ;({ participantId } = await join(roomId, { userId: owner.id }))
})

type Answer = Awaited<ReturnType<Lectern['request']>>

/** Of the right form, with a code of the list and its status. */
const expectProblem = (answer: Answer, status: number, code?: keyof typeof errorCodes) => {
  const { body } = answer
  expect([answer.status, body?.code, body?.detail], JSON.stringify(body)).toEqual([
    status,
    code ?? body?.code,
    expect.any(String),
  ])
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(Object.keys(errorCodes)).toContain(body.code)
  const [listed, title] = errorCodes[body.code as keyof typeof errorCodes]
  expect(body).toMatchObject({ status: listed, title, type: `urn:lectern:problem:${body.code}` })
  expect(listed).toBe(status)
  expect(answer.headers.get('x-request-id')).toBeTruthy()
}

/** All that bad input could have changed. */
const stored = async () => ({
  me: await owner.getMe(),
  spaces: await owner.listSpaces({ limit: 200 }),
  rooms: await owner.listRooms({ spaceId, limit: 200 }),
  links: await owner.listLinks({ spaceId, roomId, limit: 200 }),
  invites: await owner.listInvites({ spaceId, limit: 200 }),
  roles: await owner.listRoles({ spaceId, roomId }),
  members: await owner.listMembers({ spaceId }),
  clients: await owner.listClients({ limit: 200 }),
  users: (await lectern.operator.listUsers({ limit: 200 })).items.length,
})

const expectNothingStored = async (work: () => Promise<void>) => {
  const before = await stored()
  await work()
  expect(await stored()).toEqual(before)
}

const postSpace = (raw: string | Uint8Array<ArrayBuffer>, contentType = 'application/json') =>
  lectern.request('POST', '/v1/spaces', { token: owner.token, headers: { 'content-type': contentType }, raw })

describeBeforeStore('a body that cannot be read', () => {
  test.each([
    ['__proto__', '{"name":"Space","__proto__":{"isPublic":true}}'],
    ['__proto__ in escapes', '{"name":"Space","__pro\\u0074o__":{"isPublic":true}}'],
    ['__proto__ further inside', '{"name":{"__proto__":{"x":1}}}'],
    ['constructor.prototype', '{"name":"Space","constructor":{"prototype":{"isPublic":true}}}'],
  ])('with %s is refused under either content type', async (_, raw) => {
    await expectNothingStored(async () => {
      expectProblem(await postSpace(raw), 400, 'malformed_body')
      expectProblem(await postSpace(raw, 'text/plain'), 400, 'malformed_body')
      expectProblem(await postSpace(raw, 'text/plain; charset=utf-8'), 400, 'malformed_body')
      expect({}).not.toHaveProperty('isPublic')
    })
  })

  test.each([
    ['cut off', '{"name":"Space"'],
    ['with two values', '{"name":"Space"}{}'],
    ['with a comment', '{"name":"Space"/**/}'],
    ['with single quotes', "{'name':'Space'}"],
    ['with NaN', '{"name":"Space","isPublic":NaN}'],
    ['a bare word', 'name'],
    ['blank', '   '],
    ['100,000 levels deep', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['33 levels deep', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['100,000 open brackets', '['.repeat(100_000)],
  ])('%s', async (_, raw) => {
    await expectNothingStored(async () => expectProblem(await postSpace(raw), 400, 'malformed_body'))
  })

  test.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a cut-off character', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
  ])('with bytes that are not UTF-8: %s', async (_, bytes) => {
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')])
    await expectNothingStored(async () => {
      expectProblem(await postSpace(new Uint8Array(body)), 400, 'malformed_body')
      expectProblem(await postSpace(new Uint8Array(body), 'text/plain'), 400, 'malformed_body')
    })
  })

  test('names that cannot be seen, or turn what stands beside them', async () => {
    const named = (name: string) => postSpace(JSON.stringify({ name }))
    await expectNothingStored(async () => {
      for (const name of ['\u200b', '\u2060 \ufeff', '\u3164', 'a\u2028b', '\u202egnp.exe', 'x\u2066'])
        expectProblem(await named(name), 400, 'invalid_request')
    })
    for (const name of ['Ада 👩‍🏫', 'שלום\u200f!', 'می\u200cخواهم']) expect((await named(name)).status).toBe(200)
  })

  test('brackets inside a text are no nesting', async () => {
    const name = '[{"\\'.repeat(40)
    const { status, body } = await postSpace(JSON.stringify({ name }))
    expect(status).toBe(200)
    expect((await owner.getSpace({ spaceId: body.id })).name).toBe(name)
  })

  test.runIf(isOneNode)('of 1 MiB is read, one byte more is not', async () => {
    const fill = (size: number) => `{"name":"Space"${' '.repeat(size - '{"name":"Space"}'.length)}}`
    expect((await postSpace(fill(1024 * 1024))).status).toBe(200)
    await expectNothingStored(async () => {
      expectProblem(await postSpace(fill(1024 * 1024 + 1)), 413, 'body_too_large')
      expectProblem(await postSpace(fill(1024 * 1024 + 1), 'text/plain'), 413, 'body_too_large')
      expectProblem(await postSpace(fill(1024 * 1024 + 1), 'image/png'), 413, 'body_too_large')
    })
  })

  test('sent in chunks, without a length, has the same limit', async () => {
    const answer = await raw(
      [
        'POST /v1/spaces HTTP/1.1',
        'host: x',
        `authorization: Bearer ${owner.token}`,
        'content-type: application/json',
        'transfer-encoding: chunked',
      ],
      `${'100001'}\r\n${' '.repeat(0x100001)}\r\n0\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toContain('"code":"body_too_large"')
  })

  test.each([
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/html',
    'image/png',
    'application/json-patch+json',
    'nonsense',
    'text/plain2',
  ])('as %s', async contentType => {
    await expectNothingStored(async () =>
      expectProblem(await postSpace('{"name":"Space"}', contentType), 415, 'unsupported_media_type'),
    )
  })

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'text/plain',
    'text/plain;charset=UTF-8',
    'TEXT/PLAIN',
  ])('as %s is fine', async contentType => {
    expect((await postSpace('{"name":"Space"}', contentType)).status).toBe(200)
  })

  test('is refused before a space is looked for, and after the token is', async () => {
    const bad = { headers: { 'content-type': 'application/json' }, raw: '{' }
    expectProblem(await lectern.request('POST', '/v1/spaces/none/rooms', bad), 401, 'token_required')
    expectProblem(
      await lectern.request('POST', '/v1/spaces/none/rooms', { ...bad, token: owner.token }),
      400,
      'malformed_body',
    )
    expectProblem(
      await lectern.request('POST', '/v1/spaces/none/rooms', { token: owner.token, body: { wrong: 1 } }),
      404,
      'not_found',
    )
  })
})

describeBeforeStore('a body of the wrong kind', () => {
  test.each(['null', '[]', '[{"name":"Space"}]', '"name"', '1', 'true', '{}'])('%s', async raw => {
    await expectNothingStored(async () => {
      expectProblem(await postSpace(raw), 400, 'invalid_request')
      expectProblem(await postSpace(raw, 'text/plain'), 400, 'invalid_request')
      expectProblem(
        await lectern.request('POST', '/v1/access/inspect', {
          headers: { 'content-type': 'application/json' },
          raw,
        }),
        400,
        'invalid_request',
      )
    })
  })

  test.each(['null', '[]', '"x"', '0', 'false'])('%s where the body is empty', async raw => {
    const headers = { 'content-type': 'application/json' }
    await expectNothingStored(async () =>
      expectProblem(
        await lectern.request('POST', `/v1/spaces/${spaceId}/invites/${inviteId}/activate`, {
          token: owner.token,
          headers,
          raw,
        }),
        400,
      ),
    )
  })

  test('nothing at all names what is missing', async () => {
    const answer = await lectern.request('POST', '/v1/spaces', { token: owner.token })
    expectProblem(answer, 400, 'invalid_request')
    expect(answer.body.errors).toEqual([{ path: '/name', code: 'required', params: {}, message: 'is required' }])
  })

  test('unknown fields, in every operation with a body', async () => {
    await expectNothingStored(async () => {
      for (const [name, path, operation] of withBody()) {
        const body = { ...good(operation), unknown: 1 }
        const answer = await lectern.request(operation.method, path, { token: owner.token, body })
        // RFC 6749 §3.2: unknown parameters are ignored.
        if (name === 'createToken' || name === 'revokeToken') {
          const { status } = await lectern.request(operation.method, path, { body: good(operation) })
          expect(answer.status, name).toBe(status)
        } else if (answer.status !== 403 && answer.status !== 404) {
          expectProblem(answer, 400, 'invalid_request')
          expect(answer.body.errors, name).toContainEqual({
            path: '/unknown',
            code: 'unknown_field',
            params: {},
            message: 'is not a known field',
          })
        }
      }
    })
  })

  test('no type is taken for another', async () => {
    const rooms = `/v1/spaces/${spaceId}/rooms`
    const links = `${rooms}/${roomId}/generate-access`
    const bad: [string, string, string][] = [
      ['POST', links, '{"role":"user","ttl":"60"}'],
      ['POST', links, '{"role":"user","ttl":60.5}'],
      ['POST', links, '{"role":"user","ttl":1e309}'],
      ['POST', links, '{"role":"user","ttl":-1}'],
      ['POST', links, '{"role":"user","ttl":0}'],
      ['POST', links, '{"role":"user","ttl":31536001}'],
      ['POST', links, '{"role":"user","ttl":9007199254740993}'],
      ['POST', links, '{"role":"user","ttl":true}'],
      ['POST', links, '{"role":"user","ttl":null}'],
      ['POST', links, '{"role":"user","isPermanent":"true"}'],
      ['POST', links, '{"role":"user","isPermanent":1}'],
      ['POST', links, '{"role":["user"]}'],
      ['POST', links, '{"role":"USER"}'],
      ['POST', links, '{"role":"user","externalUserId":42}'],
      ['POST', links, '{"role":"user","externalUserId":""}'],
      ['POST', links, '{"role":"user","externalUserId":"a\\n"}'],
      ['POST', rooms, '{"name":1}'],
      ['POST', rooms, '{"name":null}'],
      ['POST', rooms, '{"name":{}}'],
      ['POST', rooms, '{"name":"Room","isPublic":0}'],
      ['POST', rooms, '{"name":"Room","type":"Lesson"}'],
      ['POST', rooms, '{"name":""}'],
      ['POST', rooms, '{"name":"  \\u00a0 "}'],
      ['POST', rooms, `{"name":"${'x'.repeat(201)}"}`],
      ['POST', '/v1/spaces', '{"name":"Space","logo":"javascript:alert(1)"}'],
      ['POST', '/v1/spaces', '{"name":"Space","logo":"ftp://example.com/logo.png"}'],
      ['POST', '/v1/spaces', '{"name":"Space","logo":"http://"}'],
      ['POST', '/v1/spaces', '{"name":"Space","logo":"https://exa mple.com"}'],
      ['POST', '/v1/spaces', '{"name":"Space","logo":"/logo.png"}'],
      ['POST', `/v1/spaces/${spaceId}/invites`, '{"role":"role_space_owner"}'],
      ['PUT', `/v1/spaces/${spaceId}/owner`, '{"userId":"me"}'],
    ]
    await expectNothingStored(async () => {
      for (const [method, path, raw] of bad)
        for (const contentType of ['application/json', 'text/plain'])
          expectProblem(
            await lectern.request(method, path, {
              token: owner.token,
              headers: { 'content-type': contentType },
              raw,
            }),
            400,
            'invalid_request',
          )
    })
  })

  test.each([
    '2026-12-31T23:59:60Z',
    '2026-01-31T09:30:00+01',
    '2026-13-01T00:00:00Z',
    '9999-12-31T23:59:59-00:01',
    '9999-12-31T23:59:59.999Z',
    '0000-01-01T00:00:00+00:01',
    '0000-01-01T00:00:00Z',
    'tomorrow',
    '2026-02-30T00:00:00Z',
    '',
  ])('a plan until %j is refused or understood, never half stored', async activeUntil => {
    const answer = await lectern.request('PUT', `/v1/spaces/${spaceId}/plan`, {
      token: lectern.operator.token,
      body: { plan: 'team', activeUntil },
    })
    if (answer.status === 200) expect(Date.parse(answer.body.planActiveUntil)).not.toBeNaN()
    else expectProblem(answer, 400, 'invalid_request')
    const { planActiveUntil } = await owner.getSpace({ spaceId })
    expect(planActiveUntil).toBe(answer.status === 200 ? answer.body.planActiveUntil : null)
    await lectern.operator.setSpacePlan({ spaceId, plan: 'team' })
  })
})

// Every operation with a body, and values for it that are good.

const withBody = (): [string, string, Operation & { body: NonNullable<Operation['body']> }][] =>
  (Object.entries(operations) as [string, Operation][]).flatMap(([name, operation]) =>
    operation.body && Object.keys(operation.body.properties).length > 0
      ? [
          [
            name,
            operation.path
              .replace(':spaceId', spaceId)
              .replace(':roomId', roomId)
              .replace(':inviteId', inviteId)
              .replace(':participantId', participantId)
              .replace(':userId', owner.id),
            operation as never,
          ],
        ]
      : [],
  )

const good = ({ body }: { body: NonNullable<Operation['body']> }) =>
  Object.fromEntries(
    (body.required ?? []).map(field => {
      const schema = body.properties[field] as { examples?: unknown[]; enum?: unknown[] }
      return [field, schema.examples?.[0] ?? schema.enum?.[0] ?? 'x']
    }),
  )

describe('texts that cannot be stored', () => {
  const bad = [
    ['a lone high surrogate', '\\ud800', 0],
    ['a lone low surrogate', 'a\\udc00b', 1],
    ['surrogates the wrong way round', '\\udc00\\ud800', 2],
    ['NUL', 'a\\u0000b', 3],
  ] as const

  test.each(bad)('%s, in fields of every body', async (_, written, turn) => {
    const link = await owner.generateAccess({ spaceId, roomId, role: 'user' })
    const guest = await lectern.anonymous.redeemAccess({ accessToken: tokenOf(link), participantName: 'Guest' })
    const tokens: Record<string, string> = {
      resetPassword: lectern.operator.token,
      setSpacePlan: lectern.operator.token,
      updateUser: lectern.operator.token,
      renameGuest: guest.guestToken,
    }
    const texts = withBody().flatMap(([name, path, operation]) =>
      Object.entries(operation.body.properties).flatMap(([field, schema]) => {
        const { type, anyOf = [] } = schema as { type?: string; anyOf?: { type?: string }[] }
        const isText = type === 'string' || anyOf.some(({ type: of }) => of === 'string')
        return isText ? [{ name, path, operation, field }] : []
      }),
    )
    await expectNothingStored(async () => {
      for (const { name, path, operation, field } of inTurn(texts, turn)) {
        const rest = JSON.stringify({ ...good(operation), [field]: undefined })
        const raw = `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}"${field}":"${written}"}`
        const answer = await lectern.request(operation.method, path, {
          token: tokens[name] ?? owner.token,
          headers: { 'content-type': 'application/json' },
          raw,
        })
        if (name === 'createToken' || name === 'revokeToken')
          expect([answer.status, typeof answer.body.error], `${name} ${field}`).toEqual([400, 'string'])
        else expectProblem(answer, 400, 'invalid_request')
      }
    })
  })

  test('pairs of surrogates are characters like others', async () => {
    const { status, body } = await postSpace('{"name":"\\ud83d\\ude00"}')
    expect(status).toBe(200)
    expect((await owner.getSpace({ spaceId: body.id })).name).toBe('😀')
  })

  test('as field names', async () => {
    expectProblem(await postSpace('{"name":"Space","\\ud800\\u0000":1}'), 400, 'invalid_request')
    expectProblem(await postSpace('{"name":"Space","hasOwnProperty":1}'), 400, 'invalid_request')
    expectProblem(await postSpace('{"name":"Space","toString":1}'), 400, 'invalid_request')
    expectProblem(await postSpace('{"name":"Space","":1}'), 400, 'invalid_request')
  })

  test('in a form', async () => {
    for (const value of ['%00', '%ED%A0%80', '%', '%ZZ', '%FF', 'a%00b']) {
      const answer = await lectern.request('POST', '/v1/auth/token', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        raw: `grant_type=refresh_token&refresh_token=${value}`,
      })
      expect([answer.status, typeof answer.body.error], value).toEqual([400, 'string'])
    }
    const polluted = await lectern.request('POST', '/v1/auth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      raw: 'grant_type=refresh_token&refresh_token=x&__proto__=x&constructor.prototype=y',
    })
    expect([polluted.status, polluted.body.error]).toEqual([400, 'invalid_grant'])
  })

  test('in a Basic header', async () => {
    for (const credentials of ['\u0000:\u0000', '%00:%00', '%:%', ':', 'x', '\ud800:y', `${'x'.repeat(5000)}:y`]) {
      const answer = await lectern.request('POST', '/v1/auth/token', {
        headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
        body: { grant_type: 'client_credentials' },
      })
      expect([answer.status, answer.body.error], credentials).toEqual([401, 'invalid_client'])
    }
  })
})

describe('paths', () => {
  const ids = [
    '%00',
    'a%00b',
    '%EF%BF%BD',
    '%F0%9F%98%80',
    '..%2f..%2fv1%2fusers%2fme',
    '%2e%2e',
    "' OR 1=1 --",
    '__proto__',
    'constructor',
    'x'.repeat(200),
    '00000000-0000-0000-0000-000000000000',
    'ABCDEF00-0000-7000-8000-000000000000',
    'aaa-bbbb-ccc',
    '%20',
    '-1',
    '1e309',
  ]
  /** In place of each parameter in turn, the others being real. */
  const pathsWith = (id: string) =>
    (Object.values(operations) as Operation[]).flatMap(({ method, path }) =>
      [...path.matchAll(/:\w+/g)].map(([parameter]) => ({
        method,
        path: path
          .replace(parameter, id)
          .replace(':spaceId', spaceId)
          .replace(':roomId', roomId)
          .replace(':inviteId', inviteId)
          .replace(':participantId', participantId)
          .replace(/:\w+/g, owner.id),
      })),
    )

  test('with ids that are none: 404, in every place of every path', async () => {
    await expectNothingStored(async () => {
      for (const [turn, id] of ids.entries())
        for (const { method, path } of inTurn(pathsWith(encodeURI(decodeURI(id)).replaceAll('%25', '%')), turn)) {
          const answer = await lectern.request(method, path, { token: owner.token })
          // Dots climb before the request is sent: to a list, or to where another method is meant.
          const hasClimbed = new URL(path, lectern.url).pathname !== path
          if (hasClimbed && (answer.status === 405 || (method === 'GET' && answer.status === 200))) continue
          // Operators' operations refuse first; register needs its body first.
          if (answer.status === 403) expectProblem(answer, 403, 'not_allowed')
          else if (answer.status === 400) expectProblem(answer, 400, 'invalid_request')
          else expectProblem(answer, 404, 'not_found')
        }
    })
  }, 300_000)

  const broken = ['%', '%zz', '%c0%af', '%ed%a0%80', '%ff', '%E0%A4%A']
  test.runIf(isOneNode).each(broken)('that cannot be decoded: %s', async id => {
    await expectNothingStored(async () => {
      for (const { method, path } of inTurn(pathsWith(id), broken.indexOf(id))) {
        const answer = await lectern.request(method, path, { token: owner.token })
        expectProblem(answer, 400, 'invalid_request')
      }
    })
  })

  test('with ids that are far too long', async () => {
    for (const { method, path } of pathsWith('x'.repeat(5000))) {
      const { status, body } = await lectern.request(method, path, { token: owner.token })
      expect([status, body.code], `${method} ${path.slice(0, 40)}`).toEqual([404, 'not_found'])
    }
  })

  test.each([
    '/nothing',
    '/v1',
    '/v1/',
    '/v1/spaces/',
    '//v1/spaces',
    '/v1/spaces/../users/me/x',
    '/v1/users/me/',
    '/V1/users/me',
  ])('that lead nowhere: %s', async path => {
    expectProblem(await lectern.request('GET', path, { token: owner.token }), 404, 'not_found')
  })

  test('methods that are not there', async () => {
    for (const [method, path] of [
      ['PUT', '/v1/spaces'],
      ['DELETE', '/v1/spaces'],
      ['PATCH', `/v1/spaces/${spaceId}/rooms`],
      ['POST', '/healthz'],
      ['OPTIONS', '/v1/spaces'],
      ['QUERY', '/v1/spaces'],
    ] as const)
      expectProblem(await lectern.request(method, path, { token: owner.token }), 405, 'method_not_allowed')
    // Whatever the body is.
    for (const [path, status] of [
      [`/v1/spaces/${spaceId}/logo`, 405],
      ['/v1/nothing', 404],
    ] as const)
      for (const [type, body] of [
        ['image/png', 'x'],
        ['application/json', '{'],
        ['text/plain', 'x'],
      ] as const) {
        const headers = { 'content-type': type }
        const answer = await fetch(`${lectern.url}${path}`, { method: 'POST', headers, body })
        expect([answer.status, answer.headers.get('connection')], `${type} to ${path}`).toEqual([status, 'keep-alive'])
      }
    const allowed = async (method: string, path: string) => (await lectern.request(method, path)).headers.get('allow')
    expect(await allowed('PUT', '/v1/spaces?limit=1')).toBe('GET, HEAD, POST')
    expect(await allowed('POST', `/v1/spaces/${spaceId}/rooms/${roomId}`)).toBe('DELETE, GET, HEAD, PATCH')
    expect(await allowed('PATCH', `/v1/spaces/${spaceId}/invites/batch`)).toBe('POST')
    expect(await allowed('DELETE', '/v1/nothing')).toBe(null)
  })
})

describe('queries', () => {
  const bad = [
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=1e309',
    'limit=1e2',
    'limit=1.0',
    'limit=0x10',
    'limit=0b11',
    'limit=%2010',
    'limit=10%0A',
    'limit=%2B10',
    'limit=%D9%A1',
    'limit=NaN',
    'limit=',
    'limit=abc',
    'limit=10&limit=20',
    'limit[]=1',
    'limit=0x10%00',
    'cursor=',
    'cursor=x',
    'cursor=%00',
    'cursor=%ED%A0%80',
    'cursor=%',
    'cursor=%ff',
    'cursor=a&cursor=b',
    'externalId=%00',
    'email=a%00',
    'q=%00',
    'cursor=00000000-0000-0000-0000-00000000000%00',
    'unknown=1',
    '__proto__=1',
    '__proto__[limit]=1',
    'constructor=1',
    '%00=1',
    `cursor=${'x'.repeat(5000)}`,
  ]
  const lists = (Object.values(operations) as Operation[]).filter(({ query }) => query)

  test.runIf(isOneNode).each(bad)('%s', async query => {
    for (const { path } of inTurn(lists, bad.indexOf(query))) {
      const place = path.replace(':spaceId', spaceId).replace(':roomId', roomId)
      const token = path === '/v1/users' || path.includes('operator') ? lectern.operator.token : owner.token
      expectProblem(await lectern.request('GET', `${place}?${query}`, { token }), 400, 'invalid_request')
    }
  })

  test('a cursor nobody gave out is a place in the list like any other', async () => {
    const cursor = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    expect((await owner.listRooms({ spaceId, cursor })).items).toHaveLength(1)
    expect((await owner.listMembers({ spaceId, cursor })).items).toEqual([])
  })
})

describeBeforeStore('headers', () => {
  test('an Idempotency-Key of another form', async () => {
    for (const key of ['', 'x'.repeat(256), 'two words', 'é']) {
      const answer = await lectern.request('POST', '/v1/spaces', {
        token: owner.token,
        headers: { 'idempotency-key': key },
        body: { name: 'Space' },
      })
      expectProblem(answer, 400, 'invalid_request')
    }
  })

  test.each([
    ['no scheme', (token: string) => token],
    ['another scheme', (token: string) => `Basic ${token}`],
    ['an empty token', () => 'Bearer '],
    ['two tokens', (token: string) => `Bearer ${token} ${token}`],
    ['a quoted token', (token: string) => `Bearer "${token}"`],
    ['nothing', () => ''],
  ])('an Authorization with %s', async (_, header) => {
    expectProblem(
      await lectern.request('GET', '/v1/users/me', { headers: { authorization: header(owner.token) } }),
      401,
      'token_invalid',
    )
  })

  test.runIf(isOneNode)('what is no HTTP at all', async () => {
    for (const lines of [['\u0000\u0001\u0002'], ['GET / HTTP/1.1', 'host: x', 'bad header']]) {
      const answer = await raw(lines)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('application/problem+json')
      expect(answer).toContain('"code":"invalid_request"')
    }
    expect(await raw(['GET / HTTP/1.1', 'host: x', `x: ${'x'.repeat(100_000)}`])).toMatch(/^HTTP\/1\.1 4\d\d /)
    const both = ['POST /v1/spaces HTTP/1.1', 'host: x', 'content-length: 5', 'transfer-encoding: chunked']
    expect(await raw(both, '0\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
  })
})

/** Bytes on a connection of our own: what fetch refuses to send. Gives all that comes back. */
const raw = (lines: string[], body = '') =>
  new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(lectern.url)
    const socket = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname)
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', chunk => {
      text += chunk
      // One answer is enough; the service may keep the connection open after it.
      if (/\r\n\r\n.*\}$/s.test(text)) socket.destroy()
    })
    socket.on('close', () => resolve(text))
    socket.on('error', error => (text ? resolve(text) : reject(error)))
    socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1'))
  })

describeBeforeStore('cookies', () => {
  const cookie = () => `accessToken=${owner.token}`
  const origin = () => new URL(lectern.url).origin

  test('text/plain does not count on a cookie, wherever it comes from', async () => {
    await expectNothingStored(async () => {
      for (const headers of [{ origin: origin() }, { origin: 'https://evil.example' }, {}] as Record<string, string>[])
        for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
          const answer = await lectern.request('POST', '/v1/spaces', {
            headers: { ...headers, cookie: cookie(), 'content-type': type },
            raw: '{"name":"Space"}',
          })
          expectProblem(answer, headers.origin === origin() ? 415 : 403)
        }
    })
  })

  test('a header that is not right is not made good by a cookie', async () => {
    const headers = { cookie: cookie(), origin: origin(), authorization: 'Bearer x' }
    expectProblem(await lectern.request('GET', '/v1/users/me', { headers }), 401, 'token_invalid')
  })

  test('rubbish in cookies is no token', async () => {
    for (const value of ['accessToken=', 'accessToken=%', 'accessToken=x.y.z', `accessToken=${'x'.repeat(4000)}`])
      expectProblem(await lectern.request('GET', '/v1/users/me', { headers: { cookie: value } }), 401, 'token_invalid')
    expectProblem(
      await lectern.request('GET', '/v1/users/me', { headers: { cookie: '__proto__=x; =; ;;' } }),
      401,
      'token_required',
    )
  })
})

describeBeforeStore('tokens that are not ours', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
  let key: Buffer
  let claims: Record<string, unknown>

  beforeAll(() => {
    key = loadKeys(lectern.config).signing
    claims = JSON.parse(Buffer.from(owner.token.split('.')[1] ?? '', 'base64url').toString())
  })

  const sign = (header: unknown, payload: unknown, secret: Buffer = key, hash = 'sha256') => {
    const text = `${encode(header)}.${encode(payload)}`
    return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`
  }
  const header = { alg: 'HS256', typ: 'at+jwt' }
  const status = async (token: string) => {
    const answer = await lectern.request('GET', '/v1/users/me', { headers: { authorization: `Bearer ${token}` } })
    if (answer.status !== 200) expectProblem(answer, 401, 'token_invalid')
    return answer.status
  }

  test('the test makes tokens as the service does', async () => {
    expect(await status(sign(header, claims))).toBe(200)
    expect(await status(sign(header, { ...claims, exp: inAnHour() }))).toBe(200)
  })

  test('no algorithm, another algorithm, another key, another type', async () => {
    const good = sign(header, claims)
    const [head, body, signature = ''] = good.split('.')
    for (const alg of ['none', 'None', 'NONE', 'nOnE', ''])
      for (const end of ['', signature]) expect(await status(`${encode({ ...header, alg })}.${body}.${end}`)).toBe(401)
    expect(await status(`${head}.${body}.`)).toBe(401)
    expect(await status(sign({ ...header, alg: 'HS512' }, claims, key, 'sha512'))).toBe(401)
    expect(await status(sign({ ...header, alg: 'HS384' }, claims, key, 'sha384'))).toBe(401)
    expect(await status(sign({ ...header, alg: 'RS256' }, claims))).toBe(401)
    expect(await status(sign({ ...header, alg: 'ES256' }, claims))).toBe(401)
    expect(await status(sign(header, claims, Buffer.alloc(32)))).toBe(401)
    expect(await status(sign(header, claims, Buffer.alloc(0)))).toBe(401)
    expect(await status(sign({ ...header, typ: 'JWT' }, claims))).toBe(401)
    expect(await status(sign({ alg: 'HS256' }, claims))).toBe(401)
    expect(await status(sign({ ...header, crit: ['x'] }, claims))).toBeOneOf([200, 401])
  })

  test('expired, without an end, or with one that is no time', async () => {
    const now = Math.floor(Date.now() / 1000)
    expect(await status(sign(header, { ...claims, exp: now }))).toBe(401)
    expect(await status(sign(header, { ...claims, exp: now - 60 }))).toBe(401)
    expect(await status(sign(header, { ...claims, exp: undefined }))).toBe(401)
    for (const exp of [null, String(inAnHour()), true, {}, [inAnHour()], -1, 0])
      expect(await status(sign(header, { ...claims, exp }))).toBe(401)
  })

  test('for someone else, or for nobody', async () => {
    for (const change of [
      { iss: 'other' },
      { iss: undefined },
      { aud: 'operator' },
      { aud: undefined },
      { aud: ['user'] },
      { sub: undefined },
      { sub: null },
      { sub: 1 },
      { sub: '' },
      { sub: owner.id },
      { sub: { id: 1 } },
      { aud: 'guest' },
    ])
      expect(await status(sign(header, { ...claims, ...change })), JSON.stringify(change)).toBe(401)
  })

  test('not in the form of a token', async () => {
    const [head = '', body = '', signature = ''] = owner.token.split('.')
    for (const token of [
      'x',
      '..',
      '...',
      'a.b.c',
      `${head}.${body}`,
      `${head}.${body}.${signature}.${signature}`,
      `${head}.${body}.${signature.slice(0, -1)}`,
      `${head}.${body}.${signature}A`,
      `${body}.${head}.${signature}`,
      `${encode(null)}.${body}.${signature}`,
      `${head}.${encode(null)}.${signature}`,
      sign(null, claims),
      sign([], claims),
      sign('x', claims),
      sign(header, null),
      sign(header, []),
      sign(header, 'x'),
      'x'.repeat(8000),
    ])
      expect(await status(token), token.slice(0, 60)).toBe(401)
  })
})
