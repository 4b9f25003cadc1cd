import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeAtTheEnd } from './closing.ts'

/** Hands each request to the next node in turn, as it is, and cuts what a node cuts. */
export const startBalancer = async () => {
  const nodes: string[] = []
  const agent = new Agent({ keepAlive: true })
  let next = 0
  const server = createServer((incoming, outgoing) => {
    let hasAnswered = false
    const node = new URL(nodes[next++ % nodes.length] ?? '')
    const passedOn = request(
      {
        agent,
        host: node.hostname,
        port: node.port,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.rawHeaders,
        setHost: false,
      },
      answer => {
        hasAnswered = true
        outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders)
        answer.pipe(outgoing)
        answer.on('error', () => outgoing.destroy())
      },
    )
    // It may answer, and close, before it has read everything.
    passedOn.on('error', () => {
      if (hasAnswered) incoming.resume()
      else outgoing.destroy()
    })
    outgoing.on('close', () => passedOn.destroy())
    incoming.pipe(passedOn)
  })
  // The client is told for how long by the node, and would write to a connection that was closed earlier.
  server.keepAliveTimeout = 0
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  closeAtTheEnd(async () => {
    agent.destroy()
    server.closeAllConnections()
    await new Promise(closed => server.close(closed))
  })
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    add: (url: string) => nodes.push(url),
  }
}
