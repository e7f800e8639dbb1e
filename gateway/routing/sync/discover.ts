import type { Address, Chain, Client, Transport } from 'viem'
import type { Dex } from '../../chain/dexes.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { findPools, findPoolsAmong, listPairs } from './discoverPools.ts'
import { loadPools, type PoolAddress } from './loadPools.ts'
import { readTokens, type TokenInfo } from './readTokens.ts'

type Deps = { readonly client: Client<Transport, Chain>; readonly dexes: readonly Dex[] }

/**
 * Pools of every DEX among known tokens. Small constant product factories are listed whole, and the
 * tokens found in their pairs count as known for the rest.
 */
export async function discoverAll(
  deps: Deps,
  { tokens, blockNumber }: { readonly tokens: readonly Address[]; readonly blockNumber: bigint },
): Promise<PoolAddress[]> {
  const pairDexes = deps.dexes.filter(({ protocol }) => protocol === 'uniswap_v2')
  const listed = await Promise.all(
    pairDexes.map(async (dex) => ({ dex, pools: await listPairs(deps, { dex, blockNumber }) })),
  )
  const pairs = listed.flatMap(({ pools }) => pools ?? [])
  const records = await loadPools(deps, { pools: pairs, blockNumber })
  const known = new Set([
    ...tokens.map((token) => token.toLowerCase()),
    ...records.flatMap(({ token0, token1 }) => [token0, token1]),
  ]) as ReadonlySet<Address>
  const unlisted = listed.filter(({ pools }) => !pools).map(({ dex }) => dex)
  const asked = [...deps.dexes.filter(({ protocol }) => protocol !== 'uniswap_v2'), ...unlisted]
  const found = await Promise.all(
    asked.map((dex) => findPoolsAmong(deps, { dex, tokens: [...known], blockNumber })),
  )
  return [...pairs, ...found.flat()]
}

/** Pools between some tokens and the chain's hub tokens (and each other), read in two round trips. */
export async function discoverFor(
  deps: Deps,
  {
    tokens,
    hubs,
    blockNumber,
  }: {
    readonly tokens: readonly Address[]
    readonly hubs: readonly Address[]
    readonly blockNumber: bigint
  },
): Promise<{ records: PoolRecord[]; infos: TokenInfo[] }> {
  const [infos, ...found] = await Promise.all([
    readTokens(deps, { tokens, blockNumber }),
    ...deps.dexes.map((dex) =>
      findPools(deps, { dex, a: tokens, b: [...hubs, ...tokens], blockNumber }),
    ),
  ])
  return { infos, records: await loadPools(deps, { pools: found.flat(), blockNumber }) }
}
