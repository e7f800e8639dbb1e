import { startWorldChain } from '../../../fixtures/world.ts'
import { getChain, getDexes, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { pointOnCurve } from '../../routing/engine/edgeCurve.ts'
import { createMarket } from '../../routing/engine/market.ts'
import { nativePrices } from '../../routing/engine/nativePrice.ts'
import { each } from '../../routing/engine/pieces.ts'
import type { EnginePool } from '../../routing/protocols/maths/enginePool.ts'
import type { PoolRecord } from '../../routing/protocols/poolRecord.ts'
import { createChainSync } from '../../routing/sync/chainSync.ts'
import { priceRecord } from '../../routing/sync/syncedState.ts'
import { createRandom } from '../../routing/testing/random.ts'
import type { Trade } from './readPools.ts'

/** Tokens that all copies of the chain share; every other token is another one in each copy. */
const sharedTokens = 6
const tradeWei = { least: 1e17, orders: 3 }

/**
 * A market that mixes every family: all pools of an offline chain as its sync loads them, copied until
 * there are enough. The copies share the tokens with most pools, as a real market shares its hubs; they
 * are traded to one price per token first, since bounds say nothing where there is arbitrage.
 */
export async function loadMixedMarket({
  chainId,
  pools,
}: {
  readonly chainId: number
  readonly pools: number
}) {
  const records = await loadRecords(chainId)
  const base = getChain(chainId)?.wrappedNative.toLowerCase() ?? ''
  const shared = new Set([base, ...mostTraded(records)])
  const copies = Math.ceil(pools / records.length)
  const settled = settlePrices(
    records.map((record) => priceRecord(record, () => 0)),
    base,
  )
  const mixed: EnginePool[] = []
  for (let copy = 0; copy < copies; copy++)
    for (const pool of settled) {
      const toCopy = (token: string) =>
        shared.has(token) || copy === 0 ? token : `${token}-${copy}`
      mixed.push({ ...pool, id: `${pool.id}-${copy}`, tokens: pool.tokens.map(toCopy) })
    }
  const families = new Set(records.map(({ protocol }) => protocol))
  return { pools: mixed, base, families: families.size }
}

async function loadRecords(chainId: number): Promise<readonly PoolRecord[]> {
  const chain = getChain(chainId)
  if (!chain) throw new Error(`chain ${chainId} is not built in`)
  const world = await startWorldChain({ chainId })
  try {
    const chainClient = createChainClient({ chain, rpcUrls: [world.rpcUrl] })
    const sync = createChainSync({
      chainClient,
      dexes: getDexes(chainId),
      seedTokens: seedTokens(chainId),
      pollMs: 3_600_000,
      maxAgeMs: 0,
    })
    await sync.start()
    const records = [...(sync.current()?.pools.values() ?? [])]
    await sync.close()
    chainClient.close()
    return records
  } finally {
    await world.close()
  }
}

const settlingRounds = 8

/** Trades every pool until none pays more than one price per token. */
function settlePrices(pools: readonly EnginePool[], base: string): EnginePool[] {
  const market = createMarket(pools)
  const prices = nativePrices(market, base)
  const priceOf = (token: string) => prices[market.tokenIndex.get(token) ?? -1] ?? 0
  return pools.map((pool) => {
    let settled = pool
    for (let round = 0; round < settlingRounds; round++)
      for (const [i, tokenIn] of pool.tokens.entries())
        for (const [j, tokenOut] of pool.tokens.entries())
          if (i !== j) settled = tradeTo(settled, i, j, priceOf(tokenOut) / priceOf(tokenIn))
    return settled
  })
}

/** Sells token i until one more unit brings no more than `rate`. */
function tradeTo(pool: EnginePool, i: number, j: number, rate: number): EnginePool {
  const point = { x: 0, y: 0, slope: 0 }
  pointOnCurve(pool.curve(i, j), rate, point)
  return point.x > 0 ? (pool.swap(i, j, BigInt(Math.ceil(point.x)))?.next ?? pool) : pool
}

function mostTraded(records: readonly PoolRecord[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const token of records.flatMap(({ tokens }) => tokens))
    counts.set(token, (counts.get(token) ?? 0) + 1)
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, sharedTokens)
    .map(([token]) => token)
}

/** Trades worth 0.1 to 100 native tokens, log-uniform, between any two tokens that have a price. */
export function mixTrades(
  { pools, base }: { readonly pools: readonly EnginePool[]; readonly base: string },
  count: number,
): readonly Trade[] {
  const random = createRandom(11)
  const market = createMarket(pools)
  const prices = nativePrices(market, base)
  const priced = [...each(market.tokens)].filter((_token, index) => (prices[index] as number) > 0)
  return Array.from({ length: count }, (_, index): Trade => {
    const tokenIn = random.pick(priced)
    const others = priced.filter((token) => token !== tokenIn)
    const wei = tradeWei.least * 10 ** ((tradeWei.orders * index) / count)
    const amount = wei * (prices[market.tokenIndex.get(tokenIn) ?? 0] as number)
    return {
      in: tokenIn,
      out: random.pick(others),
      amount: BigInt(Math.ceil(amount)).toString(),
    }
  })
}
