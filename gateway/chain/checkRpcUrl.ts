/** Thrown for an RPC URL that the gateway refuses to use. Never repeats the URL: it may hold a key. */
class InvalidRpcUrl extends Error {
  constructor(reason: string) {
    super(`an RPC URL ${reason}`)
    this.name = 'InvalidRpcUrl'
  }
}

/**
 * RPC URLs come from the operator's configuration only; this catches mistakes, not attackers.
 * Plain http is for nodes on the operator's own network (the lab's chains); link-local addresses,
 * where cloud metadata lives, are refused.
 */
export function checkRpcUrl(url: string, kind: 'http' | 'ws' = 'http'): void {
  const parsed = URL.parse(url)
  if (!parsed) throw new InvalidRpcUrl('is not a URL')
  if (parsed.protocol !== `${kind}s:` && parsed.protocol !== `${kind}:`)
    throw new InvalidRpcUrl(`must begin with ${kind}s:// or ${kind}://`)
  if (kind === 'ws' && parsed.hash !== '') throw new InvalidRpcUrl('must have no fragment')
  if (isLinkLocal(parsed.hostname)) throw new InvalidRpcUrl('points at a link-local address')
}

function isLinkLocal(hostname: string): boolean {
  // URL parsing has already turned decimal, octal and hex forms of IPv4 into dotted quads.
  return (
    hostname.startsWith('169.254.') ||
    /^\[fe[89ab]/i.test(hostname) ||
    /^\[::ffff:a9fe:/i.test(hostname)
  )
}
