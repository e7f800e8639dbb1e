import { LRUCache } from 'lru-cache'

/** How many turns each name had lately. */
export type RecentTurns = {
  readonly had: (name: string) => number
  readonly note: (name: string) => void
}

/** After so long a turn that was had counts a third. */
export const memoryMs = 10_000
const mostRemembered = 10_000

export function createRecentTurns({ now }: { readonly now: () => number }): RecentTurns {
  const known = new LRUCache<string, { readonly count: number; readonly atMs: number }>({
    max: mostRemembered,
  })
  function had(name: string): number {
    const last = known.get(name)
    return last ? last.count * Math.exp((last.atMs - now()) / memoryMs) : 0
  }
  return {
    had,
    note: (name) => void known.set(name, { count: had(name) + 1, atMs: now() }),
  }
}
