/*
 * The other end: answers at once (or never, under /hang) and, when asked with GET, tells how long each event took from
 * its commit to here, or under /arrived how many have come and when the last one did. Prints its address.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { wallClock } from './clock.ts'

let delays: number[] = []
let arrived = 0
let lastAt = 0

const server = createServer((request, response) => {
  if (request.method === 'GET' && request.url === '/arrived') {
    response.end(JSON.stringify({ arrived, lastAt }))
    return
  }
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
    arrived++
    lastAt = wallClock()
    if (committedAt) delays.push(wallClock() - committedAt)
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
})
