import type { PoolSnapshots } from '../../store/pools.ts'
import { createSnapshotWriter } from './snapshotWriter.ts'
import type { SyncedState } from './syncedState.ts'
import type { TokenBook } from './tokenBook.ts'

const saveEveryMs = 15_000

/** Writes what is known now and then, and at the end. */
export function createSnapshotKeeper({
  chainId,
  snapshots,
  tokens,
  read,
  failed,
  now,
}: {
  readonly chainId: number
  readonly snapshots: PoolSnapshots
  readonly tokens: TokenBook
  readonly read: () => SyncedState | undefined
  readonly failed: (error: unknown) => void
  readonly now: () => number
}) {
  const writer = createSnapshotWriter({ chainId, snapshots })
  let savedAtMs = now()

  async function save(): Promise<void> {
    const state = read()
    if (!state) return
    savedAtMs = now()
    // The database is the owner's trouble (disk full, locked): the next attempt tries again.
    await writer.save(state, [...tokens.all().values()]).catch(failed)
  }

  return {
    restore: writer.restore,
    save,
    async saveIfDue() {
      if (now() - savedAtMs > saveEveryMs) await save()
    },
  }
}
