import { createMarket, type Market, updateMarket } from '../engine/market.ts'
import { familyOf, toEnginePool } from '../protocols/families.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { createTaxedPool } from '../protocols/maths/taxedPool.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { BlockHead } from '../reads/readHead.ts'
import { changePools, type FollowedPools, followPools } from './followedPools.ts'

/** All pools as of one block. Never changed: the next block is another value. */
export type SyncedState = {
  readonly head: BlockHead
  readonly pools: FollowedPools
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
  const priced = priceAll(records, taxOf)
  const pools = followPools(priced.map(({ record }) => record))
  return { head, pools, market: createMarket(priced.map(({ pool }) => pool)) }
}

/** The state at `head` after some pools changed or came. */
export function advanceState(
  { taxOf }: { readonly taxOf: TaxOf },
  {
    state,
    head,
    changed,
    gone = new Set(),
  }: {
    readonly state: SyncedState
    readonly head: BlockHead
    readonly changed: Iterable<PoolRecord>
    /** Ids of pools that are not followed any more. */
    readonly gone?: ReadonlySet<string> | undefined
  },
): SyncedState {
  const news = [...changed]
  const priced = priceAll(news, taxOf).filter(({ record }) => !gone.has(record.id))
  const kept = new Set(priced.map(({ record }) => record.id))
  const lost = [...gone, ...news.map(({ id }) => id)].filter(
    (id) => !kept.has(id) && state.pools.has(id),
  )
  if (priced.length === 0 && lost.length === 0) return { ...state, head }
  const pools = changePools(state.pools, {
    changed: priced.map(({ record }) => record),
    gone: lost,
  })
  const market = updateMarket(
    state.market,
    priced.map(({ pool }) => pool),
    lost,
  )
  return { head, pools, market }
}

/** Records as the engine sees them, without those that no pool can be made of. */
function priceAll(records: Iterable<PoolRecord>, taxOf: TaxOf) {
  const priced: { readonly record: PoolRecord; readonly pool: EnginePool }[] = []
  for (const record of records)
    try {
      priced.push({ record, pool: priceRecord(record, taxOf) })
    } catch {
      // Whoever makes a pool of impossible numbers is alone with it.
    }
  return priced
}

/** The same pools with the taxes of these tokens as they are known now. */
export function repriceState(
  deps: { readonly taxOf: TaxOf },
  { state, tokens }: { readonly state: SyncedState; readonly tokens: readonly string[] },
): SyncedState {
  const isHit = (record: PoolRecord) => record.tokens.some((token) => tokens.includes(token))
  const changed = [...state.pools.values()].filter(isHit)
  return advanceState(deps, { state, head: state.head, changed })
}
