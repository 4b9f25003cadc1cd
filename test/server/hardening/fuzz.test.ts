import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorCodes } from '../../../contract/errors.ts'
import { type OperationName, operations } from '../../../contract/operations.ts'
import { tokenOf } from '../../support/cast.ts'
import { dereferenced } from '../../support/dereferenced.ts'
import { describedFetch } from '../../support/described.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'
import { isLong } from '../../support/long.ts'

/*
 * Every operation of the service's own reference document, with requests made from that document: good, nearly good
 * and hopeless ones, from callers of every kind. No answer is a 5xx, each refusal is a problem of the closed list, and
 * each success has the form the document promises.
 */

const SEED = 20260131
/** For each operation. */
const RUNS = isLong ? 600 : 5

interface Schema {
  type?: string | string[]
  enum?: string[]
  anyOf?: Schema[]
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
}
interface Described {
  operationId: OperationName
  parameters: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content: Record<string, { schema: object }> }>
}

let lectern: Lectern
let owner: Person
let other: Person
let member: Person
let document: { paths: Record<string, Record<string, Described>>; components: { schemas: { Problem: object } } }
let isProblem: ValidateFunction
let sent = 0
const answered: Record<number, number> = {}

/** Real ids by the name of their parameter; some of them of a space that most callers cannot see. */
let real: Record<string, string[]>
/** The same, for operations that would destroy what all others work with. */
let doomed: Record<string, string[]>
let tokens: Record<string, string>
const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv, ['email', 'date-time'])
ajv.addFormat('http-url', true)

beforeAll(async () => {
  console.log(`fuzzing with seed ${SEED}`)
  lectern = await startLectern()
  const { body } = await lectern.request('GET', '/openapi.json')
  document = dereferenced(body)
  isProblem = ajv.compile(document.components.schemas.Problem)
  ;[owner, other, member] = await Promise.all([lectern.user(), lectern.user(), lectern.user()])
  const stranger = await lectern.user()
  const { clientId, clientSecret } = await owner.createClient({ name: 'Client' })
  const client = await lectern.anonymous.createToken({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })

  const spaceId = (await owner.createSpaces({ name: 'Private' })).id
  const publicSpace = (await owner.createSpaces({ name: 'Public', isPublic: true })).id
  const foreignSpace = (await other.createSpaces({ name: 'Foreign' })).id
  const room = await owner.createRooms({ spaceId, name: 'Room' })
  const publicRoom = await owner.createRooms({ spaceId: publicSpace, name: 'Room', isPublic: true, type: 'webinar' })
  const foreignRoom = await other.createRooms({ spaceId: foreignSpace, name: 'Room' })
  const link = await owner.generateAccess({ spaceId, roomId: room.id, role: 'moderator', username: 'Guest' })
  const guest = await lectern.anonymous.redeemAccess({ accessToken: tokenOf(link) })
  const foreignInvite = await other.createInvite({ spaceId: foreignSpace, role: 'role_space_user' })
  const { items: links } = await owner.listLinks({ spaceId, roomId: room.id })

  tokens = {
    owner: owner.token,
    other: other.token,
    member: member.token,
    stranger: stranger.token,
    operator: lectern.operator.token,
    client: client.access_token,
    guest: guest.guestToken,
    forged: `${owner.token.slice(0, -4)}AAAA`,
    none: '',
  }
  real = {
    spaceId: [spaceId, spaceId, publicSpace, foreignSpace],
    roomId: [room.id, room.id, room.alias, publicRoom.id, publicRoom.alias, foreignRoom.id],
    alias: [room.alias, publicRoom.alias, foreignRoom.alias],
    inviteId: [foreignInvite.id],
    userId: [owner.id, member.id, other.id],
    linkId: links.map(({ id }) => id),
    clientId: [clientId],
    sessionId: [member.id],
  }
})
afterAll(() => console.log(`${sent} requests, answered with`, answered))

/** What the operation before may have used up. */
beforeEach(async () => {
  const [spaceId = '', , publicSpace = ''] = real.spaceId ?? []
  const [roomId = ''] = real.roomId ?? []
  const doomedSpace = (await owner.createSpaces({ name: 'Doomed' })).id
  const doomedRoom = await owner.createRooms({ spaceId, name: 'Doomed' })
  const doomedClient = await owner.createClient({ name: 'Doomed' })
  const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_user' })
  await member.activateInvite({ spaceId, inviteId })
  await owner.grantRole({ spaceId, roomId, targetUserId: member.id, role: 'role_room_user' })
  const fresh = await owner.createInvite({ spaceId, role: 'role_space_moderator' })
  const open = await owner.createInvite({ spaceId: publicSpace, role: 'role_space_user' })
  real = { ...real, inviteId: [inviteId, fresh.id, open.id] }
  doomed = {
    ...real,
    spaceId: [doomedSpace],
    roomId: [doomedRoom.id, doomedRoom.alias],
    clientId: [doomedClient.clientId],
    userId: [inviteId],
    sessionId: [],
  }
})
const destructive = new Set<OperationName>([
  'deleteUser',
  'resetPassword',
  'deleteSpace',
  'setSpaceOwner',
  'deleteRoom',
  'deleteClient',
  'endSession',
])

// Values.

const nasty = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\u202e\u2066',
  '\u2028',
  '😀'.repeat(100),
  'x'.repeat(201),
  'x'.repeat(5000),
  "'; DROP TABLE users; --",
  '%',
  '%00',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-0',
  '1e309',
  '../../etc/passwd',
  '{{7*7}}',
  'https://example.com',
  'javascript:alert(1)',
  'http://[::1',
  'a@b',
  'İ@example.com',
  '2026-12-31T23:59:60Z',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59.999999999+23:59',
  '2026-01-01T00:00:00+24',
]
const anyText = fc.oneof(fc.constantFrom(...nasty), fc.string(), fc.string({ unit: 'binary', maxLength: 300 }))
const anyValue = fc.oneof(
  anyText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, true, 0, -1, 60.5, 1e21, '60', [], {}, [[]], { length: 1 }),
)

/** Fits the schema, or nearly: at the edges of what it allows, and at times just beyond. */
const fitting = (schema: Schema): fc.Arbitrary<unknown> => {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fitting))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map(type => fitting({ ...schema, type })))
  if (schema.type === 'null') return fc.constant(null)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = 1e6 } = schema
    return fc.oneof(
      fc.integer({ min: minimum, max: maximum }),
      fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1, minimum + 0.5),
    )
  }
  const texts: fc.Arbitrary<string>[] = [fc.string({ minLength: schema.minLength ?? 0, maxLength: 40 }), anyText]
  if (schema.maxLength) texts.push(fc.constantFrom('y'.repeat(schema.maxLength), 'y'.repeat(schema.maxLength + 1)))
  if (schema.format === 'email') texts.push(fc.emailAddress(), fc.emailAddress())
  if (schema.format === 'date-time')
    texts.push(
      fc.date({ noInvalidDate: true }).map(date => date.toISOString()),
      fc.constant('2027-01-31T00:00:00Z'),
    )
  if (schema.format === 'http-url') texts.push(fc.webUrl(), fc.webUrl({ withQueryParameters: true }))
  const examples = (schema.examples ?? []) as string[]
  return examples.length > 0
    ? fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...examples) },
        ...texts.map(arbitrary => ({ weight: 1, arbitrary })),
      )
    : fc.oneof(...texts)
}

const bodyOf = ({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> => {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fitting(schema)]))
  // The ids of people are as real as those of the path.
  for (const name of ['targetUserId', 'userId'])
    if (fields[name])
      fields[name] = fc.oneof(
        fields[name],
        fc.nat().map(index => `real:userId:${index}`),
      )
  const whole = fc.record(fields, { requiredKeys: required })
  return fc.oneof(
    { weight: 6, arbitrary: whole },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(whole, fc.oneof(fc.constantFrom(...Object.keys(fields), 'unknown'), anyText), anyValue)
        .map(([body, name, value]) => ({ ...body, [name]: value })),
    },
    { weight: 1, arbitrary: anyValue },
  )
}

interface Sent {
  caller: string
  by: 'header' | 'cookie'
  params: Record<string, string>
  query: [string, string][]
  key: string | undefined
  contentType: string
  body: unknown
  /** Sent as it is, in place of the body. */
  text: string | undefined
}

/** `real:…` stands for an id that is known only when the request is sent. */
const idOf = (name: string): fc.Arbitrary<string> => {
  const known = fc.nat().map(index => `real:${name}:${index}`)
  const mixedUp = fc
    .tuple(fc.constantFrom('spaceId', 'roomId', 'inviteId', 'userId', 'linkId'), fc.nat())
    .map(([kind, index]) => `real:${kind}:${index}`)
  return fc.oneof(
    { weight: 7, arbitrary: known },
    { weight: 1, arbitrary: mixedUp },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: anyText },
  )
}

const requestOf = ({ parameters, requestBody }: Described): fc.Arbitrary<Sent> => {
  const names = (where: string) => parameters.filter(parameter => parameter.in === where)
  const schema = requestBody?.content['application/json']?.schema
  const queryValue = fc.oneof(fc.constantFrom('1', '2', '200', '0', '201', '1.5', '1e2', ''), fc.uuid(), anyText)
  return fc.record({
    caller: fc.constantFrom('owner', 'owner', 'owner', ...Object.keys(tokens)),
    by: fc.constantFrom('header' as const, 'header' as const, 'header' as const, 'cookie' as const),
    params: fc.record(Object.fromEntries(names('path').map(({ name }) => [name, idOf(name)]))),
    query:
      names('query').length === 0
        ? fc.constant([])
        : fc.array(fc.tuple(fc.oneof(fc.constantFrom('limit', 'cursor'), anyText), queryValue), { maxLength: 2 }),
    key: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('one', 'two', 'three', 'x'.repeat(256), 'with space') },
    ),
    contentType: fc.oneof(
      { weight: 8, arbitrary: fc.constant('application/json') },
      { weight: 2, arbitrary: fc.constant('text/plain') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('', 'application/x-www-form-urlencoded', 'application/xml', ';', 'x'.repeat(200)),
      },
    ),
    body: schema ? bodyOf(schema) : fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, anyValue),
    text: fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.oneof(anyText, fc.json(), fc.constantFrom('{', '[[[[', '{"a":1}}', 'grant_type=x')) },
    ),
  })
}

// Sending.

const send = async (method: string, template: string, name: OperationName, request: Sent) => {
  const pool = destructive.has(name) ? doomed : real
  const resolve = (text: string) => {
    const [, kind, index] = /^real:(\w+):(\d+)$/.exec(text) ?? []
    const ids = kind ? (pool[kind] ?? []) : []
    return kind ? (ids[Number(index) % ids.length] ?? 'none') : text
  }
  const path = template.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const id = resolve(request.params[parameter] ?? '').toWellFormed()
    // An address of dots alone would lead to another operation.
    return encodeURIComponent(/^\.*$/.test(id) ? 'dots' : id)
  })
  const query = request.query.map(pair => pair.map(part => encodeURIComponent(part.toWellFormed())).join('=')).join('&')
  const token = tokens[request.caller]
  const headers: Record<string, string> = {}
  if (token && request.by === 'header') headers.authorization = `Bearer ${token}`
  if (token && request.by === 'cookie') {
    headers.cookie = `accessToken=${token}`
    headers.origin = new URL(lectern.url).origin
  }
  if (request.key !== undefined) headers['idempotency-key'] = request.key
  let text = request.text
  if (text === undefined && request.body !== undefined)
    text = JSON.stringify(request.body, (_, value) => (typeof value === 'string' ? resolve(value) : value))
  const hasBody = text !== undefined && method !== 'GET'
  if (hasBody && request.contentType) headers['content-type'] = request.contentType
  sent++
  const response = await describedFetch(`${lectern.url}${path}${query && `?${query}`}`, {
    method,
    headers,
    redirect: 'manual',
    ...(hasBody && { body: Buffer.from(text ?? '') }),
  })
  const answer = await response.text()
  answered[response.status] = (answered[response.status] ?? 0) + 1
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: answer, response }
}

const check = (
  { operationId: name, responses }: Described,
  isAnswer: ValidateFunction,
  { status, type, text, response }: Awaited<ReturnType<typeof send>>,
) => {
  const body = JSON.parse(text)
  const context = `${status} ${text.slice(0, 500)}`
  expect(response.headers.get('x-request-id'), context).toBeTruthy()
  if (status === 200) {
    expect(isAnswer(body), `${context} ${JSON.stringify(isAnswer.errors)}`).toBe(true)
    expect(type, context).toMatch(/^application\/json/)
    return
  }
  const isMediaOff = name === 'joinRoom' && status === 503 && body.code === 'media_off'
  if (!isMediaOff) expect(status, context).toBeLessThan(500)
  expect(status, context).toBeGreaterThanOrEqual(400)
  expect(text, context).not.toMatch(/SQLITE|node_modules|\bat \/|select "|argon2/i)
  const isOAuth = responses.default?.content['application/json'] !== undefined
  if (isOAuth) {
    expect(body, context).toEqual({ error: expect.any(String), error_description: expect.any(String) })
    expect(type, context).toMatch(/^application\/json/)
  } else {
    expect(isProblem(body), `${context} ${JSON.stringify(isProblem.errors)}`).toBe(true)
    expect(type, context).toMatch(/^application\/problem\+json/)
    // Whatever is wrong has a code of its own.
    for (const { code } of body.errors ?? []) expect(code, context).not.toBe('invalid')
    expect(errorCodes[body.code as keyof typeof errorCodes][0], context).toBe(status)
    expect(body.status, context).toBe(status)
  }
}

describe('fuzzing', () => {
  test('covers every operation', () => {
    const described = Object.values(document.paths).flatMap(path => Object.values(path).map(each => each.operationId))
    expect(described.sort()).toEqual(Object.keys(operations).sort())
  })

  test.each(Object.keys(operations) as OperationName[])('%s', async name => {
    const [path, method, described] = Object.entries(document.paths)
      .flatMap(([at, methods]) => Object.entries(methods).map(([verb, each]) => [at, verb, each] as const))
      .find(([, , each]) => each.operationId === name) as [string, string, Described]
    const isAnswer = ajv.compile(described.responses[200]?.content['application/json']?.schema ?? {})
    await fc.assert(
      fc.asyncProperty(requestOf(described), async request =>
        check(described, isAnswer, await send(method.toUpperCase(), path, name, request)),
      ),
      { seed: SEED, numRuns: RUNS },
    )
  })

  test('the callers are still who they were', async () => {
    expect((await owner.getMe()).id).toBe(owner.id)
    expect((await other.getMe()).id).toBe(other.id)
    const [spaceId = ''] = real.spaceId ?? []
    expect((await owner.getSpace({ spaceId })).role).toBe('role_space_owner')
    expect(sent).toBeGreaterThan(RUNS * 50)
  })
})
