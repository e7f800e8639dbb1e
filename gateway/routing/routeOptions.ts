import { hash } from 'node:crypto'
import { type Market, updateMarket } from './engine/market.ts'
import { each } from './engine/pieces.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { closed } from './protocols/quoted/quoted.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** What a caller may ask of a route. All that is absent is as the mode has it. */
export type RouteOptions = {
  /** Names of DEXes; all where absent. */
  readonly includeDexes?: readonly string[] | undefined
  readonly excludeDexes?: readonly string[] | undefined
  /** Addresses, or ids of pools within one contract, in lower case. */
  readonly excludePools?: readonly string[] | undefined
  /** Most swaps one after the other. */
  readonly maxHops?: number | undefined
  /** Most swaps in all. */
  readonly maxSteps?: number | undefined
  /** One path, whatever splits would bring more. */
  readonly singlePath?: boolean | undefined
  /** What gas is taken to cost, in place of the chain's price. */
  readonly gasPriceWei?: bigint | undefined
}

/** Options with the records that tell whose pools are whose. */
export type SearchOptions = RouteOptions & { readonly pools: SyncedState['pools'] }

/** Tells questions apart in which only the options differ; short, however long the lists are. */
export function nameOptions(options: RouteOptions | undefined): string {
  if (!options) return ''
  const { includeDexes, excludeDexes, excludePools, gasPriceWei } = options
  const lists = [includeDexes, excludeDexes, excludePools]
  const limits = [options.maxHops, options.maxSteps, options.singlePath, gasPriceWei?.toString()]
  return hash('sha256', JSON.stringify([lists, limits]), 'base64')
}

/** Of each market: callers with lists of their own must not fill the memory. */
const mostNarrowed = 8
const narrowedOf = new WeakMap<Market, Map<string, Market>>()

/** The market without the pools that the options leave out. */
export function narrowMarket(market: Market, options: SearchOptions): Market {
  const { includeDexes, excludeDexes = [], excludePools = [], pools } = options
  if (!includeDexes && excludeDexes.length + excludePools.length === 0) return market
  const name = nameOptions({ includeDexes, excludeDexes, excludePools })
  const narrowed = narrowedOf.get(market) ?? new Map<string, Market>()
  narrowedOf.set(market, narrowed)
  const known = narrowed.get(name)
  if (known) return known
  const included = includeDexes && new Set(includeDexes)
  const excluded = new Set(excludeDexes)
  const named = new Set(excludePools)
  const isLeftOut = ({ dex, id, address }: PoolRecord) =>
    included?.has(dex) === false ||
    excluded.has(dex) ||
    named.has(id) ||
    named.has(address.toLowerCase())
  const gone = [...each(market.pools)].filter(({ id }) => {
    const record = pools.get(id)
    return record !== undefined && isLeftOut(record)
  })
  const rest = gone.length > 0 ? updateMarket(market, gone.map(closed)) : market
  if (narrowed.size >= mostNarrowed) narrowed.clear()
  narrowed.set(name, rest)
  return rest
}
