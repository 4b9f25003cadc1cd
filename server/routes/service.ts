import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openApiDocument } from '../../contract/openapi.ts'
import type { Config } from '../config.ts'
import type { Context } from '../http/context.ts'
import { createDocs } from '../http/docs.ts'
import { Problem } from '../http/problem.ts'
import type { MediaState } from '../media/state.ts'
import { anyone } from '../rules.ts'
import { ping } from '../store/health.ts'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** With a public address or a proxy in front, who connects from this machine may speak for anybody. */
const isBehindProxy = ({ publicUrl, trustedProxies }: Config) => publicUrl !== null || trustedProxies.length > 0

/** With the scrape token; or, where nothing is in front of us, from this machine and not forwarded. */
const mayScrape = (request: FastifyRequest, config: Config) => {
  const { metricsToken } = config
  const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (given !== undefined && metricsToken !== null && timingSafeEqual(digest(given), digest(metricsToken))) return true
  if (isBehindProxy(config)) return false
  const isLocal = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.socket.remoteAddress ?? '')
  return isLocal && request.headers['x-forwarded-for'] === undefined && request.headers.forwarded === undefined
}

const scrapeRefusal = (config: Config) =>
  config.metricsToken !== null
    ? 'Send LECTERN_METRICS_TOKEN as a bearer token.'
    : isBehindProxy(config)
      ? 'Set LECTERN_METRICS_TOKEN and send it as a bearer token. It is required when LECTERN_PUBLIC_URL or LECTERN_TRUSTED_PROXIES is set.'
      : 'Metrics are available from this machine only. Set LECTERN_METRICS_TOKEN to read them from elsewhere.'

const describe = (state: MediaState) => {
  if (state.status === 'downloading') return 'downloading Go'
  return state.status === 'preparing' ? `preparing ${state.percent} %` : state.status
}

/** The service itself: what monitors, scrapers and readers of the reference ask for. */
export const serviceRoutes = (app: FastifyInstance, { config, db, media, metrics, publicOrigin }: Context) => {
  const open = { config: { rule: anyone as never } }

  app.get('/healthz', open, async () => ({ status: 'ok' }))

  app.get('/readyz', open, async (_request, reply) => {
    const mediaState = describe(media.state())
    try {
      await ping(db)
      return { status: 'ready', database: 'ready', media: mediaState }
    } catch {
      reply.code(503)
      return { status: 'not ready', database: 'not available', media: mediaState }
    }
  })

  app.get('/metrics', open, async (request, reply) => {
    if (!mayScrape(request, config)) throw new Problem('not_allowed', scrapeRefusal(config))
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })

  let document: string | undefined
  app.get('/openapi.json', open, (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(publicOrigin()))
    return reply.type('application/json; charset=utf-8').send(document)
  })

  const docs = createDocs()
  app.get('/docs', open, (_request, reply) => docs.page(reply))
  app.get('/docs/reference.js', open, (_request, reply) => docs.script(reply))
}
