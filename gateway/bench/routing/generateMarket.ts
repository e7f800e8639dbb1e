import { sqrtRatioAtTick } from '../../routing/protocols/maths/tickMath.ts'
import type { PoolRecord, Trade, TradeFile } from './readPools.ts'

type MarketSize = { readonly pools: number; readonly tokens: number; readonly seed: number }

/** xorshift32: the same market for the same seed, everywhere. */
function createRandom(seed: number) {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

const feeTiers = [
  { feePips: 100, tickSpacing: 1 },
  { feePips: 500, tickSpacing: 10 },
  { feePips: 3000, tickSpacing: 60 },
  { feePips: 10_000, tickSpacing: 200 },
] as const
const hubCount = 6

/**
 * A seeded market without arbitrage: every token has one true price, and a pool's price is off by less
 * than its fee. A tenth of the pools is dust; some tokens have one pool only.
 */
export function generateMarket({ pools, tokens, seed }: MarketSize) {
  const random = createRandom(seed)
  const addresses = Array.from({ length: tokens }, (_, k) => toAddress(k + 1))
  const decimals = addresses.map((_, k) => (k === 1 || k === 2 ? 6 : 18))
  const usd = addresses.map((_, k) => (k === 0 ? 3000 : k < 3 ? 1 : 10 ** (4 * random() - 2)))
  const records = Array.from({ length: pools }, (_, index): PoolRecord => {
    const [i, j] = pickPair(random, index, tokens)
    const rawPrice =
      ((usd[i] as number) / (usd[j] as number)) *
      10 ** ((decimals[j] as number) - (decimals[i] as number))
    const side = { usd: 10 ** (random() < 0.1 ? 1 + 2 * random() : 4 + 3.2 * random()) }
    const amount0 = (side.usd / (usd[i] as number)) * 10 ** (decimals[i] as number)
    const base = {
      id: toAddress(1_000_000 + index),
      tokens: [addresses[i], addresses[j]] as [string, string],
    }
    return random() < 0.45
      ? concentrated(random, base, { rawPrice, amount0 })
      : constantProduct(random, base, { rawPrice, amount0 })
  })
  return { base: addresses[0] as string, records, addresses, decimals, usd, random }
}

function toAddress(value: number): string {
  return `0x${value.toString(16).padStart(40, '0')}`
}

/** The first pools give every token one, mostly to a hub; the rest prefer hubs. */
function pickPair(random: () => number, index: number, tokens: number): [number, number] {
  const skewed = () => Math.floor(random() ** 2 * tokens)
  const one = index < tokens ? index : skewed()
  const other = random() < 0.7 ? Math.floor(random() * hubCount) : skewed()
  if (one === other) return pickPair(random, tokens + index, tokens)
  return one < other ? [one, other] : [other, one]
}

type Base = { readonly id: string; readonly tokens: readonly [string, string] }
type Depth = { readonly rawPrice: number; readonly amount0: number }

function constantProduct(
  random: () => number,
  base: Base,
  { rawPrice, amount0 }: Depth,
): PoolRecord {
  const feePips = random() < 0.7 ? 3000 : 2500
  const skew = 1 + ((random() - 0.5) * feePips) / 1e6
  const r0 = BigInt(Math.ceil(amount0)) + 1000n
  const r1 = BigInt(Math.ceil(amount0 * rawPrice * skew)) + 1000n
  return { ...base, type: 'v2', feePips, r0: r0.toString(), r1: r1.toString() }
}

/** Overlapping ranges around the price; liquidity so that the pool is about as deep as asked. */
function concentrated(random: () => number, base: Base, { rawPrice, amount0 }: Depth): PoolRecord {
  const tier = feeTiers[Math.floor(random() * feeTiers.length)] as (typeof feeTiers)[number]
  const skew = 1 + ((random() - 0.5) * tier.feePips) / 1e6
  const tick = Math.floor(Math.log(rawPrice * skew) / Math.log(1.0001))
  const net = new Map<number, bigint>()
  const ranges = 2 + Math.floor(random() * 30)
  let liquidity = 0n
  for (let range = 0; range < ranges; range++) {
    const half = Math.ceil((50 + 12_000 * random() ** 2) / tier.tickSpacing)
    const middle = Math.floor(tick / tier.tickSpacing + (random() - 0.5) * half * 1.5)
    const lower = (middle - half) * tier.tickSpacing
    const upper = (middle + half) * tier.tickSpacing
    const width = 1 - 1.0001 ** (-(half * tier.tickSpacing) / 2)
    const depth = ((amount0 / ranges) * Math.sqrt(rawPrice)) / width
    const amount = BigInt(Math.ceil(depth * (0.2 + random()))) + 1n
    net.set(lower, (net.get(lower) ?? 0n) + amount)
    net.set(upper, (net.get(upper) ?? 0n) - amount)
    if (lower <= tick && tick < upper) liquidity += amount
  }
  const sqrtPriceX96 = sqrtRatioAtTick(tick) + 1n
  const ticks = [...net]
    .filter(([, amount]) => amount !== 0n)
    .sort(([one], [other]) => one - other)
    .map(([at, amount]) => [at, amount.toString()] as const)
  return {
    ...base,
    type: 'v3',
    ...tier,
    tick,
    liquidity: liquidity.toString(),
    sqrtPriceX96: sqrtPriceX96.toString(),
    ticks,
  }
}

/** Trades of $100 to $1M, log-uniform, between hubs and others. */
export function generateTrades(
  market: ReturnType<typeof generateMarket>,
  count: number,
): TradeFile {
  const { random, addresses, decimals, usd } = market
  const pick = () => Math.floor(random() < 0.5 ? random() * hubCount : random() * addresses.length)
  const trades = Array.from({ length: count }, (): Trade => {
    const i = pick()
    let j = pick()
    while (j === i) j = pick()
    const value = 10 ** (2 + 4 * random())
    const amount = BigInt(Math.floor((value / (usd[i] as number)) * 10 ** (decimals[i] as number)))
    return {
      in: addresses[i] as string,
      out: addresses[j] as string,
      amount: amount.toString(),
      usd: value,
    }
  })
  return { base: market.base, trades }
}
