import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Callback {
  /** The `webhook-id` header. */
  id: string
  path: string
  headers: Record<string, string>
  raw: string
  at: number
  // biome-ignore lint/suspicious/noExplicitAny: a body of any shape, for the test to look into
  body: any
  signature: string
}

type Answer = (callback: Callback, response: ServerResponse, request: IncomingMessage) => void

export interface Receiver {
  url: string
  /** All that came, in the order they came. */
  callbacks: Callback[]
  /** Those for one path. */
  at: (path: string) => Callback[]
  /** How requests to a path are answered; 200 unless told. */
  on: (path: string, answer: Answer) => void
  /** Connections open right now. */
  sockets: Set<Socket>
  close: () => Promise<void>
}

/** A receiver of callbacks on this machine, which answers each path as it is told. */
export const startReceiver = async (port = 0): Promise<Receiver> => {
  const callbacks: Callback[] = []
  const answers = new Map<string, Answer>()
  const sockets = new Set<Socket>()
  const server = createServer(async (request, response) => {
    let raw = ''
    request.setEncoding('utf8')
    try {
      for await (const chunk of request) raw += chunk
    } catch {
      return
    }
    const path = request.url ?? ''
    const headers = request.headers as Record<string, string>
    const { body, signature } = JSON.parse(raw)
    const callback = { id: headers['webhook-id'] ?? '', path, headers, raw, at: Date.now(), body, signature }
    callbacks.push(callback)
    response.on('error', () => {})
    const answer = answers.get(path)
    if (answer) answer(callback, response, request)
    else response.end('ok')
  })
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>(ready => server.listen(port, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    callbacks,
    at: path => callbacks.filter(callback => callback.path === path),
    on: (path, answer) => answers.set(path, answer),
    sockets,
    close: () =>
      new Promise(done => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

/** Answers with a status. */
export const status =
  (code: number, body = ''): Answer =>
  (_, response) => {
    response.writeHead(code).end(body)
  }

/** Reads and never answers. */
export const hang: Answer = () => {}
