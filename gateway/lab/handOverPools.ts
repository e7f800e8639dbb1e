import { readFileSync } from 'node:fs'
import { ensureWorldPools } from '../../fixtures/world/worldPools.ts'
import { ensureWorld } from '../../fixtures/world.ts'
import { readPoolsFile } from '../routing/sync/poolsFile.ts'
import { openStore } from '../store/openStore.ts'

/** Puts the pools of the world's untouched chains into a gateway's new database: it follows them from its start. */
export async function handOverPools({
  chainIds,
  databasePath,
}: {
  readonly chainIds: readonly number[]
  readonly databasePath: string
}): Promise<void> {
  if (chainIds.length === 0) return
  const world = await ensureWorld()
  const paths = await Promise.all(chainIds.map((chainId) => ensureWorldPools(world, chainId)))
  const store = openStore({ path: databasePath })
  try {
    for (const path of paths) {
      const { chainId, snapshot } = readPoolsFile(readFileSync(path))
      await store.pools.save(chainId, snapshot)
    }
  } finally {
    store.close()
  }
}
