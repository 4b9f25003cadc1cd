import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'

export interface Proxies {
  isTrusted: (address: string) => boolean
  /** The address a request comes from, as in `request.ip`, also for requests that the framework never sees. */
  addressOf: (request: IncomingMessage) => string
}

export const createProxies = (trusted: string[]): Proxies => {
  const trusts = proxyAddr.compile(trusted)
  return {
    isTrusted: address => trusts(address, 0),
    addressOf: request => proxyAddr(request, trusts),
  }
}

/** Behind a proxy that nobody has named, everyone has one address, and shares its limits: said once. */
export const createProxyWarning = (log: FastifyBaseLogger, { isTrusted }: Proxies) => {
  let isTold = false
  return (request: FastifyRequest) => {
    if (isTold || request.headers['x-forwarded-for'] === undefined) return
    const peer = request.socket.remoteAddress
    if (!peer || isTrusted(peer)) return
    isTold = true
    log.warn(
      `X-Forwarded-For from ${peer} is ignored: all clients behind it share one IP address and its rate limits. If it is your reverse proxy, add it to LECTERN_TRUSTED_PROXIES.`,
    )
  }
}
