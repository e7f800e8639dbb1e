import type { Dex } from '../../chain/dex.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { ReadDeps } from '../reads/poolRef.ts'

/** A configured DEX that is not what its row says, on this chain. */
export type LeftOut = { readonly dex: string; readonly reason: string }

/**
 * A DEX's first contact: it counts as what its row says when a pool found through its factory has
 * answered as one of its family. The others are told apart by whether any code stands at the factory;
 * without known tokens no pool could be looked for, and code is all that is asked.
 */
export async function verifyDexes(
  { client }: ReadDeps,
  {
    dexes,
    pools,
    hasKnownTokens,
  }: {
    readonly dexes: readonly Dex[]
    readonly pools: Iterable<Pick<PoolRecord, 'dex'>>
    readonly hasKnownTokens: boolean
  },
): Promise<readonly LeftOut[]> {
  const proven = new Set([...pools].map(({ dex }) => dex))
  const doubtful = dexes.filter(({ name }) => !proven.has(name))
  const codes = await Promise.all(
    doubtful.map(({ factory }) =>
      client.request({ method: 'eth_getCode', params: [factory, 'latest'] }),
    ),
  )
  return doubtful.flatMap(({ name: dex }, index) => {
    if (codes[index] === '0x') return [{ dex, reason: 'no contract stands at its address' }]
    if (!hasKnownTokens) return []
    const reason = 'no pool of a known token answers through its factory as its family does'
    return [{ dex, reason }]
  })
}
