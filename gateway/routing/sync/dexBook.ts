import type { Dex } from '../../chain/dex.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { ReadDeps } from '../reads/poolRef.ts'
import { type LeftOut, verifyDexes } from './verifyDexes.ts'

/** The configured DEXes, and which of them are not what their rows say on this chain. */
export function createDexBook(
  dexes: readonly Dex[],
  { hasKnownTokens }: { readonly hasKnownTokens: boolean },
) {
  let leftOut: readonly LeftOut[] = []

  return {
    /** Those that are what their rows say. */
    usable: () => dexes.filter(({ name }) => !leftOut.some(({ dex }) => dex === name)),
    leftOut: () => leftOut,
    /** On first contact with the chain. */
    async verify(
      deps: Pick<ReadDeps, 'client'>,
      found: Pick<Parameters<typeof verifyDexes>[1], 'pools' | 'blockNumber'>,
    ): Promise<void> {
      leftOut = await verifyDexes(deps, { dexes, hasKnownTokens, ...found })
    },
    /** Whoever was left out, and has a pool now, is what its row says: its events are asked for from now on. */
    prove(pools: Iterable<Pick<PoolRecord, 'dex'>>): void {
      if (leftOut.length === 0) return
      const proven = new Set<string>()
      for (const { dex } of pools) proven.add(dex)
      leftOut = leftOut.filter(({ dex }) => !proven.has(dex))
    },
  }
}
