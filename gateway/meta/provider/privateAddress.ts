import { BlockList, isIP } from 'node:net'

/** Loopback, private, link-local, shared, documentation, benchmarking, multicast and reserved ranges. */
const blocked = new BlockList()
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
const v6: readonly [net: string, prefix: number][] = [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
]
for (const [net, prefix] of v4) {
  blocked.addSubnet(net, prefix, 'ipv4')
  blocked.addSubnet(`::ffff:${net}`, 96 + prefix, 'ipv6')
}
for (const [net, prefix] of v6) blocked.addSubnet(net, prefix, 'ipv6')

/** True for an IP address that is not out on the public internet. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && blocked.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
