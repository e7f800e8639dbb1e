import type { PoolSnapshots } from '../../store/pools.ts'
import type { CreationScan } from './creationScan.ts'
import { createSnapshotWriter } from './snapshotWriter.ts'
import type { SyncedState } from './syncedState.ts'
import type { TokenBook } from './tokenBook.ts'

const saveEveryMs = 15_000

/** Writes what is known now and then, and at the end. */
export function createSnapshotKeeper({
  chainId,
  snapshots,
  tokens,
  scan,
  read,
  failed,
  now,
}: {
  readonly chainId: number
  readonly snapshots: PoolSnapshots
  readonly tokens: TokenBook
  readonly scan: Pick<CreationScan, 'place'>
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
    const kept = { state, tokens: [...tokens.all().values()], scanned: scan.place() }
    await writer.save(kept).catch(failed)
  }

  return {
    restore: writer.restore,
    save,
    async saveIfDue() {
      if (now() - savedAtMs > saveEveryMs) await save()
    },
  }
}
