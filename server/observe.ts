import type { FastifyInstance } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Config } from './config.ts'

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
      timestamp: pino.stdTimeFunctions.isoTime,
      base: null,
      formatters: { level: level => ({ level }) },
    },
    destination ?? pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 200 }),
  )

export interface Metrics {
  registry: Registry
}

export const observeRequests = (app: FastifyInstance): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'lectern_http_request_duration_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    const { statusCode: status, elapsedTime } = reply
    durations.observe({ method: request.method, route, status }, elapsedTime / 1000)
    const caller = request.claims?.id
    const line = {
      id: request.id,
      method: request.method,
      route,
      status,
      ms: Math.round(elapsedTime * 10) / 10,
      caller,
    }
    if (status >= 500) app.log.warn(line, 'answered')
    else app.log.info(line, 'answered')
  })
  return { registry }
}
