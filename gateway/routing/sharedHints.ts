import { LRUCache } from 'lru-cache'
import type { SyncedState } from './sync/syncedState.ts'

/** Markets of a few pools read anew: whoever needs the same pools in the next moment is given the same. */
export type SharedHints = (
  poolIds: Iterable<string>,
  read: () => Promise<SyncedState | undefined>,
) => Promise<SyncedState | undefined>

/** A part of what makes a state old. */
const sharedMs = 1_000
const mostKept = 256

type Kept = { readonly work: Promise<SyncedState | undefined>; untilMs: number }

export function createSharedHints({ now }: { readonly now: () => number }): SharedHints {
  const kept = new LRUCache<string, Kept>({ max: mostKept })
  return (poolIds, read) => {
    const key = [...poolIds].sort().join()
    const known = kept.get(key)
    if (known && now() < known.untilMs) return known.work
    const work = read()
    const entry: Kept = { work, untilMs: Number.POSITIVE_INFINITY }
    kept.set(key, entry)
    const forget = () => {
      if (kept.get(key) === entry) kept.delete(key)
    }
    work.then((state) => {
      entry.untilMs = now() + sharedMs
      // What could not be read is for the next to find out.
      if (!state) forget()
    }, forget)
    return work
  }
}
