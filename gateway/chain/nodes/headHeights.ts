import type { ToldBlock } from './judge.ts'

/**
 * What stands still where a followed head is old: who follows it where all endpoints know more, a node where
 * another one does, the chain where none does, and a node or the chain where there is one endpoint alone, or one of
 * several does not tell.
 */
export type StandsStill = 'gateway' | 'node' | 'chain' | 'chain_or_node'

/** Where each of several endpoints stands, by the heads that it told of. */
export type HeadHeights<endpoint> = {
  note(endpoint: endpoint, told: ToldBlock): void
  /** It told of a head well below what most others had told of before, and not made just now. */
  isBehind(endpoint: endpoint): boolean
  /** Those that have not told for a while, which are told apart from a chain that stands still by asking. */
  takeSilent(): readonly endpoint[]
  standsStill(followed: number): StandsStill
}

/** Nodes of one URL are a few blocks apart, and what is asked a moment later is answered by another one. */
const fewestBlocks = 8
const toleratedMs = 10_000
/** What a chain makes in bursts, over its usual pace. */
const fastestPace = 4
const askAgainMs = 15_000
/** Who is asked that often has told by then. */
const latelyMs = 3 * askAgainMs

/**
 * Heights are compared among endpoints: a chain that stands still stands still at all of them. One that names
 * a head which hardly anybody else has reached sets nobody back where there are three and more, nor, of two,
 * the one whose own head was made just now: that is where the chain is, whatever the other one names. A head
 * that no chain makes in the time since somebody's own sets that one back nowhere.
 */
export function createHeadHeights<endpoint>(
  endpoints: readonly endpoint[],
  {
    blockTimeMs,
    now,
    dateMs,
  }: {
    readonly blockTimeMs: number
    readonly now: () => number
    /** As blocks tell it. */
    readonly dateMs: () => number
  },
): HeadHeights<endpoint> {
  const tolerated = Math.max(fewestBlocks, Math.ceil(toleratedMs / blockTimeMs))
  const highest = new Map<endpoint, number>()
  const madeAtMs = new Map<endpoint, number>()
  const askedAtMs = new Map(endpoints.map((each) => [each, now()]))
  const toldAtMs = new Map<endpoint, number>()
  const behind = new Set<endpoint>()

  /** What half of them, and of two the one that is further, have reached. */
  function reached(): number {
    const told = endpoints.map((each) => highest.get(each) ?? 0).sort((a, b) => b - a)
    return told[Math.ceil(endpoints.length / 2) - 1] ?? 0
  }

  /** As far as the chain may have come since an endpoint's own head was made. */
  function furthest(endpoint: endpoint): number {
    const sinceMs = Math.abs(dateMs() - (madeAtMs.get(endpoint) ?? Number.NaN))
    const made = (fastestPace * sinceMs) / blockTimeMs
    // Of a head that does not tell when it was made.
    if (Number.isNaN(made)) return Number.POSITIVE_INFINITY
    return (highest.get(endpoint) ?? 0) + tolerated + made
  }

  const isFresh = (endpoint: endpoint) =>
    Math.abs(dateMs() - (madeAtMs.get(endpoint) ?? 0)) <= toleratedMs

  return {
    note(endpoint, told) {
      const { number } = told
      const most = reached()
      askedAtMs.set(endpoint, now())
      toldAtMs.set(endpoint, now())
      highest.set(endpoint, number)
      if (told.madeAtMs !== undefined) madeAtMs.set(endpoint, told.madeAtMs)
      const isBelow = number < most - tolerated && most <= furthest(endpoint)
      if (isBelow && !isFresh(endpoint)) behind.add(endpoint)
      else behind.delete(endpoint)
    },
    isBehind: (endpoint) => behind.has(endpoint),
    takeSilent() {
      const silent = endpoints.filter((each) => now() - (askedAtMs.get(each) ?? 0) > askAgainMs)
      for (const each of silent) askedAtMs.set(each, now())
      return silent
    },
    standsStill(followed) {
      const told = [...highest.values()]
      const [least, most] = [Math.min(...told), Math.max(...told)]
      if (told.length > 0 && least > followed + tolerated) return 'gateway'
      const isShort = (each: endpoint) =>
        (highest.get(each) ?? most) < most - tolerated && most <= furthest(each)
      if (endpoints.some(isShort)) return 'node'
      const isTelling = (each: endpoint) =>
        now() - (toldAtMs.get(each) ?? Number.NEGATIVE_INFINITY) <= latelyMs
      return endpoints.length > 1 && endpoints.every(isTelling) ? 'chain' : 'chain_or_node'
    },
  }
}
