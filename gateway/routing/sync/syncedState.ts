import { createMarket, type Market, updateMarket } from '../engine/market.ts'
import type { EnginePool } from '../protocols/enginePool.ts'
import { familyOf, toEnginePool } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { createTaxedPool } from '../protocols/taxedPool.ts'
import type { BlockHead } from './readHead.ts'

/** All pools as of one block. Never changed: the next block is another value. */
export type SyncedState = {
  readonly head: BlockHead
  readonly pools: ReadonlyMap<string, PoolRecord>
  readonly market: Market
}

/** Transfer tax of a token (lower-case address) in basis points; 0 where none is known. */
export type TaxOf = (token: string) => number

/** The pool as the engine sees it, its tokens' taxes included. */
export function priceRecord(record: PoolRecord, taxOf: TaxOf): EnginePool {
  return withTaxes(record, toEnginePool(record), taxOf)
}

/** A pool of the engine with the taxes of the record's tokens. */
export function withTaxes(record: PoolRecord, pool: EnginePool, taxOf: TaxOf): EnginePool {
  const taxesBps = record.tokens.map(taxOf)
  if (taxesBps.every((tax) => tax === 0)) return pool
  return createTaxedPool(pool, { taxesBps, takesTaxedInput: familyOf(record).takesTaxedInput })
}

export function createSyncedState(
  { taxOf }: { readonly taxOf: TaxOf },
  { head, records }: { readonly head: BlockHead; readonly records: Iterable<PoolRecord> },
): SyncedState {
  const pools = new Map([...records].map((record) => [record.id, record]))
  const market = createMarket([...pools.values()].map((record) => priceRecord(record, taxOf)))
  return { head, pools, market }
}

/** The state at `head` after some pools changed or came. */
export function advanceState(
  { taxOf }: { readonly taxOf: TaxOf },
  {
    state,
    head,
    changed,
  }: {
    readonly state: SyncedState
    readonly head: BlockHead
    readonly changed: Iterable<PoolRecord>
  },
): SyncedState {
  const records = [...changed]
  if (records.length === 0) return { ...state, head }
  const pools = new Map(state.pools)
  for (const record of records) pools.set(record.id, record)
  const priced = records.map((record) => priceRecord(record, taxOf))
  return { head, pools, market: updateMarket(state.market, priced) }
}
