import type { FastifyInstance } from 'fastify'
import type { Context } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Proxies } from '../http/proxies.ts'
import { EngineFailure } from '../media/engine.ts'
import { connectThrough } from '../media/signalling.ts'
import { anyone } from '../rules.ts'

export const ENGINE_EVENTS_PATH = '/v1/media/events'
const ENGINE_WITHIN_MS = 5000
const VALIDATION = /^\/media\/rtc(\/v1)?\/validate$/

/**
 * All that LiveKit's clients send, except `publish`, which joins under another identity, and `attributes`. Those in a
 * `join_request` the engine refuses by itself: our tokens let nobody change their own.
 */
const CLIENT_PARAMETERS = new Set([
  'join_request',
  'sdk',
  'version',
  'protocol',
  'client_protocol',
  'capabilities',
  'os',
  'os_version',
  'device_model',
  'browser',
  'browser_version',
  'network',
  'auto_subscribe',
  'auto_subscribe_data_track',
  'adaptive_stream',
  'subscriber_allow_pause',
  'disable_ice_lite',
  'reconnect',
  'reconnect_reason',
  'sid',
])

const firstAnswer = async (targets: URL[]) => {
  let failure: unknown
  for (const target of targets)
    try {
      return await fetch(target, { signal: AbortSignal.timeout(ENGINE_WITHIN_MS) })
    } catch (error) {
      failure = error
    }
  throw new EngineFailure(failure)
}

/** Signalling for browsers, and the engine's own reports to us. */
export const mediaRoutes = (
  app: FastifyInstance,
  { isStopping, limits, live, media }: Context,
  { addressOf }: Proxies,
) => {
  const open = { config: { rule: anyone } }

  /**
   * The media token and the standing behind it are checked here at each connect and reconnect: the engine hands a
   * connected client fresh tokens, and removing someone revokes none. Gives what to ask the engine for: with the one
   * token that was checked, since the engine would look for one in other places too, and with nothing but what its
   * clients send.
   */
  const admit = async (url: URL, authorization: string | undefined): Promise<URL[] | null> => {
    // Not a refusal: a client that is told to wait tries again, here or at another node.
    if (isStopping()) throw new Problem('unavailable', 'The service is restarting. Try again in a moment.')
    const engine = media.engine()
    if (!engine) throw new Problem('media_starting', 'The media engine is not known yet.')
    const token = url.searchParams.get('access_token') ?? /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    const bearer = token ? await engine.control.readToken(token) : null
    if (!token || !bearer || !(await live.allows(bearer))) return null
    // Clients connect again by themselves, without joining again, when the node that they were at is no more.
    if (engine.canMoveChannels) await engine.control.open(bearer.channelId)
    return engine.urls().map(node => {
      const target = new URL(`${node}${url.pathname.slice('/media'.length)}`)
      for (const [name, value] of url.searchParams)
        if (CLIENT_PARAMETERS.has(name)) target.searchParams.set(name, value)
      target.searchParams.set('access_token', token)
      return target
    })
  }

  // Clients ask here why a connection failed.
  app.get('/media/*', open, async (request, reply) => {
    const url = new URL(request.url, 'http://engine')
    if (!VALIDATION.test(url.pathname)) throw new Problem('not_found', 'Not found. Only signalling is served here.')
    await limits.request('address', request.ip, reply)
    const targets = await admit(url, request.headers.authorization)
    if (!targets)
      throw new Problem('not_allowed', 'This media token is no longer valid. Join again.', { rule: 'mayJoin' })
    const answer = await firstAnswer(targets)
    return reply
      .code(answer.status)
      .type('text/plain')
      .send(await answer.text())
  })

  app.register(async events => {
    // The signature is over the text as it came.
    events.removeAllContentTypeParsers()
    events.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    events.post(ENGINE_EVENTS_PATH, open, async request => {
      const engine = media.engine()
      if (!engine) throw new Problem('media_starting', 'The media engine is not ready yet. Try again in a moment.')
      const { authorization } = request.headers
      const event = await engine.control.readEvent(String(request.body), authorization).catch(() => {
        throw new Problem('token_invalid', 'The event is not signed by the media engine.')
      })
      // The engine tells again whatever is not answered with success.
      if (event) await live.handleEvent(event)
      return {}
    })
  })

  const disconnectAll = connectThrough(app.server, {
    admit,
    countRefusal: async request => limits.request('address', addressOf(request)),
  })
  // They would keep the server from ever being closed.
  app.addHook('preClose', async () => disconnectAll())
}
