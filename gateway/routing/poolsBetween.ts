import type { Address } from 'viem'
import type { PoolRecord } from './protocols/poolRecord.ts'
import type { SyncedState } from './sync/syncedState.ts'
import type { Trust } from './trust/trust.ts'

type Pools = SyncedState['pools']

/** Pools by the name of their DEX, made once for each state that is asked. */
const byDex = new WeakMap<Pools, ReadonlyMap<string, readonly PoolRecord[]>>()

function poolsOf(pools: Pools, dex: string): readonly PoolRecord[] {
  let grouped = byDex.get(pools)
  if (!grouped) {
    grouped = Map.groupBy(pools.values(), (record) => record.dex)
    byDex.set(pools, grouped)
  }
  return grouped.get(dex) ?? []
}

/** Contracts of one DEX's followed pools that hold both tokens, and ask nobody who is not known. */
export function poolsBetween(
  {
    trust,
    state: { pools },
  }: { readonly trust: Pick<Trust, 'isKnown'>; readonly state: Pick<SyncedState, 'pools'> },
  { dex, tokens }: { readonly dex: string; readonly tokens: readonly [Address, Address] },
): readonly Address[] {
  const ids = tokens.map((token) => token.toLowerCase())
  return poolsOf(pools, dex)
    .filter((record) => ids.every((id) => record.tokens.includes(id)) && trust.isKnown(record))
    .map(({ address }) => address)
}
