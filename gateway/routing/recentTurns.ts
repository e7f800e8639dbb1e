import { LRUCache } from 'lru-cache'
import { forgetStale } from '../runtime/forgetStale.ts'

/** How many turns each name had lately. */
export type RecentTurns = {
  /** At one moment for all that are compared: time between two looks would be a difference of theirs. */
  readonly had: (name: string, nowMs: number) => number
  /** When it had the last one; undefined where none is remembered. */
  readonly lastAtMs: (name: string) => number | undefined
  readonly note: (name: string, nowMs: number) => void
}

/** After so long a turn that was had counts a third. */
export const memoryMs = 10_000
/** Of ten thousand turns not one is left then. */
const forgottenMs = 10 * memoryMs
const mostRemembered = 10_000

export function createRecentTurns(): RecentTurns {
  const known = new LRUCache<string, { readonly count: number; readonly atMs: number }>({
    max: mostRemembered,
  })
  function had(name: string, nowMs: number): number {
    const last = known.get(name)
    return last ? last.count * Math.exp((last.atMs - nowMs) / memoryMs) : 0
  }
  return {
    had,
    lastAtMs: (name) => known.get(name)?.atMs,
    note(name, nowMs) {
      known.set(name, { count: had(name, nowMs) + 1, atMs: nowMs })
      forgetStale(known, ({ atMs }) => nowMs - atMs > forgottenMs)
    },
  }
}
