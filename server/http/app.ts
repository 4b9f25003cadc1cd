import { randomBytes } from 'node:crypto'
import cors from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { operations } from '../../contract/operations.ts'
import type { Config } from '../config.ts'
import { EngineFailure } from '../media/engine.ts'
import { isSignalling } from '../media/signalling.ts'
import { auditRoutes } from '../routes/audit.ts'
import { banRoutes } from '../routes/bans.ts'
import { callControlRoutes } from '../routes/callControls.ts'
import { callRoutes } from '../routes/calls.ts'
import { clientRoutes } from '../routes/clients.ts'
import { inviteRoutes } from '../routes/invites.ts'
import { linkRoutes } from '../routes/links.ts'
import { logoRoutes } from '../routes/logos.ts'
import { mediaRoutes } from '../routes/media.ts'
import { memberRoutes } from '../routes/members.ts'
import { messageRoutes } from '../routes/messages.ts'
import { personalTokenRoutes } from '../routes/personalTokens.ts'
import { recordRoutes } from '../routes/records.ts'
import { roleRoutes } from '../routes/roles.ts'
import { roomRoutes } from '../routes/rooms.ts'
import { serviceRoutes } from '../routes/service.ts'
import { spaceRoutes } from '../routes/spaces.ts'
import { statusRoutes } from '../routes/status.ts'
import { streamRoutes } from '../routes/streams.ts'
import { tokenRoutes } from '../routes/tokens.ts'
import { userRoutes } from '../routes/users.ts'
import { waitingRoutes } from '../routes/waiting.ts'
import { webhookRoutes } from '../routes/webhooks.ts'
import { isStorageFailure } from '../store/failures.ts'
import { BODY_LIMIT, readBodies, readFiles, readForms } from './bodies.ts'
import {
  type ConnectionTimeouts,
  endIdleConnections,
  fittingConnections,
  limitConnections,
  lookEvery,
} from './connections.ts'
import type { Context } from './context.ts'
import { createServe } from './gate.ts'
import { observeRequests } from './observe.ts'
import { pageRoutes } from './pages.ts'
import { createPaths, noRoute } from './paths.ts'
import { Problem } from './problem.ts'
import { createProxies, createProxyWarning } from './proxies.ts'
import { createSerializer } from './serialize.ts'
import { endSocket, rawAnswer } from './sockets.ts'
import { validateRequests } from './validation.ts'

/** The whole service, ready to listen or to be asked by a test. */
export const buildApp = (
  context: Context,
  logger: FastifyBaseLogger,
  timeouts: ConnectionTimeouts,
): FastifyInstance => {
  const { config } = context
  const proxies = createProxies(config.trustedProxies)
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Our lines name the request themselves; a logger for each request is not needed.
    childLoggerFactory: shared => shared,
    bodyLimit: BODY_LIMIT,
    trustProxy: config.trustedProxies.length > 0 ? proxies.isTrusted : false,
    forceCloseConnections: 'idle',
    // What still comes in on an open connection is answered as ever, and the connection closed after it.
    return503OnClosing: false,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    http: {
      shouldUpgradeCallback: isSignalling,
      // Also here: with the time for headers left above it, Node would wait for bodies without end.
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: lookEvery(timeouts),
    },
    genReqId: createRequestIds(),
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (error, request, reply) => sendFailure(error, request, reply),
    clientErrorHandler: (error, socket) => {
      const { code } = error as { code?: string }
      if (code === 'HPE_HEADER_OVERFLOW') endSocket(socket, tooLongRequest)
      else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') endSocket(socket, rawAnswer(408))
      else endSocket(socket, malformedRequest)
    },
  })
  // No route of ours has it. Taken for a method with a body, it would be refused for what it lacks, not for what it is.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })
  limitConnections(app.server, config.maxConnections ?? fittingConnections(), proxies.isTrusted)
  endIdleConnections(app.server, timeouts)

  app.decorateRequest('claims', null)
  app.decorateRequest('standing', null)
  app.decorateRequest('standingAt', 0)

  // Also routes that plugins bring: closed unless someone decided otherwise.
  const served = new Set<string>()
  const paths = createPaths()
  app.addHook('onRoute', route => {
    if (route.method === 'OPTIONS') return
    if (!route.config?.rule) throw new Error(`${route.method} ${route.url} declares no rule of who may call it`)
    served.add(`${route.method} ${route.url}`)
    paths.add(route.url, route.method)
  })
  app.addHook('onReady', async () => {
    for (const [name, { method, path }] of Object.entries(operations))
      if (!served.has(`${method} ${path}`)) throw new Error(`the operation ${name} is not served`)
  })

  const headers = answerHeaders(config)
  const warnOfUnknownProxy = createProxyWarning(logger, proxies)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(headers)
    if (context.isStopping()) reply.header('connection', 'close')
    warnOfUnknownProxy(request)
    done()
  })
  if (config.corsOrigins.length > 0) {
    // Of what is no preflight the plugin would say so in a way of its own.
    app.addHook('onRequest', ({ method, headers, url }, _reply, done) => {
      const isPreflight = headers.origin !== undefined && headers['access-control-request-method'] !== undefined
      done(method === 'OPTIONS' && !isPreflight ? noRoute(paths, url) : undefined)
    })
    app.register(cors, {
      origin: config.corsOrigins,
      // Tokens in the header, never cookies.
      credentials: false,
      methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['retry-after', 'ratelimit', 'ratelimit-policy', 'x-request-id'],
    })
  }

  validateRequests(app)
  app.setSerializerCompiler(({ schema }) => createSerializer(schema))
  readBodies(app)
  app.setErrorHandler(sendFailure)

  observeRequests(app, context.metrics)
  const serve = createServe(app, context)
  userRoutes(serve, context)
  clientRoutes(serve, context)
  personalTokenRoutes(serve, context)
  spaceRoutes(serve, context)
  memberRoutes(serve, context)
  inviteRoutes(serve, context)
  roomRoutes(serve, context)
  roleRoutes(serve, context)
  linkRoutes(serve, context)
  callRoutes(serve, context)
  waitingRoutes(serve, context)
  callControlRoutes(serve, context)
  recordRoutes(app, serve, context)
  streamRoutes(app, serve, context)
  banRoutes(serve, context)
  auditRoutes(serve, context)
  messageRoutes(serve, context)
  webhookRoutes(serve, context)
  statusRoutes(serve, context)
  app.register(async oauth => {
    readForms(oauth)
    tokenRoutes(serve, createServe(oauth, context), context)
  })
  app.register(async uploads => {
    readFiles(uploads, operations.setSpaceLogo.upload)
    logoRoutes(app, createServe(uploads, context), context)
  })
  mediaRoutes(app, context, proxies)
  serviceRoutes(app, context)
  pageRoutes(app, context, paths)
  return app
}

/** What we answer is data, for the caller alone; pages bring a policy of their own. */
const answerHeaders = ({ publicUrl }: Config) => ({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  ...(publicUrl?.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
})

const rawProblem = (detail: string) => {
  const { body, status } = new Problem('invalid_request', detail)
  return rawAnswer(status, { 'content-type': 'application/problem+json' }, JSON.stringify(body))
}
const malformedRequest = rawProblem('Invalid HTTP request.')
const tooLongRequest = rawProblem('The path, query and headers must be at most 16 KiB together.')

/** Short, unique across restarts, and cheap. */
const createRequestIds = () => {
  const start = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${start}-${(++count).toString(36)}`
}

/** The one place where failures become answers. What we did not foresee is logged and told to nobody. */
const sendFailure = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  const problem = toProblem(error)
  // Also for what fails before any hook has run.
  reply.header('x-request-id', request.id)
  if (problem.status >= 500) request.log.error({ id: request.id, err: error }, 'failed')
  reply.code(problem.status).headers(problem.headers)
  if (request.routeOptions?.config?.oauth) return sendOAuthError(problem, reply)
  if (problem.status === 401 || problem.scope) reply.header('www-authenticate', bearerChallenge(problem))
  return reply.type('application/problem+json').send(JSON.stringify(problem.body))
}

/** RFC 6750 §3: without a token nothing is said of an error. */
const bearerChallenge = ({ code, message, scope }: Problem) => {
  if (scope) return `Bearer realm="lectern", error="insufficient_scope", scope="${scope}"`
  return code === 'token_invalid'
    ? `Bearer realm="lectern", error="invalid_token", error_description="${message.replace(/[^\x20-\x7e]|["\\]/g, '')}"`
    : 'Bearer realm="lectern"'
}

const frameworkProblems: Record<string, () => Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Problem('body_too_large', 'The body must be at most 1 MiB.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Problem('unsupported_media_type', 'Send the body as application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Problem('malformed_body', 'The body length does not match Content-Length.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem('not_found', 'Path parameter is too long.'),
  FST_ERR_BAD_URL: () => new Problem('invalid_request', 'The URL is not encoded correctly.'),
}

const toProblem = (error: unknown): Problem => {
  if (error instanceof Problem) return error
  const { code, statusCode = 500 } = error as { code?: string; statusCode?: number }
  const known = code && frameworkProblems[code]
  if (known) return known()
  // Before the database is looked at: a client that goes before its body is complete is a connection reset, too.
  if (statusCode >= 400 && statusCode < 500) return new Problem('invalid_request', 'The request could not be parsed.')
  if (isStorageFailure(error))
    return new Problem('unavailable', 'The database is unavailable. Try again in a moment.', {
      headers: { 'retry-after': '1' },
    })
  if (error instanceof EngineFailure)
    return new Problem('media_starting', 'The media engine is not responding. Try again in a moment.', {
      headers: { 'retry-after': '5' },
    })
  return new Problem(
    'internal',
    'Something went wrong. To find the cause, search the log for the x-request-id of this response.',
  )
}

const sendOAuthError = (problem: Problem, reply: FastifyReply) => {
  const error =
    problem.code === 'credentials_invalid'
      ? 'invalid_grant'
      : problem.code === 'token_invalid'
        ? 'invalid_client'
        : problem.status >= 500 || problem.code === 'rate_limited'
          ? 'temporarily_unavailable'
          : problem.errors?.find(({ path }) => path === '/grant_type')?.code === 'not_one_of'
            ? 'unsupported_grant_type'
            : 'invalid_request'
  // RFC 6749 §5.2: a refused grant is a bad request; a client that is not right is told how it may authenticate.
  if (error === 'invalid_grant') reply.code(400)
  if (error === 'invalid_client') reply.header('www-authenticate', 'Basic realm="lectern", charset="UTF-8"')
  return reply.type('application/json').send(JSON.stringify({ error, error_description: problem.message }))
}
