import { readFileSync } from 'node:fs'
import { readPoolsFile } from '../routing/sync/poolsFile.ts'
import { openStore } from '../store/openStore.ts'
import type { LabChain } from './labChain.ts'

/** Puts the pools of untouched chains into a gateway's new database: it follows them from its start. */
export async function handOverPools(
  chains: readonly Pick<LabChain, 'poolsPath'>[],
  databasePath: string,
): Promise<void> {
  const store = openStore({ path: databasePath })
  try {
    for (const { poolsPath } of chains) {
      if (poolsPath === undefined) continue
      const { chainId, snapshot } = readPoolsFile(readFileSync(poolsPath))
      await store.pools.save(chainId, snapshot)
    }
  } finally {
    store.close()
  }
}
