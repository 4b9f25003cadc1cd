import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

const explain = (error: NodeJS.ErrnoException, setting: string) =>
  new Error(error.code === 'EADDRINUSE' ? `in use by another program. Set ${setting} to another port` : error.message)

/** Throws unless it can be listened on. */
export const requireTcp = (port: number, host: string, setting: string) =>
  new Promise<void>((resolve, reject) => {
    const server = createServer()
    server.once('error', error => reject(explain(error, setting)))
    server.listen(port, host, () => server.close(() => resolve()))
  })

export const requireUdp = (port: number, setting: string) =>
  new Promise<void>((resolve, reject) => {
    const socket = createSocket('udp4')
    socket.once('error', error => reject(explain(error, setting)))
    socket.bind(port, () => socket.close(() => resolve()))
  })

/** What the Lectern that runs at this address says of its media engine; null: none runs there. */
export const runningMedia = async (port: number, host: string): Promise<string | null> => {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  try {
    const answer = await fetch(`http://${address.includes(':') ? `[${address}]` : address}:${port}/readyz`, {
      signal: AbortSignal.timeout(3000),
    })
    const { database, media } = (await answer.json()) as { database?: string; media?: string }
    return typeof database === 'string' && typeof media === 'string' ? media : null
  } catch {
    return null
  }
}
