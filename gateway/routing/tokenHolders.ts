import { type Address, getAddress } from 'viem'
import { familyOf } from './protocols/families.ts'
import type { SyncedState } from './sync/syncedState.ts'

const mostRanked = 8

type Holder = { readonly address: string; readonly depth: number }
const holdersByPools = new WeakMap<SyncedState['pools'], ReadonlyMap<string, readonly Holder[]>>()

/** Contracts that swaps of a token are paid from, the deepest first. */
export function holdersOf(state: Pick<SyncedState, 'pools'>, token: string): readonly Address[] {
  const holders = rankHolders(state).get(token.toLowerCase()) ?? []
  return holders.map(({ address }) => getAddress(address))
}

/** By token the contracts that swaps through known pools are paid from, the deepest first. */
function rankHolders({
  pools,
}: Pick<SyncedState, 'pools'>): ReadonlyMap<string, readonly Holder[]> {
  const made = holdersByPools.get(pools)
  if (made) return made
  const found = new Map<string, Map<string, number>>()
  for (const record of pools.values()) {
    const family = familyOf(record)
    const address = ('vault' in record ? record.vault : record.address).toLowerCase()
    for (const [i, token] of record.tokens.entries()) {
      const depths = found.get(token) ?? new Map<string, number>()
      found.set(token, depths)
      depths.set(address, Math.max(depths.get(address) ?? 0, family.depth(record, i) ?? 0))
    }
  }
  const ranked = new Map(
    [...found].map(([token, depths]) => [
      token,
      [...depths]
        .map(([address, depth]) => ({ address, depth }))
        .sort((one, other) => other.depth - one.depth)
        .slice(0, mostRanked),
    ]),
  )
  holdersByPools.set(pools, ranked)
  return ranked
}
