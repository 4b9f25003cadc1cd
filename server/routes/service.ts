import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openApiDocument } from '../../contract/openapi.ts'
import { operations } from '../../contract/operations.ts'
import type { Readiness } from '../../contract/service.ts'
import { grantTypes } from '../../contract/tokens.ts'
import type { Config } from '../config.ts'
import type { Context } from '../http/context.ts'
import { createDocs } from '../http/docs.ts'
import { createGuides } from '../http/guides.ts'
import { Problem } from '../http/problem.ts'
import { describeMedia } from '../media/state.ts'
import { anyone, mayReadMetrics } from '../rules.ts'
import { ping } from '../store/health.ts'

const digest = (text: string) => createHash('sha256').update(text).digest()

const isBehindProxy = ({ publicUrl, trustedProxies }: Config) => publicUrl !== null || trustedProxies.length > 0

const holdsToken = ({ headers }: FastifyRequest, { metricsToken }: Config) => {
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  return given !== undefined && metricsToken !== null && timingSafeEqual(digest(given), digest(metricsToken))
}

/** And not forwarded for somebody else. */
const isOnThisMachine = ({ headers, socket }: FastifyRequest) =>
  ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(socket.remoteAddress ?? '') &&
  headers['x-forwarded-for'] === undefined &&
  headers.forwarded === undefined

const scraperOf = (request: FastifyRequest, config: Config) => ({
  holdsToken: holdsToken(request, config),
  isOnThisMachine: isOnThisMachine(request),
  isBehindProxy: isBehindProxy(config),
})

const scrapeDetail = (config: Config) =>
  config.metricsToken !== null
    ? 'Send LECTERN_METRICS_TOKEN as a bearer token.'
    : isBehindProxy(config)
      ? 'Set LECTERN_METRICS_TOKEN and send it as a bearer token. It is required when LECTERN_PUBLIC_URL or LECTERN_TRUSTED_PROXIES is set.'
      : 'Metrics are available from this machine only. Set LECTERN_METRICS_TOKEN to read them from elsewhere.'

/** The service itself: what monitors, scrapers and readers of the reference ask for. */
export const serviceRoutes = (
  app: FastifyInstance,
  { config, db, isStopping, media, metrics, publicOrigin }: Context,
) => {
  const open = { config: { rule: anyone } }

  app.get('/healthz', open, async () => ({ status: 'ok' }))

  app.get('/readyz', open, async (_request, reply): Promise<Readiness> => {
    const mediaState = describeMedia(media.state())
    try {
      await ping(db)
      // Out of the balancer first: what still comes is served.
      if (isStopping()) reply.code(503)
      return { status: isStopping() ? 'stopping' : 'ready', database: 'ready', ...mediaState }
    } catch {
      reply.code(503)
      return { status: 'not_ready', database: 'unavailable', ...mediaState }
    }
  })

  app.get('/metrics', open, async (request, reply) => {
    if (!mayReadMetrics(scraperOf(request, config)))
      throw new Problem('not_allowed', scrapeDetail(config), { rule: 'mayReadMetrics' })
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })

  let document: string | undefined
  app.get('/openapi.json', open, (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(publicOrigin()))
    return reply.type('application/json; charset=utf-8').send(document)
  })

  // RFC 8414, for libraries that find the endpoints by themselves.
  app.get('/.well-known/oauth-authorization-server', open, async () => ({
    issuer: publicOrigin(),
    token_endpoint: publicOrigin() + operations.createToken.path,
    revocation_endpoint: publicOrigin() + operations.revokeToken.path,
    grant_types_supported: grantTypes,
    // There is no authorization endpoint.
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['none'],
    service_documentation: `${publicOrigin()}/docs`,
  }))

  // Where `getRoomByAlias` was before: pages and programs of then still ask here.
  app.get<{ Params: { alias: string } }>('/v1/spaces/room-by-alias/:alias', open, ({ params }, reply) =>
    reply.redirect(operations.getRoomByAlias.path.replace(':alias', encodeURIComponent(params.alias)), 308),
  )

  const docs = createDocs()
  app.get('/docs', open, (_request, reply) => docs.page(reply))
  app.get('/docs/reference.js', open, (_request, reply) => docs.script(reply))

  const guides = createGuides()
  app.get('/docs/guides', open, (_request, reply) => reply.redirect(`/docs/guides/${guides.first}`))
  app.get('/docs/guides.css', open, (_request, reply) => guides.style(reply))
  app.get<{ Params: { name: string } }>('/docs/guides/:name', open, ({ params }, reply) =>
    guides.page(params.name, reply),
  )
}
