import { LRUCache } from 'lru-cache'
import { type Asker, type Askers, createAskers } from './searchQueue.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** Markets of a few pools read anew: whoever needs the same pools in the next moment is given the same. */
export type SharedHints = (
  poolIds: Iterable<string>,
  asked: {
    readonly read: (others: Askers) => Promise<SyncedState | undefined>
    readonly asker?: Asker | undefined
  },
) => Promise<SyncedState | undefined>

/** A part of what makes a state old. */
const sharedMs = 1_000
const mostKept = 256

type Kept = {
  readonly work: Promise<SyncedState | undefined>
  /** While it is read. */
  others: Askers | undefined
  untilMs: number
}

export function createSharedHints({ now }: { readonly now: () => number }): SharedHints {
  const kept = new LRUCache<string, Kept>({ max: mostKept })
  return (poolIds, { read, asker = {} }) => {
    const key = [...poolIds].sort().join()
    const known = kept.get(key)
    if (known && now() < known.untilMs) {
      known.others?.join(asker)
      return known.work
    }
    const others = createAskers()
    const work = read(others)
    const entry: Kept = { work, others, untilMs: Number.POSITIVE_INFINITY }
    kept.set(key, entry)
    const forget = () => {
      if (kept.get(key) === entry) kept.delete(key)
    }
    work.then((state) => {
      entry.untilMs = now() + sharedMs
      entry.others = undefined
      // What could not be read is for the next to find out.
      if (!state) forget()
    }, forget)
    return work
  }
}
