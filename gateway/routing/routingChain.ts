import type { Address } from 'viem'
import { getGasPrice } from 'viem/actions'
import type { ChainClient } from '../chain/client.ts'
import type { Dex } from '../chain/dex.ts'
import type { HotQuestions } from './hotQuestions.ts'
import type { PoolMoves } from './poolMoves.ts'
import type { PoolProbes } from './poolProbes.ts'
import type { RouteCache } from './routeCache.ts'
import type { SearchQueue } from './searchQueue.ts'
import type { SharedHints } from './sharedHints.ts'
import type { ChainSync } from './sync/chainSync.ts'
import type { TaxBook } from './taxBook.ts'
import type { TaxWatch } from './taxWatch.ts'
import type { SearchThreads } from './threads/searchThreads.ts'
import type { Trust } from './trust/trust.ts'
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
  readonly taxWatch: TaxWatch
  readonly routes: RouteCache
  readonly searches: SearchQueue
  /** Searches run in the loop where it is missing. */
  readonly threads?: Pick<SearchThreads, 'find' | 'listen' | 'lost'> | undefined
  readonly hints: SharedHints
  /** What is searched ahead after a block; nothing where it is missing. */
  readonly hot?: HotQuestions | undefined
  /** Which pools swap at all; all are believed where it is missing. */
  readonly probes?: PoolProbes | undefined
  /** Whose code is believed while pools swap. */
  readonly trust: Trust
  readonly usdPrices: UsdPrices
  readonly moves: PoolMoves
  /** Wei per gas, as of the last few seconds; 0 before it was first read. */
  gasPriceWei(): bigint
  readonly sought: SoughtTokens
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

const seekAgainMs = 30_000
const mostSought = 10_000

/** Tokens that were looked for a short while ago, so that nonsense addresses cost the node little. */
export type SoughtTokens = {
  /** False where looking would find nothing new. */
  isDue(token: string): boolean
  add(tokens: readonly string[]): void
}

export function createSoughtTokens({ now }: { readonly now: () => number }): SoughtTokens {
  const soughtAtMs = new Map<string, number>()
  return {
    isDue: (token) => now() - (soughtAtMs.get(token) ?? Number.NEGATIVE_INFINITY) >= seekAgainMs,
    add(tokens) {
      if (soughtAtMs.size >= mostSought) soughtAtMs.clear()
      for (const token of tokens) soughtAtMs.set(token, now())
    },
  }
}
