import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyInstance } from 'fastify'

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

/** Behind a proxy that nobody has named, everyone has one address, and shares its limits. */
export const warnOfUnknownProxy = (app: FastifyInstance, { isTrusted }: Proxies) => {
  let isTold = false
  app.addHook('onRequest', (request, _reply, done) => {
    const peer = request.socket.remoteAddress
    if (!isTold && peer && request.headers['x-forwarded-for'] !== undefined && !isTrusted(peer)) {
      isTold = true
      app.log.warn(
        `X-Forwarded-For from ${peer} is ignored, so everyone who comes through it shares one address and its limits. If it is your reverse proxy, add it to LECTERN_TRUSTED_PROXIES.`,
      )
    }
    done()
  })
}
