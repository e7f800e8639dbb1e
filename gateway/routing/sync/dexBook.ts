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
    async verify(deps: ReadDeps, pools: Iterable<PoolRecord>): Promise<void> {
      leftOut = await verifyDexes(deps, { dexes, pools, hasKnownTokens })
    },
  }
}
