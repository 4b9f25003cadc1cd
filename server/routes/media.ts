import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../problem.ts'
import { anyone } from '../rules.ts'
import type { Context } from '../serve.ts'

export const ENGINE_EVENTS_PATH = '/v1/media/events'
/** All of the engine that browsers reach, and only through us. */
const SIGNALLING = /^\/media\/rtc(\/v1)?$/
const VALIDATION = /^\/media\/rtc(\/v1)?\/validate$/

/** Signalling for browsers, and the engine's own reports to us. */
export const mediaRoutes = (app: FastifyInstance, { admission, calls, media }: Context) => {
  /**
   * The media token and the standing behind it are checked here at each connect and reconnect: the engine hands a
   * connected client fresh tokens, and removing someone revokes none.
   */
  const mayConnect = async (token: string | null): Promise<boolean> => {
    const engine = media.engine()
    const bearer = token && engine ? await engine.control.readToken(token) : null
    return bearer !== null && admission.allows(bearer)
  }

  const tokenOf = (url: URL, authorization: string | undefined) =>
    url.searchParams.get('access_token') ?? /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null

  const open = { config: { rule: anyone as never } }

  // Clients ask here why a connection failed.
  app.get('/media/*', open, async (request, reply) => {
    const url = new URL(request.url, 'http://engine')
    if (!VALIDATION.test(url.pathname)) throw new Problem('not_found', 'There is nothing here but signalling.')
    const engine = media.engine()
    if (!engine || !(await mayConnect(tokenOf(url, request.headers.authorization))))
      throw new Problem('not_allowed', 'This media token does not let you in any more.')
    const answer = await fetch(`${engine.url}${url.pathname.slice('/media'.length)}${url.search}`)
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
      if (!engine) throw new Problem('media_starting', 'The media engine is not known yet.')
      const { authorization } = request.headers
      const event = await engine.control.readEvent(String(request.body), authorization).catch(() => {
        throw new Problem('token_invalid', 'This event is not signed by the media engine.')
      })
      // The engine tells again whatever is not answered with success.
      if (event) await calls.apply(event)
      return {}
    })
  })

  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const url = new URL(request.url ?? '/', 'http://engine')
    const engine = media.engine()
    if (!engine || !SIGNALLING.test(url.pathname)) return refuse(socket, '404 Not Found')
    mayConnect(tokenOf(url, request.headers.authorization)).then(
      allowed => (allowed ? join(engine.url, url, request, socket, head) : refuse(socket, '403 Forbidden')),
      () => refuse(socket, '503 Service Unavailable'),
    )
  })
}

const refuse = (socket: Duplex, status: string) => {
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
}

/** Makes the same connection to the engine and ties the two together. */
const join = (engineUrl: string, url: URL, { headers }: IncomingMessage, socket: Duplex, head: Buffer) => {
  const upstream = httpRequest(`${engineUrl}${url.pathname.slice('/media'.length)}${url.search}`, { headers })
  upstream.on('error', () => refuse(socket, '502 Bad Gateway'))
  upstream.on('response', ({ statusCode, statusMessage }) => refuse(socket, `${statusCode} ${statusMessage}`))
  upstream.on('upgrade', (response, other: Duplex, otherHead: Buffer) => {
    const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`)
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
    if (otherHead.length > 0) socket.write(otherHead)
    if (head.length > 0) other.write(head)
    other.on('error', () => socket.destroy())
    other.on('close', () => socket.destroy())
    socket.on('close', () => other.destroy())
    other.pipe(socket).pipe(other)
  })
  upstream.end()
}
