import type { TSchema } from 'typebox'
import { createComponents } from './components.ts'
import { type ErrorCode, errorCodes, Problem, type Problem as ProblemBody } from './errors.ts'
import { describeEvents, EVENTS_TAG } from './eventRequests.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { PERSONAL_TOKEN_PREFIX } from './personalTokens.ts'
import { refusalsOf } from './refusals.ts'
import { Readiness } from './service.ts'
import { OAuthError } from './tokens.ts'

type Json = Record<string, unknown>
type Components = ReturnType<typeof createComponents>

const parameterDescriptions: Record<string, string> = {
  spaceId: 'ID of the space',
  roomId: 'ID or alias of the room',
  inviteId: 'ID of the invite',
  userId: 'ID of the user',
  alias: 'Alias of the room',
  participantId: 'ID of the participant, from `joinRoom` or `getLiveCall`',
  callId: 'ID of the call',
  linkId: 'ID of the link',
  messageId: 'ID of the message',
  tokenId: 'ID of the token',
}

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(parameterDescriptions[name] && { description: parameterDescriptions[name] }),
  }))

const queryParameters = (query: Operation['query'], components: Components) =>
  Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: query?.required?.includes(name) ?? false,
    schema: components.parameter(schema),
    description: (schema as { description?: string }).description,
  }))

/** A file as it is. Generators make no operation of a body without a schema. */
const binary = { type: 'string', format: 'binary' }

const preferWait = {
  name: 'Prefer',
  in: 'header',
  required: false,
  schema: { type: 'string', examples: ['wait=25'] },
  description:
    '`wait=N` (RFC 7240): where a moderator has to decide, the answer comes as soon as they have, or after N seconds, 25 at most.',
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  description:
    'Makes retries safe: a repeated request with the same key returns the same answer and is not performed twice. Kept for 24 hours (10 minutes for redeemAccess).',
}

/** A working example: the body's own, or the required fields with their examples, or else the first field's. */
const exampleOf = (body: NonNullable<Operation['body']>) => {
  const { examples, required = [], properties } = body as typeof body & { examples?: unknown[] }
  const example = (schema: TSchema) => (schema as { examples?: unknown[] }).examples?.[0]
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return examples?.[0] ?? Object.fromEntries(names.map(name => [name, example(properties[name] as TSchema)]))
}

const problem = (description: string, codes: ErrorCode[] = []) => ({
  description,
  content: {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      ...(codes.length > 0 && {
        examples: Object.fromEntries(codes.map(code => [code, { $ref: `#/components/examples/${code}` }])),
      }),
    },
  },
})

const wordsOf = (codes: ErrorCode[]) => codes.map(code => `\`${code}\`: ${errorCodes[code][1]}`).join('. ')

/** What many operations answer alike. */
const sharedAnswers: Record<string, ErrorCode[]> = {
  InvalidRequest: ['invalid_request'],
  BadRequest: ['invalid_request', 'malformed_body'],
  Unauthorized: ['token_invalid', 'token_required'],
  NotFound: ['not_found'],
  ContentTooLarge: ['body_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  IdempotencyMismatch: ['idempotency_mismatch'],
  TooManyRequests: ['rate_limited'],
}

/** By status, with an example for each code. */
const problemAnswers = (codes: ErrorCode[]) =>
  Object.fromEntries(
    [...Map.groupBy(codes, code => errorCodes[code][0])].map(([status, those]) => {
      const [shared] = Object.entries(sharedAnswers).find(([, known]) => `${known}` === `${those}`) ?? []
      return [status, shared ? { $ref: `#/components/responses/${shared}` } : problem(wordsOf(those), those)]
    }),
  )

const failures = (Object.keys(errorCodes) as ErrorCode[]).filter(code => errorCodes[code][0] >= 500)

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait before retrying', required: true, schema: { type: 'integer' } },
}

const problemExample = (code: ErrorCode): ProblemBody => {
  const [status, title] = errorCodes[code]
  return { type: `urn:lectern:problem:${code}`, title, status, detail: `${title}.`, code }
}

const oauthStatuses = {
  400: 'The request or the grant is not valid',
  401: 'The client is not authenticated',
  413: 'The body is too large',
  415: 'The content type is not supported',
  429: 'Too many requests',
}

/** What a personal access token needs for the operation. */
const needOf = ({ scope, tokens }: Operation) => {
  if (!tokens.includes('user')) return undefined
  if (scope === 'any') return 'A personal access token needs no scope.'
  return scope ? `A personal access token needs the scope \`${scope}\`.` : 'Closed to personal access tokens.'
}

const describedWith = (...parts: (string | undefined)[]) => {
  const description = parts.filter(part => part !== undefined).join('\n\n')
  return description ? { description } : {}
}

const describeOperation = (name: string, operation: Operation, components: Components): Json => {
  const {
    tag,
    summary,
    description,
    tokens,
    tokenOptional,
    body,
    query,
    upload,
    answer,
    files = [],
    idempotent,
    waits,
    path,
    scope,
  } = operation
  const form = path === '/v1/auth/token' || path === '/v1/auth/revoke'
  const oauthError = (text: string) => ({
    description: text,
    content: { 'application/json': { schema: components.answer(OAuthError, name) } },
  })
  const refusals = form
    ? Object.fromEntries(Object.entries(oauthStatuses).map(([status, text]) => [status, oauthError(text)]))
    : problemAnswers(refusalsOf(operation))
  const given = body && components.body(body, name)
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...describedWith(description, needOf(operation)),
    parameters: [
      ...pathParameters(path),
      ...queryParameters(query, components),
      ...(idempotent ? [idempotencyKey] : []),
      ...(waits ? [preferWait] : []),
    ],
    ...(body && {
      requestBody: {
        required: (body.required ?? []).length > 0,
        content: {
          'application/json': { schema: given, example: exampleOf(body) },
          ...(form && { 'application/x-www-form-urlencoded': { schema: given } }),
        },
      },
    }),
    ...(upload && {
      requestBody: { required: true, content: Object.fromEntries(upload.map(type => [type, { schema: binary }])) },
    }),
    responses: {
      200: {
        description: 'Success',
        content: {
          'application/json': { schema: components.answer(answer, name) },
          ...Object.fromEntries(files.map(type => [type, {}])),
        },
      },
      ...refusals,
      default: form ? oauthError('The service is not available right now') : { $ref: '#/components/responses/Failure' },
    },
    security: [
      ...(tokenOptional ? [{}] : []),
      ...tokens.map(kind => ({ [`${kind}Token`]: [] })),
      // The scopes of a token that is no OAuth token stand where OpenAPI 3.1 has roles.
      ...(scope ? [{ personalToken: scope === 'any' ? [] : [scope] }] : []),
    ],
  }
}

const token = (description: string) => ({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description })

/** OpenAPI 3.1 from the same declarations that validate requests and type the client. */
export const openApiDocument = (serverUrl: string): Json => {
  const components = createComponents()
  components.answer(Problem, '')
  components.answer(Readiness, '')
  const paths: Record<string, Json> = {}
  for (const [name, operation] of Object.entries(operations) as [string, Operation][]) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(name, operation, components) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lectern',
      version: '1',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      description:
        'Broadcasting for lessons and webinars: users, spaces, rooms, invites, roles and guest links.\n\n' +
        'Get a token from `/v1/auth/token`, or create a personal access token, and send it as ' +
        '`Authorization: Bearer <ACCESS_TOKEN>`. Bodies are JSON, as ' +
        '`application/json` or, with that header, as `text/plain`. Wherever a path takes a `roomId`, an alias works too. Errors are ' +
        `problems (RFC 9457) with one of these codes:\n\n${Object.entries(errorCodes)
          .map(([code, [status, title]]) => `- \`${code}\` (${status}): ${title}`)
          .join('\n')}\n\n` +
        '`/readyz` reports whether the service is ready (see Readiness), with status 200 or 503.',
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set(Object.values(operations).map(({ tag }) => tag)), EVENTS_TAG].map(name => ({ name })),
    paths,
    webhooks: describeEvents(components),
    components: {
      schemas: components.schemas,
      responses: {
        ...Object.fromEntries(
          Object.entries(sharedAnswers).map(([name, codes]) => [name, problem(wordsOf(codes), codes)]),
        ),
        TooManyRequests: { ...problem(wordsOf(['rate_limited']), ['rate_limited']), headers: retryAfter },
        Failure: problem('Something went wrong on our side, or is not available right now', failures),
      },
      examples: Object.fromEntries(
        (Object.keys(errorCodes) as ErrorCode[]).map(code => [
          code,
          { summary: errorCodes[code][1], value: problemExample(code) },
        ]),
      ),
      securitySchemes: {
        userToken: token('Access token of a user'),
        personalToken: {
          type: 'http',
          scheme: 'bearer',
          description: `Personal access token of a user. It begins with \`${PERSONAL_TOKEN_PREFIX}\` and is limited to its scopes`,
        },
        clientToken: token('Access token of an API client'),
        guestToken: token('Token of a guest, issued for a guest link and valid for its room only'),
      },
    },
  }
}
