/*
 * The other end: answers at once (or never, under /hang) and, when asked with GET, tells how long each event took from
 * its commit to here. Prints its address.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { wallClock } from './clock.ts'

let delays: number[] = []

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(delays))
    delays = []
    return
  }
  let text = ''
  request.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  request.on('end', () => {
    if (request.url === '/hang') return
    const committedAt = Number(/"at":"([\d.]+)"/.exec(text)?.[1])
    if (committedAt) delays.push(wallClock() - committedAt)
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
})
