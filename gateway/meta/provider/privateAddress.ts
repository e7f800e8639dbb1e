import { BlockList, isIP } from 'node:net'

/** Loopback, private, link-local, shared, documentation, benchmarking, multicast and reserved ranges. */
const v4: readonly [net: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]
/**
 * Only 2000::/3 is out there, and in it not what belongs to protocols (Teredo), documents and 6to4. The rest
 * has every way of writing an IPv4 address into an IPv6 one: mapped, compatible, NAT64.
 */
const v6: readonly [net: string, prefix: number][] = [
  ['::', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['4000::', 2],
  ['8000::', 1],
]
const [blockedV4, blockedV6] = [new BlockList(), new BlockList()]
for (const [net, prefix] of v4) blockedV4.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of v6) blockedV6.addSubnet(net, prefix, 'ipv6')

/** True for an IP address that is not out on the public internet. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return blockedV4.check(address, 'ipv4')
  return family === 6 && blockedV6.check(address, 'ipv6')
}
