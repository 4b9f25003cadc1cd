import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'

/* Connections of which nothing good can be expected, and an engine that does as it is told. */

/** Open files of a process. */
export const filesOf = (pid: number | 'self' = 'self') => readdirSync(`/proc/${pid}/fd`).length

/**
 * The clients' ports of the connections of which the service still holds its end: to the kernel one that no process has
 * is nobody's. Thousands of others may be listed with them, so it is read beside the service that runs in this process.
 */
export const heldPorts = async (url: string) => {
  const ours = `:${Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')} `
  const held = new Set<number>()
  for (const line of (await readFile('/proc/net/tcp', 'utf8')).split('\n')) {
    if (!line.includes(ours)) continue
    const [, local = '', remote = '', , , , , , , inode] = line.trim().split(/\s+/)
    if (inode !== '0' && `${local} `.endsWith(ours)) held.add(Number.parseInt(remote.split(':')[1] ?? '', 16))
  }
  return held
}

/** A connection that is closed by nobody but the test or the other end. `from`: an address of this machine. */
export const dial = async (url: string, from = '127.0.0.1'): Promise<Socket> => {
  const { port } = new URL(url)
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: from, allowHalfOpen: true })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** A request for another protocol, like a browser's. */
export const upgradeRequest = (path: string, headers: Record<string, string> = {}) => {
  const lines = Object.entries({
    host: 'x',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Answers what Lectern asks of an engine, and treats connections as the test says. */
export const startFakeEngine = async (treat: (socket: Duplex) => void, host = '127.0.0.1') => {
  const server = createServer((_request, response) => response.setHeader('content-type', 'application/json').end('{}'))
  const open = new Set<Duplex>()
  server.on('upgrade', (_request, socket: Duplex) => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    treat(socket)
  })
  server.listen(0, host)
  await once(server, 'listening')
  const stop = () => {
    server.close()
    server.closeAllConnections()
    for (const socket of open) socket.destroy()
  }
  onTestFinished(stop)
  return {
    stop,
    settings: {
      LECTERN_MEDIA: 'on',
      LECTERN_LIVEKIT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      LECTERN_LIVEKIT_API_KEY: 'key',
      LECTERN_LIVEKIT_API_SECRET: 'a secret that is long enough for it',
    },
  }
}

export const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'
