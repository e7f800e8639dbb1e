import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Whom a limit per address counts as one: an IPv4 address, or the first 64 bits of an IPv6 one, since who
 * has an IPv6 address has all that share these.
 */
export const limitedNetwork = (ip: string): string => networkOf(ip, 64)

/** Who has whom a limit counts as one many times over: the first 48 bits, since a site is given that many for nothing. */
export const limitedSite = (ip: string): string => networkOf(ip, 48)

/** A site may have what so many of its networks may: of 65,536 of them there is no end. */
const networksOfSite = 4

type Limited = readonly [name: string, times: number]

/** The names under which an address is counted, and how many times a network's bound each may have. */
export function limitedNames(ip: string): readonly [Limited, ...Limited[]] {
  const [network, site] = [limitedNetwork(ip), limitedSite(ip)]
  const own: Limited = [network, 1]
  return site === network ? [own] : [own, [site, networksOfSite]]
}

function networkOf(ip: string, bits: 48 | 64): string {
  if (isIP(ip) === 0) return ip
  // An IPv4 address that is written as an IPv6 one becomes the former here.
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  const parts = address.parts.map((part, at) => (at < bits / 16 ? part : 0))
  return `${new ipaddr.IPv6(parts).toString()}/${bits}`
}
