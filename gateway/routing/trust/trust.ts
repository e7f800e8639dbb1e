import type { Address, Hex } from 'viem'
import { getChain, getDexes, seedTokens } from '../../chain/chains.ts'
import { type Market, poolOf, updateMarket } from '../engine/market.ts'
import type { Route } from '../engine/route.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { closed } from '../protocols/quoted/quoted.ts'
import type { SyncedState } from '../sync/syncedState.ts'
import { createRests } from './rests.ts'
import { createTrials, type Trials } from './trials.ts'

/** Addresses, and hashes of code that is the same wherever it stands. */
export type TrustedParts = readonly (Address | Hex)[]

/** Which pools a search may use: all, those whose code is known, or all but some. */
export type Choice =
  | { readonly kind: 'all' }
  | { readonly kind: 'known' }
  | { readonly kind: 'without'; readonly ids: readonly string[] }

/**
 * Whom a chain's pools ask while they swap: rate providers, hooks, oracles. Who made a pool chose them, and
 * they may answer a caller otherwise than a dry run; those that were looked at are believed.
 */
export type Trust = {
  isKnown(record: PoolRecord): boolean
  /** Ids of a route's pools in which code that nobody knows has a say. */
  listDoubtful(state: SyncedState, route: Route): readonly string[]
  /** The market for a search; without the pools that rest, whatever is chosen. */
  choose(state: SyncedState, choice: Choice): Market
  /** A market of a state as earlier legs left it, without pools in which code that nobody knows has a say. */
  ofKnown(state: SyncedState, market: Market): Market
  /** Tells choices of one state apart, and from those before another pool came to rest. */
  nameChoice(choice: Choice): string
  /** A dry run by nobody in particular fell: pools of which code is unknown are not asked for a while. */
  rest(state: SyncedState, ids: readonly string[]): void
  readonly trials: Trials
}

export function createTrust({
  chainId,
  parts = [],
  now,
}: {
  readonly chainId: number
  /** Beside those of the chain's row. */
  readonly parts?: TrustedParts | undefined
  readonly now: () => number
}): Trust {
  const known = knownParts(chainId, parts)
  const rests = createRests({ now })
  const unknownOf = new WeakMap<SyncedState['pools'], ReadonlySet<string>>()
  const knownMarkets = new WeakMap<Market, Market>()
  const rested = new WeakMap<Market, { readonly version: number; readonly market: Market }>()

  const isKnown = (record: PoolRecord) =>
    (record.parts ?? []).every(
      ({ address, codeHash }) =>
        known.has(address) || (codeHash !== undefined && known.has(codeHash)),
    )

  function listUnknown({ pools }: SyncedState): ReadonlySet<string> {
    const made = unknownOf.get(pools)
    if (made) return made
    const unknown = [...pools.values()].filter((record) => !isKnown(record))
    const ids = new Set(unknown.map(({ id }) => id))
    unknownOf.set(pools, ids)
    return ids
  }

  function withoutResting(market: Market): Market {
    const ids = rests.ids()
    if (ids.length === 0) return market
    const made = rested.get(market)
    if (made?.version === rests.version()) return made.market
    const next = withoutPools(market, ids)
    rested.set(market, { version: rests.version(), market: next })
    return next
  }

  function ofKnown(state: SyncedState, market: Market): Market {
    const made = knownMarkets.get(market) ?? withoutPools(market, [...listUnknown(state)])
    knownMarkets.set(market, made)
    return made
  }

  return {
    isKnown,
    listDoubtful(state, { steps }) {
      const ids = new Set(steps.map(({ poolId }) => poolId))
      return [...ids].filter((id) => {
        const record = state.pools.get(id)
        return record !== undefined && !isKnown(record)
      })
    },
    choose(state, choice) {
      if (choice.kind === 'known') return ofKnown(state, state.market)
      const market = withoutResting(state.market)
      return choice.kind === 'without' ? withoutPools(market, choice.ids) : market
    },
    ofKnown,
    nameChoice(choice) {
      if (choice.kind === 'known') return 'known'
      const ids = choice.kind === 'without' ? choice.ids : []
      return [rests.version(), ...ids].join(':')
    },
    rest(state, ids) {
      const unknown = listUnknown(state)
      rests.add(ids.filter((id) => unknown.has(id)))
    },
    trials: createTrials({ now }),
  }
}

function knownParts(chainId: number, parts: TrustedParts): ReadonlySet<string> {
  const chain = getChain(chainId)
  const reviewed = chain?.trusted.flatMap((source) => source.parts.map(([, address]) => address))
  const hooks = getDexes(chainId).flatMap(({ knownHooks = [] }) =>
    knownHooks.flatMap(({ addresses }) => addresses),
  )
  const tokens = seedTokens(chainId).map(({ address }) => address)
  return new Set(
    [...(reviewed ?? []), ...hooks, ...tokens, ...parts].map((part) => part.toLowerCase()),
  )
}

function withoutPools(market: Market, ids: readonly string[]): Market {
  const pools = ids.flatMap((id) => poolOf(market, id) ?? [])
  return pools.length > 0 ? updateMarket(market, pools.map(closed)) : market
}
