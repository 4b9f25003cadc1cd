import type { Duplex } from 'node:stream'
import { STATUS_CODES } from './builtin.ts'

/** For connections that the framework can't answer, since it never saw a request on them. */
export const rawAnswer = (status: number, headers: Record<string, string> = {}, body = '') => {
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}

const FLUSH_WITHIN_MS = 1000

/**
 * The one way to end a raw connection: ending it alone waits for a client who may never read, nor close. It is gone once
 * the answer is out, and after a second even if it is not.
 */
export const endSocket = (socket: Duplex, answer: string) => {
  if (!socket.writable) return
  const late = setTimeout(() => socket.destroy(), FLUSH_WITHIN_MS)
  socket.once('close', () => clearTimeout(late))
  // What was sent and not read would turn the close into a reset, which may overtake the answer.
  socket.resume()
  socket.end(answer, () => socket.destroy())
}
