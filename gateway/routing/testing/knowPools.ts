import type { WorldManifest } from '../../../fixtures/world.ts'
import type { Dex } from '../../chain/dex.ts'

/** Rows whose dated lists are of the world's pools: for nodes that tell of few blocks at once. */
export function knowPools(
  dexes: readonly Dex[],
  { pools }: Pick<WorldManifest, 'pools'>,
): readonly Dex[] {
  return dexes.map((row) => ({
    ...row,
    knownPools:
      row.knownPools && pools.filter(({ dex }) => dex === row.name).map(({ address }) => address),
  }))
}
