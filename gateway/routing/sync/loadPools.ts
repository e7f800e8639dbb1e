import { familyOf } from '../protocols/families.ts'
import type { LoadParameters, ReadDeps } from '../protocols/poolFamily.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'

/** Reads the whole state of pools at a block. What does not answer as a pool is left out. */
export async function loadPools(
  deps: ReadDeps,
  { pools, blockNumber }: LoadParameters,
): Promise<PoolRecord[]> {
  const groups = [...Map.groupBy(pools, ({ dex }) => dex.protocol)]
  const loaded = await Promise.all(
    groups.map(([protocol, group]) =>
      familyOf({ protocol }).load(deps, { pools: group, blockNumber }),
    ),
  )
  return loaded.flat()
}
