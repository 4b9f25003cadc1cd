import { lookup as dnsLookup } from 'node:dns'
import { type AddressInfo, connect, createServer, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { BlockedAddress, guarded, isPublicAddress, type Lookup } from '../delivery/addresses.ts'

const CONNECTED_WITHIN_MS = 10_000

export interface RelayTarget {
  /** A name, or an address without brackets. */
  host: string
  port: number
  isTls: boolean
}

export interface RelayOptions {
  allowPrivate: boolean
  // Replaced in tests.
  lookup?: Lookup
  /** Vouches for certificates in place of those that the system trusts. */
  ca?: string
}

export interface Relay {
  /** On 127.0.0.1. */
  port: number
  /** Why there is no connection to the target, or none any more, if it failed. */
  failure: () => Error | null
  /** Once whoever has connected is gone and what they have sent is with the target. Never rejects. */
  ended: Promise<void>
  close: () => void
}

/**
 * Lets a program of ours reach the target, and nothing else: it connects to us, and we to an address that was checked,
 * with TLS if the target wants it. For one connection. Throws BlockedAddress for an address that is not public; a name
 * that stands for one is a failure.
 */
export const openRelay = async (
  { host, port, isTls }: RelayTarget,
  { allowPrivate, lookup = dnsLookup, ca }: RelayOptions,
): Promise<Relay> => {
  // A connection to a literal address never asks the lookup.
  if (!allowPrivate && isIP(host) && !isPublicAddress(host)) throw new BlockedAddress(host)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const sockets: Socket[] = []
  let failure: Error | null = null

  const connectToTarget = () => {
    const to = { host, port, ...(!allowPrivate && { lookup: guarded(lookup, () => {}) }) }
    if (!isTls) return connect(to)
    return connectTls({ ...to, ...(!isIP(host) && { servername: host }), ...(ca && { ca }) })
  }

  const forward = (from: Socket) => {
    const target = connectToTarget()
    sockets.push(from, target)
    const fail = (error: Error) => {
      failure ??= error
      from.destroy()
      target.destroy()
    }
    const giveUp = setTimeout(() => fail(new Error('no connection within 10 seconds')), CONNECTED_WITHIN_MS)
    target.once(isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(giveUp)
      target.setNoDelay()
      from.pipe(target)
      target.pipe(from)
    })
    target.on('error', fail)
    target.once('close', () => {
      clearTimeout(giveUp)
      from.destroy()
      end()
    })
    from.on('error', () => target.destroy())
    // What the target still says is for nobody, but its end is read.
    from.once('close', () => target.resume())
  }

  const server = createServer(socket => {
    server.close()
    forward(socket)
  })
  await new Promise<void>((ready, fail) => server.once('error', fail).listen(0, '127.0.0.1', ready))
  return {
    port: (server.address() as AddressInfo).port,
    failure: () => failure,
    ended,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      if (sockets.length === 0) end()
    },
  }
}
