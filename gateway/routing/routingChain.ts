import type { Address } from 'viem'
import { getGasPrice } from 'viem/actions'
import type { ChainClient } from '../chain/client.ts'
import type { Dex } from '../chain/dexes.ts'
import type { PoolProbes } from './poolProbes.ts'
import type { RouteCache } from './routeCache.ts'
import type { SearchQueue } from './searchQueue.ts'
import type { ChainSync } from './sync/chainSync.ts'
import type { TaxBook } from './taxBook.ts'
import type { UsdPrices } from './usdPrices.ts'

/** Everything a quote needs of one chain. */
export type RoutingChain = {
  readonly chainId: number
  readonly chainClient: ChainClient
  readonly dexes: readonly Dex[]
  /** The SwapExecutor; undefined on a chain where none is deployed: quotes there carry no payload. */
  readonly executor: Address | undefined
  readonly sync: ChainSync
  readonly taxes: TaxBook
  readonly routes: RouteCache
  readonly searches: SearchQueue
  /** Which pools swap at all; all are believed where it is missing. */
  readonly probes?: PoolProbes | undefined
  readonly usdPrices: UsdPrices
  /** Wei per gas, as of the last few seconds; 0 before it was first read. */
  gasPriceWei(): bigint
  /** False for a token that was looked for in vain a short while ago. */
  mayDiscover(token: string): boolean
}

const gasPriceTtlMs = 10_000

/** The gas price, read in the background: a quote never waits for it. */
export function createGasPrice({
  chainClient,
  now,
}: {
  readonly chainClient: ChainClient
  readonly now: () => number
}): () => bigint {
  let priceWei = 0n
  let readAtMs = Number.NEGATIVE_INFINITY
  return () => {
    if (now() - readAtMs > gasPriceTtlMs) {
      readAtMs = now()
      getGasPrice(chainClient.client).then(
        (price) => {
          priceWei = price
        },
        // The last known price serves on; sync reports the node's trouble.
        () => undefined,
      )
    }
    return priceWei
  }
}

const discoverAgainMs = 30_000
const mostSearches = 10_000

/** Remembers which tokens were searched, so that nonsense addresses cost the node little. */
export function createDiscoveryGuard({ now }: { readonly now: () => number }) {
  const searchedAtMs = new Map<string, number>()
  return (token: string): boolean => {
    if (now() - (searchedAtMs.get(token) ?? Number.NEGATIVE_INFINITY) < discoverAgainMs)
      return false
    if (searchedAtMs.size >= mostSearches) searchedAtMs.clear()
    searchedAtMs.set(token, now())
    return true
  }
}
