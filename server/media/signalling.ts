import { type IncomingHttpHeaders, type IncomingMessage, request as plain, type Server } from 'node:http'
import { request as secure } from 'node:https'
import type { Duplex } from 'node:stream'

/** All of the engine that browsers connect to, and only through us. */
const SIGNALLING = /^\/media\/rtc(\/v1)?$/

const addressOf = ({ url = '/' }: IncomingMessage) => URL.parse(url, 'http://engine')

/** Whether a request that would like another protocol gets one; any other is answered as if it had not asked. */
export const isSignalling = (request: IncomingMessage) => SIGNALLING.test(addressOf(request)?.pathname ?? '')

/** What the engine needs of a browser's request. Cookies, the host and tokens elsewhere are none of its business. */
const forwarded = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(connection|upgrade|user-agent|sec-websocket-.*)$/.test(name)),
  )

/**
 * Ties the connections that `admit` gives a target for to the engine, and refuses the others. Gives a function that cuts
 * them all.
 */
export const connectThrough = (
  server: Server,
  admit: (url: URL, authorization: string | undefined) => Promise<URL | null>,
) => {
  const open = new Set<Duplex>()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => open.delete(socket))
    const url = addressOf(request)
    if (!url) return refuse(socket, '404 Not Found')
    admit(url, request.headers.authorization)
      .then(target => (target ? tie(target, request.headers, socket, head) : refuse(socket, '403 Forbidden')))
      .catch(() => refuse(socket, '503 Service Unavailable'))
  })
  return () => {
    for (const socket of open) socket.destroy()
  }
}

const refuse = (socket: Duplex, status: string) => {
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
}

/** Makes the same connection to the engine and ties the two together. */
const tie = (target: URL, headers: IncomingHttpHeaders, socket: Duplex, head: Buffer) => {
  const request = target.protocol === 'https:' ? secure : plain
  const upstream = request(target, { headers: forwarded(headers) })
  upstream.on('error', () => refuse(socket, '502 Bad Gateway'))
  upstream.on('response', response => {
    response.resume()
    refuse(socket, `${response.statusCode} ${response.statusMessage}`)
  })
  upstream.on('upgrade', (response, other: Duplex, otherHead: Buffer) => {
    other.on('error', () => socket.destroy())
    if (socket.destroyed) return other.destroy()
    const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`)
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
    if (otherHead.length > 0) socket.write(otherHead)
    if (head.length > 0) other.write(head)
    other.on('close', () => socket.destroy())
    socket.on('close', () => other.destroy())
    other.pipe(socket).pipe(other)
  })
  upstream.end()
}
