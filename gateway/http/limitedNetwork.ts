import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Whom a limit per address counts as one: an IPv4 address, or the first 64 bits of an IPv6 one, since who
 * has an IPv6 address has all that share these.
 */
export function limitedNetwork(ip: string): string {
  if (isIP(ip) === 0) return ip
  // An IPv4 address that is written as an IPv6 one becomes the former here.
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
