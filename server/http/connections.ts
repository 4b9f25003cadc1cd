import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from './limits.ts'

/** How long a client may take. */
export interface ConnectionTimeouts {
  /** Without a byte either way. */
  idleMs: number
  /** For the whole of a request, from its first byte. */
  requestMs: number
}

export const usualConnectionTimeouts: ConnectionTimeouts = { idleMs: 60_000, requestMs: 30_000 }

/** How often to look: what is due is found this much late at most. */
export const lookEvery = ({ idleMs }: ConnectionTimeouts) => idleMs / 30

/** For the database, files, callbacks and the engine. */
const SPARE_FILES = 200
const MIN_CONNECTIONS = 32
/** One process serves no more than this well. */
const MAX_CONNECTIONS = 10_000

/** As many as the limit on open files allows. A connection to a call takes two: its other end goes to the engine. */
export const fittingConnections = (): number => {
  // Else it would ask for the names of all addresses.
  const report = Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = report.getReport() as { userLimits?: { open_files: { soft: number | 'unlimited' } } }
  const files = Number(userLimits?.open_files.soft)
  return files > 0
    ? Math.min(MAX_CONNECTIONS, Math.max(MIN_CONNECTIONS, Math.floor((files - SPARE_FILES) / 2)))
    : MAX_CONNECTIONS
}

/** Refuses connections past `max`, and of one address past a quarter of it. What is open goes on. */
export const limitConnections = (server: Server, max: number, isTrusted: (address: string) => boolean) => {
  server.maxConnections = max
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (!remoteAddress || isTrusted(remoteAddress)) return
    const network = networkOf(remoteAddress)
    const count = (open.get(network) ?? 0) + 1
    if (count > max / 4) return socket.destroy()
    open.set(network, count)
    socket.once('close', () => {
      const left = (open.get(network) ?? 0) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    })
  })
}

/**
 * All that has gone either way. What waits for the client to take it has not gone yet, and of that only the handle below
 * knows how much it is: Node's own timers ask it, too, but are late by as much as they wait.
 */
const bytesOver = (socket: Socket) => {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null }
  return socket.bytesRead + socket.bytesWritten - (handle?.writeQueueSize ?? 0)
}

/** Ends connections over which no byte has gone for `idleMs`, also those to calls. */
export const endIdleConnections = (server: Server, timeouts: ConnectionTimeouts) => {
  const open = new Map<Socket, { bytes: number; at: number }>()
  server.on('connection', (socket: Socket) => {
    open.set(socket, { bytes: 0, at: performance.now() })
    socket.once('close', () => open.delete(socket))
  })
  const looking = setInterval(() => {
    const now = performance.now()
    for (const [socket, seen] of open) {
      const bytes = bytesOver(socket)
      if (bytes !== seen.bytes) open.set(socket, { bytes, at: now })
      else if (now - seen.at >= timeouts.idleMs) socket.destroy()
    }
  }, lookEvery(timeouts)).unref()
  server.once('close', () => clearInterval(looking))
}
