import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { requestHttp, requestHttps } from '../http/builtin.ts'
import type { Problem } from '../http/problem.ts'
import { endSocket, rawAnswer } from '../http/sockets.ts'

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

interface Gate {
  /** What to ask the engine for, of each of its nodes until one answers; null: they may not. */
  admit: (url: URL, authorization: string | undefined) => Promise<URL[] | null>
  /** Throws the problem to answer with instead when there were too many. */
  countRefusal: (request: IncomingMessage) => Promise<void>
}

/** Ties the connections that are admitted to the engine, and refuses the others. Gives a function that cuts them all. */
export const connectThrough = (server: Server, { admit, countRefusal }: Gate) => {
  const open = new Set<Duplex>()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => open.delete(socket))
    const end = (status: number, headers?: Record<string, string>) => endSocket(socket, rawAnswer(status, headers))
    // An engine that is away is not their fault.
    const refuse = (status: number) =>
      status >= 500
        ? end(status)
        : countRefusal(request).then(
            () => end(status),
            (problem: Problem) => end(problem.status, problem.headers),
          )
    const url = addressOf(request)
    if (!url) return refuse(404)
    admit(url, request.headers.authorization)
      .then(targets => (targets ? tie(targets, request.headers, socket, head, refuse) : refuse(403)))
      .catch(() => end(503))
  })
  return () => {
    for (const socket of open) socket.destroy()
  }
}

/** Makes the same connection to the engine and ties the two together. */
const tie = (
  [target, ...others]: URL[],
  headers: IncomingHttpHeaders,
  socket: Duplex,
  head: Buffer,
  refuse: (status: number) => void,
) => {
  if (socket.destroyed) return
  if (!target) return refuse(502)
  const request = target.protocol === 'https:' ? requestHttps : requestHttp
  const upstream = request(target, { headers: forwarded(headers) })
  const giveUp = () => upstream.destroy()
  socket.on('close', giveUp)
  let isAnswered = false
  upstream.on('error', () => {
    if (isAnswered) return
    socket.off('close', giveUp)
    tie(others, headers, socket, head, refuse)
  })
  upstream.on('response', response => {
    isAnswered = true
    response.resume()
    refuse(response.statusCode ?? 502)
  })
  upstream.on('upgrade', (response, other: Duplex, otherHead: Buffer) => {
    isAnswered = true
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
