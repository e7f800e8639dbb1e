import type { Dex } from '../../chain/dex.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { ReadDeps } from '../reads/poolRef.ts'
import { listCodeless } from '../reads/readParts.ts'

/** A configured DEX that is not what its row says, on this chain. */
export type LeftOut = { readonly dex: string; readonly reason: string }

/**
 * A DEX's first contact: it counts as what its row says when a pool found through its factory has
 * answered as one of its family. The others are told apart by whether any code stands at the factory;
 * without known tokens no pool could be looked for, and code is all that is asked.
 */
export async function verifyDexes(
  deps: Pick<ReadDeps, 'client'>,
  {
    dexes,
    pools,
    blockNumber,
    hasKnownTokens,
  }: {
    readonly dexes: readonly Dex[]
    readonly pools: Iterable<Pick<PoolRecord, 'dex'>>
    readonly blockNumber: bigint
    readonly hasKnownTokens: boolean
  },
): Promise<readonly LeftOut[]> {
  const proven = new Set([...pools].map(({ dex }) => dex))
  const doubtful = dexes.filter(({ name }) => !proven.has(name))
  const addresses = doubtful.map(({ factory }) => factory)
  const codeless = await listCodeless(deps, { addresses, blockNumber })
  return doubtful.flatMap(({ name: dex, factory }) => {
    if (codeless.has(factory)) return [{ dex, reason: 'no contract stands at its address' }]
    if (!hasKnownTokens) return []
    const reason = 'no pool of a known token answers through its factory as its family does'
    return [{ dex, reason }]
  })
}
