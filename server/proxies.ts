import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

export interface Proxies {
  isTrusted: (address: string) => boolean
  /** Whom a request comes from, as `request.ip` has it, also for those that the framework never sees. */
  addressOf: (request: IncomingMessage) => string
}

export const createProxies = (trusted: string[]): Proxies => {
  const trusts = proxyAddr.compile(trusted)
  return {
    isTrusted: address => trusts(address, 0),
    addressOf: request => proxyAddr(request, trusts),
  }
}
