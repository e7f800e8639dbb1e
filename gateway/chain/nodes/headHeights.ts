/** Where each of several endpoints stands, by the heads that it told of. */
export type HeadHeights<endpoint> = {
  note(endpoint: endpoint, number: number): void
  /** It told of a head well below what most others had told of before. */
  isBehind(endpoint: endpoint): boolean
  /** Those that have not told for a while, which are told apart from a chain that stands still by asking. */
  takeSilent(): readonly endpoint[]
}

/** Nodes of one URL are a few blocks apart, and what is asked a moment later is answered by another one. */
const fewestBlocks = 8
const toleratedMs = 10_000
const askAgainMs = 15_000

/**
 * Heights are compared among endpoints, never with a clock: a chain that stands still stands still at all
 * of them. One that names a head which hardly anybody else has reached sets nobody back, where there are
 * three and more.
 */
export function createHeadHeights<endpoint>(
  endpoints: readonly endpoint[],
  { blockTimeMs, now }: { readonly blockTimeMs: number; readonly now: () => number },
): HeadHeights<endpoint> {
  const tolerated = Math.max(fewestBlocks, Math.ceil(toleratedMs / blockTimeMs))
  const highest = new Map<endpoint, number>()
  const askedAtMs = new Map(endpoints.map((each) => [each, now()]))
  const behind = new Set<endpoint>()

  /** What half of them, and of two the one that is further, have reached. */
  function reached(): number {
    const told = endpoints.map((each) => highest.get(each) ?? 0).sort((a, b) => b - a)
    return told[Math.ceil(endpoints.length / 2) - 1] ?? 0
  }

  return {
    note(endpoint, number) {
      if (!Number.isSafeInteger(number)) return
      const isBelow = number < reached() - tolerated
      askedAtMs.set(endpoint, now())
      highest.set(endpoint, number)
      if (isBelow) behind.add(endpoint)
      else behind.delete(endpoint)
    },
    isBehind: (endpoint) => behind.has(endpoint),
    takeSilent() {
      const silent = endpoints.filter((each) => now() - (askedAtMs.get(each) ?? 0) > askAgainMs)
      for (const each of silent) askedAtMs.set(each, now())
      return silent
    },
  }
}
