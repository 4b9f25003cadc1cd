import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { probeTcp } from '../../media/probe.ts'
import { trouble } from './finding.ts'

const rangeOf = (address: string) => ipaddr.process(address.replace(/%.*$/, '')).range()

/** Where others reach this machine. */
const ownAddresses = () =>
  Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .map(({ address }) => address)
    .filter(address => !['loopback', 'linkLocal'].includes(rangeOf(address)))

/**
 * Throws when an engine can be reached without us: with a media token one gets in there past all that we check. What
 * firewalls in between let through cannot be told from here.
 */
export const requirePrivate = async (url: string) => {
  const { hostname, port, protocol } = new URL(url)
  const tcp = Number(port) || (protocol === 'https:' ? 443 : 80)
  const own = ownAddresses()
  const addresses = (await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true })).map(({ address }) => address)
  for (const address of addresses)
    if (rangeOf(address) === 'unicast')
      trouble(
        `${address} is a public address. Allow only this machine to reach port ${tcp}, and set LECTERN_LIVEKIT_URL to a private address`,
      )
  if (!addresses.some(address => rangeOf(address) === 'loopback' || own.includes(address))) return
  for (const ip of own) {
    const isOpen = await probeTcp({ ip, tcp }).then(
      () => true,
      () => false,
    )
    if (isOpen)
      trouble(
        `it can be reached from other machines at ${ip}:${tcp}. Set bind_addresses to 127.0.0.1 in its configuration`,
      )
  }
}
