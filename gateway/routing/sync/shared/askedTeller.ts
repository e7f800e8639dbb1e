import type { Address } from 'viem'
import type { FeedMessage } from './discoveryDesk.ts'

/** A question counts for half an hour with the elected gateway. */
const tellAgainMs = 5 * 60_000
/** A message has room for so many. */
const mostTold = 100
const mostKnown = 4_096

/** Tells the elected gateway what this one's callers ask for: each token now and then, many at a time. */
export function createAskedTeller({
  tell,
  now,
}: {
  readonly tell: (message: FeedMessage) => void
  readonly now: () => number
}): (tokens: readonly string[]) => void {
  const toldAtMs = new Map<string, number>()
  const isDue = (token: string) =>
    now() - (toldAtMs.get(token) ?? Number.NEGATIVE_INFINITY) >= tellAgainMs

  return (asked) => {
    const tokens = asked.filter(isDue).slice(0, mostTold) as readonly Address[]
    if (tokens.length === 0) return
    for (const token of tokens) {
      toldAtMs.delete(token)
      toldAtMs.set(token, now())
    }
    for (const token of toldAtMs.keys()) {
      if (toldAtMs.size <= mostKnown) break
      toldAtMs.delete(token)
    }
    tell({ kind: 'asked', tokens })
  }
}
