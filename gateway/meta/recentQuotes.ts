import type { Entry } from './fanOut.ts'

export type RecentQuotes = {
  note(chainId: number, entries: readonly Entry[]): void
  /** Whether a source had a quote on this chain within the last hour. */
  has(chainId: number, provider: string): boolean
}

const recentMs = 3_600_000

/** Who would have quotes while it fails, by those that it had for anybody. `now` in milliseconds. */
export function createRecentQuotes({ now }: { readonly now: () => number }): RecentQuotes {
  const lastMs = new Map<string, number>()
  const keyOf = (chainId: number, provider: string) => `${chainId} ${provider}`
  return {
    note(chainId, entries) {
      for (const { provider, outcome } of entries)
        if (outcome.status === 'quote') lastMs.set(keyOf(chainId, provider), now())
    },
    has: (chainId, provider) =>
      now() - (lastMs.get(keyOf(chainId, provider)) ?? Number.NEGATIVE_INFINITY) < recentMs,
  }
}
