/** Nodes of one URL are a few blocks apart, and a chain makes some in bursts. */
const fewestBlocks = 8
const fastestPace = 4

export type LastHead = {
  note(number: number): void
  /** The last that was told; undefined before any. */
  number(): number | undefined
}

/**
 * The number of the head that was last told of, but for one that no chain makes in the time since: what is below it
 * would be waited for.
 */
export function createLastHead({
  blockTimeMs,
  now,
}: {
  readonly blockTimeMs: number
  readonly now: () => number
}): LastHead {
  let last: { readonly number: number; readonly atMs: number } | undefined

  /** As far as the chain may have come. */
  function furthest(): number {
    if (!last) return Number.POSITIVE_INFINITY
    return last.number + fewestBlocks + (fastestPace * (now() - last.atMs)) / blockTimeMs
  }

  return {
    note(number) {
      if (number <= furthest()) last = { number, atMs: now() }
    },
    number: () => last?.number,
  }
}
