import type { TokenFeed } from '../chain/chains.ts'
import type { ChainClient } from '../chain/client.ts'
import { midPrice } from './midPrice.ts'
import { familyOf } from './protocols/families.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { type FeedAnswer, readFeeds } from './readFeeds.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** USD per raw unit, times 10^36: exact enough for 18 decimals at any price. */
export type UsdPrice = {
  readonly usdPerRawE36: bigint
  readonly origin: 'feed' | 'pools'
  /** Seconds, by the chain's clock: since the feed's last round, or since the block of the pools. */
  readonly ageSecs: number
  /**
   * 0 to 1. Of a feed 1 less a tenth of its age over the greatest age that is taken; along pools that of
   * the price it starts from, less the part by which a trade of `referenceUsd` moves each of them.
   */
  readonly confidence: number
  /** A single trade of this size would move a pool that the price comes from by 1 %; no pool, no limit. */
  readonly depthUsd: number
}

const e36 = 10n ** 36n
/** Pools that a trade of this size moves by more than 1 % price nothing. */
const referenceUsd = 1_000
const mostMove = 0.01
const longestFeedAgeSecs = 26 * 3600
const feedTtlMs = 30_000

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
function spreadPrices(
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
  const priced = Math.floor(usdPerRaw * rate * 1e36)
  // A pool with nothing on one side has a price of infinity.
  if (!(priced > 0 && Number.isFinite(priced))) return undefined
  const usdPerRawE36 = BigInt(priced)
  return {
    usdPerRawE36,
    origin: 'pools',
    ageSecs: price.ageSecs,
    confidence: price.confidence * (1 - move),
    depthUsd: Math.min(price.depthUsd, (referenceUsd * mostMove) / move),
  }
}

/** The price that may size a trade: one that this very trade could move by over 1 % is none. */
export function priceFor(
  prices: ReadonlyMap<string, UsdPrice>,
  { token, valueUsd }: { readonly token: string; readonly valueUsd: number },
): UsdPrice | undefined {
  const price = prices.get(token)
  return price && valueUsd <= price.depthUsd ? price : undefined
}

/**
 * USD prices of all tokens of a state that can be priced; feeds first, pools for the rest. Feeds are read
 * while the state is still being prepared; without a state there are no prices.
 */
export type UsdPrices = (
  state: SyncedState | Promise<SyncedState | undefined>,
) => Promise<ReadonlyMap<string, UsdPrice>>

/** Where no feed says what the dollar coin is worth, it is worth a dollar. */
function anchorPrices(
  { chain }: ChainClient,
  answers: readonly (FeedAnswer & { readonly tokenDecimals: number })[],
  timestampSecs: bigint,
): ReadonlyMap<string, UsdPrice> {
  const dollar: UsdPrice = {
    usdPerRawE36: e36 / 10n ** BigInt(chain.usdc.decimals),
    origin: 'pools',
    ageSecs: 0,
    confidence: 1,
    depthUsd: Number.POSITIVE_INFINITY,
  }
  const anchors = new Map([[chain.usdc.address.toLowerCase(), dollar]])
  for (const { token, answer, decimals, tokenDecimals, updatedAtSecs } of answers) {
    const ageSecs = Math.max(0, Number(timestampSecs - updatedAtSecs))
    if (ageSecs > longestFeedAgeSecs) continue
    anchors.set(token, {
      usdPerRawE36: (answer * e36) / 10n ** BigInt(decimals) / 10n ** BigInt(tokenDecimals),
      origin: 'feed',
      ageSecs,
      depthUsd: Number.POSITIVE_INFINITY,
      confidence: 1 - (0.1 * ageSecs) / longestFeedAgeSecs,
    })
  }
  return anchors
}

export function createUsdPrices({
  chainClient,
  feeds,
  decimalsOf,
  now,
}: {
  readonly chainClient: ChainClient
  readonly feeds: readonly TokenFeed[]
  /** Of a lower-case token; undefined where it is not known. */
  readonly decimalsOf: (token: string) => number | undefined
  readonly now: () => number
}): UsdPrices {
  let answers: readonly FeedAnswer[] = []
  let readAtMs = Number.NEGATIVE_INFINITY
  let owner: SyncedState | undefined
  let spread: ReadonlyMap<string, UsdPrice> = new Map()

  async function refresh(): Promise<void> {
    if (now() - readAtMs <= feedTtlMs) return
    answers = await readFeeds(chainClient, { feeds })
    readAtMs = now()
    owner = undefined
  }

  return async (asked) => {
    const [state] = await Promise.all([asked, refresh()])
    if (!state) return new Map()
    if (owner !== state) {
      const known = answers.flatMap((answer) => {
        const tokenDecimals = decimalsOf(answer.token)
        return tokenDecimals === undefined ? [] : [{ ...answer, tokenDecimals }]
      })
      spread = spreadPrices(state, anchorPrices(chainClient, known, state.head.timestampSecs))
      owner = state
    }
    return spread
  }
}
