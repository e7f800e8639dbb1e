import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export type ReadClientIp = (req: IncomingMessage) => string

type Network = {
  readonly address: string
  readonly family: 'ipv4' | 'ipv6'
  /** Undefined: the address alone. */
  readonly prefix: number | undefined
}

/** An address, or a network as `10.0.0.0/8`; undefined for anything else, half of one too. */
export function readNetwork(entry: string): Network | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const version = isIP(address)
  const prefix = bits === undefined ? undefined : Number(bits)
  const most = version === 6 ? 128 : 32
  if (version === 0 || (prefix !== undefined && prefix > most)) return undefined
  return { address, family: version === 6 ? 'ipv6' : 'ipv4', prefix }
}

/** Which peers are one of these addresses and networks. */
function createTrust(trustedProxies: readonly string[]) {
  const trusted = new BlockList()
  for (const entry of trustedProxies) {
    const network = readNetwork(entry)
    if (!network) throw new Error(`trusted proxy is no address or network: ${entry}`)
    const { address, family, prefix } = network
    if (prefix === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, prefix, family)
  }
  // What is no address is in no list.
  return (ip: string) => trusted.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4')
}

/**
 * The address whose connections are counted. Undefined for a listed proxy, through which everybody comes, and
 * for this machine.
 */
export function createReadConnectionIp(trustedProxies: readonly string[]) {
  const isTrusted = createTrust([...trustedProxies, '127.0.0.0/8', '::1'])
  return (remoteAddress: string): string | undefined => {
    const ip = normalize(remoteAddress)
    return isTrusted(ip) ? undefined : ip
  }
}

/**
 * Reads a caller's address. `X-Forwarded-For` counts only as far as it was written by a listed proxy:
 * the answer is the right-most hop that is not one of them.
 */
export function createReadClientIp(trustedProxies: readonly string[]): ReadClientIp {
  const isTrusted = createTrust(trustedProxies)

  return (req) => {
    const peer = normalize(req.socket.remoteAddress ?? '')
    if (!isTrusted(peer)) return peer
    const hops = [req.headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    let client = peer
    for (const hop of hops.reverse()) {
      const ip = normalize(hop.trim())
      if (isIP(ip) === 0) return client
      client = ip
      if (!isTrusted(ip)) return client
    }
    return client
  }
}

/** `::ffff:127.0.0.1` and `127.0.0.1` are one caller. */
function normalize(ip: string): string {
  return ip.startsWith('::ffff:') && isIP(ip.slice(7)) === 4 ? ip.slice(7) : ip
}
