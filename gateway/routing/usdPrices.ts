import { type Address, parseAbi } from 'viem'
import { readContract } from 'viem/actions'
import type { ChainClient } from '../chain/client.ts'
import { midPrice } from './measureRoute.ts'
import { familyOf } from './protocols/families.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** USD per raw unit, times 10^36: exact enough for 18 decimals at any price. */
export type UsdPrice = {
  readonly usdPerRawE36: bigint
  /** Where it came from: a feed, or pools all of which a trade of `referenceUsd` moves by at most 1 %. */
  readonly origin: 'feed' | 'pools'
  /** 1 for a feed; else 1 less the price move of the reference trade along the pools. */
  readonly confidence: number
}

const e36 = 10n ** 36n
/** A trade of this size may move a pool that prices a token by at most 1 %. */
const referenceUsd = 1_000
const mostMove = 0.01
const longestFeedAgeSecs = 26n * 3600n
const feedTtlMs = 30_000

const feedAbi = parseAbi([
  'function latestRoundData() view returns (uint80, int256 answer, uint256, uint256 updatedAt, uint80)',
])

/** Price move of a trade of `amountIn` raw units, as a part of the price: twice the amount over the depth. */
function priceMove(pool: PoolRecord, tokenIn: string, amountIn: number): number {
  const depth = familyOf(pool).depth(pool, pool.tokens.indexOf(tokenIn))
  return depth === undefined ? Number.POSITIVE_INFINITY : (2 * amountIn) / depth
}

/** Both directions of every pair of a pool's tokens. */
function listDirections({ tokens }: PoolRecord): (readonly [string, string])[] {
  return tokens.flatMap((from) =>
    tokens.flatMap((to) => (from === to ? [] : [[from, to] as const])),
  )
}

/** Spreads known prices over pools, always through the deepest pool that leads to a token. */
export function spreadPrices(
  state: SyncedState,
  anchors: ReadonlyMap<string, UsdPrice>,
): ReadonlyMap<string, UsdPrice> {
  const prices = new Map(anchors)
  const pools = [...state.pools.values()]
  for (let round = 0; round < 3; round += 1) {
    const found = new Map<string, UsdPrice>()
    for (const pool of pools)
      for (const [known, unknown] of listDirections(pool)) {
        const price = prices.get(known)
        if (!price || prices.has(unknown)) continue
        const next = priceThrough(pool, { known, unknown, price })
        if (next && next.confidence > (found.get(unknown)?.confidence ?? 0))
          found.set(unknown, next)
      }
    for (const [token, price] of found) prices.set(token, price)
  }
  return prices
}

function priceThrough(
  pool: PoolRecord,
  {
    known,
    unknown,
    price,
  }: { readonly known: string; readonly unknown: string; readonly price: UsdPrice },
): UsdPrice | undefined {
  const usdPerRaw = Number(price.usdPerRawE36) / 1e36
  const move = priceMove(pool, known, referenceUsd / usdPerRaw)
  if (!(move <= mostMove)) return undefined
  const rate = midPrice(pool, unknown, known)
  const usdPerRawE36 = BigInt(Math.floor(usdPerRaw * rate * 1e36))
  if (usdPerRawE36 <= 0n) return undefined
  return { usdPerRawE36, origin: 'pools', confidence: price.confidence * (1 - move) }
}

/** USD prices of all tokens of a state that can be priced; feeds first, pools for the rest. */
export type UsdPrices = (state: SyncedState) => Promise<ReadonlyMap<string, UsdPrice>>

export function createUsdPrices({
  chainClient,
  now,
}: {
  readonly chainClient: ChainClient
  readonly now: () => number
}): UsdPrices {
  const { client, chain: facts } = chainClient
  let anchors: ReadonlyMap<string, UsdPrice> = new Map()
  let readAtMs = Number.NEGATIVE_INFINITY
  let owner: SyncedState['pools'] | undefined
  let spread: ReadonlyMap<string, UsdPrice> = new Map()

  async function readFeed(feed: Address | undefined, decimals: number, timestampSecs: bigint) {
    if (!feed) return undefined
    const answer = await readContract(client, {
      address: feed,
      abi: feedAbi,
      functionName: 'latestRoundData',
      // No feed stands there (a lab chain), or it does not answer: pools price the token.
    }).catch(() => undefined)
    if (!answer || answer[1] <= 0n || timestampSecs - answer[3] > longestFeedAgeSecs)
      return undefined
    // Feeds have 8 decimals.
    const usdPerRawE36 = (answer[1] * e36) / 10n ** 8n / 10n ** BigInt(decimals)
    return { usdPerRawE36, origin: 'feed' as const, confidence: 1 }
  }

  async function readAnchors(state: SyncedState) {
    const { timestampSecs } = state.head
    const [native, usdc] = await Promise.all([
      readFeed(facts.feeds.nativeUsd, 18, timestampSecs),
      readFeed(facts.feeds.usdcUsd, facts.usdc.decimals, timestampSecs),
    ])
    const dollar: UsdPrice = {
      usdPerRawE36: e36 / 10n ** BigInt(facts.usdc.decimals),
      origin: 'pools',
      confidence: 1,
    }
    return new Map<string, UsdPrice>([
      [facts.usdc.address.toLowerCase(), usdc ?? dollar],
      ...(native ? [[facts.wrappedNative.toLowerCase(), native] as const] : []),
    ])
  }

  return async (state) => {
    if (now() - readAtMs > feedTtlMs) {
      anchors = await readAnchors(state)
      readAtMs = now()
      owner = undefined
    }
    if (owner !== state.pools) {
      spread = spreadPrices(state, anchors)
      owner = state.pools
    }
    return spread
  }
}
