/** Calls of one request, while it is being found how many a node bears: fewer after a refusal, for a while. */
export type SoftBatch = {
  read(): number
  /** `isCalm`: nothing was refused lately. */
  took(calls: number, isCalm: boolean): void
  /** A request was refused: half of its calls may pass. */
  refused(half: number): void
}

const least = 4
/** What was too much a moment ago is tried again later and later. */
const firstCutMs = 5_000
const longestCutMs = 600_000

export function createSoftBatch({
  now,
  most,
}: {
  readonly now: () => number
  readonly most: number
}): SoftBatch {
  let soft = most
  let cuts = 0
  let wholeAgainAtMs = 0

  return {
    read() {
      if (now() > wholeAgainAtMs) soft = most
      return soft
    },
    took(calls, isCalm) {
      if (calls >= most) cuts = 0
      if (calls < Math.floor(soft)) return
      soft = Math.min(most, soft + (isCalm ? calls : Math.max(1, calls / 4)))
    },
    refused(half) {
      // A small request is not refused for its size.
      if (half < least) return
      soft = Math.min(soft, half)
      cuts += 1
      wholeAgainAtMs = now() + Math.min(firstCutMs * 2 ** cuts, longestCutMs)
    },
  }
}
