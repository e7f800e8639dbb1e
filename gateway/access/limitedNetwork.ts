import { isIP } from 'node:net'

/**
 * Whom a limit per address counts as one: an IPv4 address, or the first 64 bits of an IPv6 one, since who
 * has an IPv6 address has all that share these.
 */
export function limitedNetwork(ip: string): string {
  if (isIP(ip) !== 6) return ip
  const words = readWords(ip)
  const [high = 0, low = 0] = words.slice(6)
  if (words.slice(0, 6).join() === ipv4Mapped)
    return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${words
    .slice(0, 4)
    .map((word) => word.toString(16))
    .join(':')}::/64`
}

const ipv4Mapped = [0, 0, 0, 0, 0, 0xffff].join()

/** The eight words of an IPv6 address in any of its spellings. */
function readWords(ip: string): readonly number[] {
  const [address = ''] = ip.split('%')
  const [head = [], tail = []] = address.split('::').map((half) =>
    half
      .split(':')
      .filter((part) => part !== '')
      .flatMap((part) => (part.includes('.') ? toWords(part) : [Number.parseInt(part, 16)])),
  )
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

/** The last 32 bits may be written as an IPv4 address. */
function toWords(ipv4: string): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return [(a << 8) | b, (c << 8) | d]
}
