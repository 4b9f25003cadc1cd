import type { FastifyInstance } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Media } from '../media/media.ts'
import { queueState } from '../store/deliveries.ts'
import type { Db } from '../store/tables.ts'

/**
 * One JSON line an event. Addresses of requests are never logged, only the route they matched: paths and queries of
 * ours carry invites and tokens.
 */
export const createLogger = (config: Config, destination?: DestinationStream): Logger =>
  pino(
    {
      level: config.logLevel,
      redact: {
        paths: [
          'password',
          'token',
          'secret',
          'accessToken',
          'refreshToken',
          'authorization',
          'cookie',
          '*.password',
          '*.authorization',
          '*.cookie',
        ],
        censor: '[hidden]',
      },
      base: null,
      serializers: {
        err: config.logLevel === 'debug' || config.logLevel === 'trace' ? pino.stdSerializers.err : briefError,
      },
      formatters: { level: level => ({ level }) },
    },
    destination ?? pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 200 }),
  )

/** Without the stack, which is logged at the levels debug and trace. */
const briefError = ({ name, message, code }: Error & { code?: string }) => ({ type: name, message, code })

export interface Metrics {
  registry: Registry
  request: (method: string, route: string, status: number, seconds: number) => void
  attempt: (outcome: string, seconds: number) => void
}

export const createMetrics = (db: Db, media: Pick<Media, 'state'>, now: () => number): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Histogram({
    name: 'lectern_http_request_duration_seconds',
    help: 'Request duration',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  })
  const attempts = new Histogram({
    name: 'lectern_webhook_attempt_duration_seconds',
    help: 'Duration of webhook delivery attempts, by outcome',
    labelNames: ['outcome'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  })
  const depth = new Gauge({ name: 'lectern_webhook_queue_depth', help: 'Pending webhook deliveries', registers })
  new Gauge({
    name: 'lectern_webhook_oldest_due_seconds',
    help: 'Time since the oldest pending delivery was due',
    registers,
    // Asked for only when somebody looks.
    async collect() {
      const queue = await queueState(db)
      depth.set(queue.depth)
      this.set(queue.oldest === null ? 0 : Math.max(0, (now() - queue.oldest) / 1000))
    },
  })
  // Where no engine is meant to be, none is missing.
  if (media.state().status !== 'off')
    new Gauge({
      name: 'lectern_media_ready',
      help: 'Whether the media engine can be joined: 1 or 0',
      registers,
      collect() {
        this.set(Number(media.state().status === 'ready'))
      },
    })
  return {
    registry,
    request: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    attempt: (outcome, seconds) => attempts.observe({ outcome }, seconds),
  }
}

/** One line and one measurement for each answer. */
export const observeRequests = (app: FastifyInstance, metrics: Metrics) => {
  // These lines are made of known fields, none of them secret: nothing to look for in each.
  const lines = (app.log as Logger).child({}, { redact: [] })
  const tellsReads = lines.isLevelEnabled('debug')
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime } = reply
    const { method } = request
    const { url: route = 'none', config } = request.routeOptions
    const { changesNothing } = config
    metrics.request(method, route, status, elapsedTime / 1000)
    const isQuiet = (method === 'GET' || changesNothing) && status < 400
    // Most requests are reads, and their lines are rarely wanted: not even made.
    if (isQuiet && !tellsReads) return done()
    const ms = Math.round(elapsedTime * 10) / 10
    const line = { id: request.id, method, route, status, ms, caller: request.claims?.id }
    if (status >= 500) lines.warn(line, 'answered')
    else if (isQuiet) lines.debug(line, 'answered')
    else lines.info(line, 'answered')
    done()
  })
}
