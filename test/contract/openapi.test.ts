import { validate } from '@scalar/openapi-parser'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import Type, { type TObject } from 'typebox'
import { describe, expect, test } from 'vitest'
import { closed } from '../../contract/common.ts'
import { createComponents } from '../../contract/components.ts'
import { type ErrorCode, errorCodes, type Problem } from '../../contract/errors.ts'
import { events } from '../../contract/events.ts'
import { openApiDocument } from '../../contract/openapi.ts'
import type { Operation } from '../../contract/operation.ts'
import { type OperationName, operations } from '../../contract/operations.ts'
import { dereferenced } from '../support/dereferenced.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document of any depth, looked into by the tests
const document = JSON.parse(JSON.stringify(openApiDocument('https://lectern.example'))) as any
const whole = dereferenced(document)
const all = Object.entries(operations) as [string, Operation][]

const described = (operation: Operation, from = whole) =>
  from.paths[operation.path.replace(/:(\w+)/g, '{$1}')][operation.method.toLowerCase()]

test('is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await validate(document)
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
  expect(document.openapi).toBe('3.1.0')
})

test('names the operations of the interface as it does', () => {
  const asked = [
    ['createUser', 'POST', '/v1/users'],
    ['createSpaces', 'POST', '/v1/spaces'],
    ['createRooms', 'POST', '/v1/spaces/{spaceId}/rooms'],
    ['createInvite', 'POST', '/v1/spaces/{spaceId}/invites'],
    ['activateInvite', 'POST', '/v1/spaces/{spaceId}/invites/{inviteId}/activate'],
    ['grantRole', 'POST', '/v1/spaces/{spaceId}/rooms/{roomId}/roles'],
    ['generateAccess', 'POST', '/v1/spaces/{spaceId}/rooms/{roomId}/generate-access'],
    ['createWebhook', 'POST', '/v1/spaces/{spaceId}/webhook'],
    ['updateWebhook', 'PUT', '/v1/spaces/{spaceId}/webhook'],
    ['getWebhook', 'GET', '/v1/spaces/{spaceId}/webhook'],
    ['deleteWebhook', 'DELETE', '/v1/spaces/{spaceId}/webhook'],
    ['refreshSecret', 'PUT', '/v1/spaces/{spaceId}/webhook/refresh-secret'],
  ] as const
  for (const [operationId, method, path] of asked)
    expect(document.paths[path]?.[method.toLowerCase()]?.operationId, `${method} ${path}`).toBe(operationId)
})

test('has no path that two templates match', () => {
  const paths = Object.keys(document.paths).map(path => path.split('/'))
  const isOpen = (part: string | undefined) => part?.startsWith('{')
  const both = (a: string[], b: string[]) =>
    a.length === b.length && a.every((part, at) => part === b[at] || isOpen(part) || isOpen(b[at]))
  /** A router takes it for the one that says more; here each says something that the other leaves open. */
  const isAmbiguous = (a: string[], b: string[]) =>
    both(a, b) &&
    a.some((part, at) => isOpen(part) && !isOpen(b[at])) &&
    b.some((part, at) => isOpen(part) && !isOpen(a[at]))
  for (const a of paths) for (const b of paths) expect(isAmbiguous(a, b), `${a.join('/')} ${b.join('/')}`).toBe(false)
})

describe.each(all)('%s', (name, operation) => {
  test('is described once, with its parameters and answer', () => {
    const { operationId, parameters, responses, summary } = described(operation)
    expect(operationId).toBe(name)
    expect(summary).toBeTruthy()
    const inPath = parameters.filter((parameter: { in: string }) => parameter.in === 'path')
    expect(inPath.map((parameter: { name: string }) => `:${parameter.name}`)).toEqual(
      operation.path.match(/:\w+/g) ?? [],
    )
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '429', 'default']))
  })

  test('has names that can stand in one object', () => {
    const names = [
      ...(operation.path.match(/:(\w+)/g) ?? []).map(parameter => parameter.slice(1)),
      ...Object.keys(operation.query?.properties ?? {}),
      ...Object.keys(operation.body?.properties ?? {}),
    ]
    expect(new Set(names).size).toBe(names.length)
  })
})

describe.each(all.filter(([, { body }]) => body))('the body of %s', (_, operation) => {
  test('has an example that is valid', () => {
    const { schema, example } = described(operation).requestBody.content['application/json']
    const ajv = new Ajv({ strict: false, logger: false })
    addFormats.default(ajv)
    ajv.addFormat('http-url', text => URL.canParse(text))
    const check = ajv.compile(schema)
    expect(check(example), JSON.stringify({ example, errors: check.errors })).toBe(true)
    if (operation.method === 'PATCH') expect(Object.keys(example), 'it changes something').not.toEqual([])
  })
})

test('its patterns are read alike by the regular expressions of every language', () => {
  const patterns = new Set(
    [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\\\]|\\\\.)*")/g)].map(([, text = '']) =>
      JSON.parse(text),
    ),
  )
  expect(patterns.size).toBeGreaterThan(5)
  // Unicode classes, look-around, "any character" and escapes by number are written differently, or not known.
  for (const pattern of patterns) expect(pattern).not.toMatch(/\\[pPuxk]|\(\?|\[\^?\]/)
})

test('no text is taken that could not be stored', () => {
  const unchecked = (schema: object, path: string): string[] => {
    const { type, properties, items, anyOf } = schema as Record<string, object | undefined>
    const isChecked = ['pattern', 'format', 'enum'].some(keyword => keyword in schema)
    return [
      ...((type as unknown) === 'string' && !isChecked ? [path] : []),
      ...Object.entries(properties ?? {}).flatMap(([name, each]) => unchecked(each, `${path}/${name}`)),
      ...(items ? unchecked(items, `${path}[]`) : []),
      ...((anyOf ?? []) as object[]).flatMap(each => unchecked(each, path)),
    ]
  }
  const taken = Object.entries(operations as Record<string, Operation>).flatMap(([name, { query = {}, body = {} }]) => [
    ...unchecked(query, `${name}?`),
    ...unchecked(body, name),
  ])
  expect(taken).toEqual([])
})

describe('names', () => {
  const { schemas } = document.components
  const inOperation = (operation: Operation) => described(operation, document)

  test('what every operation answers, and what it takes', () => {
    for (const [name, operation] of all) {
      const { responses, requestBody } = inOperation(operation)
      expect(Object.keys(responses[200].content['application/json'].schema), name).toEqual(['$ref'])
      if (Object.keys(operation.body?.properties ?? {}).length > 0)
        expect(Object.keys(requestBody.content['application/json'].schema), name).toEqual(['$ref'])
    }
  })

  test('what lists are made of', () => {
    const lists = all.filter(([, { answer }]) => 'nextCursor' in ((answer as TObject).properties ?? {}))
    expect(lists.length).toBeGreaterThan(15)
    for (const [name, operation] of lists) {
      const { $ref } = inOperation(operation).responses[200].content['application/json'].schema
      const page = schemas[$ref.split('/').at(-1)]
      expect(`${page.properties.items.items.$ref}Page`, name).toBe($ref)
    }
  })

  test('in the way that generators make types of', () => {
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining([
        'Room',
        'Space',
        'User',
        'Link',
        'Delivery',
        'Call',
        'Participant',
        'Problem',
        'Message',
      ]),
    )
    for (const name of Object.keys(schemas)) expect(name).toMatch(/^[A-Z][A-Za-z]+$/)
  })

  test('nothing twice', () => {
    const { answer, body } = createComponents()
    answer(Type.Object({ a: Type.String() }, { title: 'A' }), '')
    expect(() => answer(Type.Object({ b: Type.String() }, { title: 'A' }), '')).toThrow('named A')
    expect(() => body(Type.Object({ a: Type.String() }, { ...closed, title: 'A' }), '')).toThrow('named A')
  })
})

test('what is asked for is closed, and what is answered is open', () => {
  for (const [name, operation] of all) {
    const { requestBody, responses } = described(operation)
    const asked = requestBody?.content['application/json']?.schema
    // RFC 6749 §3.2: OAuth's own endpoints ignore what they don't know.
    if (asked && !operation.path.match(/auth.(token|revoke)/)) expect(asked.additionalProperties, name).toBe(false)
    expect(JSON.stringify(responses), name).not.toContain('"additionalProperties":false')
  }
})

test('says of each operation which codes it can refuse with', () => {
  const codesOf = (name: OperationName, status: number) =>
    Object.keys(described(operations[name]).responses[status].content['application/problem+json'].examples)
  expect(codesOf('createUser', 409)).toEqual(expect.arrayContaining(['email_taken', 'username_taken']))
  expect(codesOf('createWebhook', 403)).toEqual(expect.arrayContaining(['plan_required', 'not_allowed']))
  expect(codesOf('redeemAccess', 410)).toEqual(['link_used', 'link_expired', 'link_revoked'])
  expect(Object.keys(described(operations.getSession).responses)).toEqual(['200', '400', '429', 'default'])
  const isProblem = new Ajv({ strict: false, logger: false }).compile(whole.components.schemas.Problem)
  for (const [code, { value }] of Object.entries<{ value: Problem }>(whole.components.examples)) {
    expect(isProblem(value), code).toBe(true)
    expect([value.code, value.status]).toEqual([code, errorCodes[code as ErrorCode][0]])
  }
})

test('lists of values that can grow are open in answers, and a default is said only of what creates', () => {
  expect(whole.components.schemas.Problem.properties.code).toMatchObject({
    type: 'string',
    'x-extensible-enum': Object.keys(errorCodes),
  })
  expect(whole.components.schemas.Problem.properties.code.enum).toBeUndefined()
  expect(whole.components.schemas.NewRoom.properties.type.default).toBe('lesson')
  for (const [, operation] of all) {
    const { requestBody, responses } = described(operation)
    // A generated client would send it, and change what nobody asked to change.
    if (operation.method === 'PATCH') expect(JSON.stringify(requestBody)).not.toContain('"default":')
    expect(JSON.stringify(responses[200])).not.toContain('"default":')
  }
})

describe('webhooks', () => {
  test.each([...Object.keys(events), 'webhook_test'])('%s is described with its body and signature', name => {
    const { schema } = whole.webhooks[name].post.requestBody.content['application/json']
    expect(schema.required).toEqual(['body', 'signature'])
    const { eventName, roomId, spaceId } = schema.properties.body.properties
    expect(eventName.const).toBe(name)
    expect([roomId.type, spaceId.type]).toEqual(['string', 'string'])
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false')
  })

  test('are all that an owner can subscribe to, and the test', () => {
    const { items } = described(operations.setWebhookEvents).requestBody.content['application/json'].schema.properties
      .events
    expect(Object.keys(whole.webhooks).sort()).toEqual([...items.enum, 'webhook_test'].sort())
  })
})
