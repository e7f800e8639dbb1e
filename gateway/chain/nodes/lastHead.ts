/** Nodes of one URL are a few blocks apart, and a chain makes some in bursts. */
const fewestBlocks = 8
const fastestPace = 4

export type LastHead<endpoint> = {
  note(from: endpoint, number: number): void
  /** The last that was told; undefined before any. */
  number(): number | undefined
}

type Told = { readonly number: number; readonly atMs: number }

/**
 * The number of the head that was last told of, but for one that no chain makes in the time since: what is below it
 * would be waited for. Told twice it is believed, by two where there are several: the one before may have been of a
 * node far behind.
 */
export function createLastHead<endpoint>(
  endpoints: readonly endpoint[],
  { blockTimeMs, now }: { readonly blockTimeMs: number; readonly now: () => number },
): LastHead<endpoint> {
  let last: Told | undefined
  /** Told before the last: refused, of whose it is no second word, or left for one well below it. */
  let other: (Told & { readonly refusedOf?: endpoint | undefined }) | undefined

  /** Whether a node that tells of the one may stand where the other was told of. */
  function isNear(told: Told, from: Told): boolean {
    const most = fewestBlocks + (fastestPace * (told.atMs - from.atMs)) / blockTimeMs
    return told.number >= from.number - fewestBlocks && told.number <= from.number + most
  }

  return {
    note(from, number) {
      const told = { number, atMs: now() }
      const isExpected = !last || isNear(told, last)
      const isBorneOut = other !== undefined && other.refusedOf !== from && isNear(told, other)
      if (isExpected || isBorneOut) {
        last = told
        other = undefined
      } else if (last && number < last.number) {
        // A chain may be rolled back, and whoever lied first is not believed for ever.
        other = last
        last = told
      } else other = { ...told, refusedOf: endpoints.length > 1 ? from : undefined }
    },
    number: () => last?.number,
  }
}
