import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** All that is handed out of IPv6; outside of it an old form of IPv4 (::7f00:1) would pass for unicast. */
const globalIPv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Public by their number, and yet the cloud provider's own: they answer each machine with what is meant for it alone.
 * Where the others' metadata is, is not public anyway: 169.254.0.0/16 (AWS, Google, Azure, Oracle, IBM, DigitalOcean,
 * Hetzner, Scaleway, Tencent, Yandex and more), 100.100.100.200 (Alibaba), 192.0.0.192 (Oracle's older cloud), and fc00::/7
 * for IPv6 (fd00:ec2::254 AWS, fd20:ce::254 Google, fd00:c1::a9fe:a9fe Oracle, fd00:42::42 Scaleway).
 */
const providersOwn = new Set([
  // Azure's WireServer and DNS. Microsoft Learn, "What is IP address 168.63.129.16?"
  '168.63.129.16',
  // Equinix Metal, once Packet: metadata.platformequinix.com, metadata.packet.net. Equinix Metal documentation,
  // "Metadata"; the address as Gardener (seed template, metadataServiceCIDR) and Lokomotive (blocked_metadata_cidrs) have it.
  '192.80.8.124',
])

/** Public unicast addresses that are not our own; IPv4-mapped IPv6 is unwrapped first. */
export const isPublicAddress = (address: string): boolean => {
  const parsed = ipaddr.process(address.replace(/%.*$/, ''))
  if (parsed.range() !== 'unicast') return false
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(globalIPv6)) return false
  if (providersOwn.has(parsed.toString())) return false
  const own = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  return !own.some(mine => ipaddr.process(mine.address.replace(/%.*$/, '')).toString() === parsed.toString())
}

/** The address a URL names literally, in whatever spelling (the URL parser has made it plain), else null. */
const literalAddress = (url: URL): string | null => {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) ? host : null
}

/** Known before anything is sent: a literal address that is not public, or this machine by name. */
export const namesForbiddenAddress = (text: string): boolean => {
  const url = new URL(text)
  const host = url.hostname.replace(/\.$/, '').toLowerCase()
  const literal = literalAddress(url)
  return literal ? !isPublicAddress(literal) : host === 'localhost' || host.endsWith('.localhost')
}

export class BlockedAddress extends Error {
  constructor(host: string) {
    super(`${host} is not at a public address`)
  }
}

/** Finds the addresses of a name, as `lookup` of node:dns does. */
export type Lookup = (
  host: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void

/**
 * Resolves a name for a connection and refuses it if any of its addresses is not public. The connection goes to the
 * very addresses that were checked, so a DNS answer that changes in between has no effect.
 */
export const guarded =
  (lookup: Lookup, onBlocked: (host: string, address: string) => void) =>
  (
    host: string,
    options: { all?: boolean | undefined; family?: number | string | undefined; hints?: number | undefined },
    callback: LookupCallback,
  ) => {
    const family = options.family === 4 || options.family === 6 ? options.family : 0
    lookup(host, { hints: options.hints ?? 0, all: true, family }, (error, addresses) => {
      if (error) return callback(error, [])
      const blocked = addresses.find(({ address }) => !isPublicAddress(address))
      const [first] = addresses
      if (blocked) {
        onBlocked(host, blocked.address)
        return callback(new BlockedAddress(host), [])
      }
      if (!first) return callback(new Error(`${host} has no address`), [])
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
    })
  }
