import { readFileSync } from 'node:fs'
import { createUniswapV3Pool } from '../../routing/protocols/concentrated/uniswapV3.ts'
import type { EnginePool } from '../../routing/protocols/maths/enginePool.ts'
import { createUniswapV2Pool } from '../../routing/protocols/pair/uniswapV2.ts'

/** A pool as recorded in a file: amounts are decimal strings. */
export type PoolRecord = {
  readonly id: string
  readonly tokens: readonly [string, string]
  readonly feePips: number
} & (
  | { readonly type: 'v2'; readonly r0: string; readonly r1: string }
  | {
      readonly type: 'v3'
      readonly tickSpacing: number
      readonly tick: number
      readonly liquidity: string
      readonly sqrtPriceX96: string
      readonly ticks: ReadonlyArray<readonly [number, string]>
    }
)

export type Trade = {
  readonly in: string
  readonly out: string
  readonly amount: string
  readonly usd?: number | undefined
}

export type TradeFile = { readonly base: string | undefined; readonly trades: readonly Trade[] }

/**
 * Gas of a swap for every pool, ours and the peer's alike: the peer charges this for v2 and v3, so
 * that outputs net of gas compare routes and not gas models.
 */
const gasPerSwap = 60_000

/** Pools of a file; families the bench has no maths for are left out. */
export function readPools(path: string): readonly PoolRecord[] {
  const file = JSON.parse(readFileSync(path, 'utf8')) as { pools: readonly PoolRecord[] }
  return file.pools
    .filter(({ type }) => type === 'v2' || type === 'v3')
    .map((pool) => ({ ...pool, tokens: [toId(pool.tokens[0]), toId(pool.tokens[1])] }))
}

/** Addresses are one token whatever their case. */
export function toId(address: string): string {
  return address.toLowerCase()
}

/** Trades of a file: `{base, queries: [{in, out, amount}]}` or the bare array. */
export function readTrades(path: string): TradeFile {
  const file = JSON.parse(readFileSync(path, 'utf8')) as
    | { base?: string; queries: readonly Trade[] }
    | readonly Trade[]
  if ('queries' in file) return { base: file.base, trades: file.queries }
  return { base: undefined, trades: file }
}

export function toEnginePool(record: PoolRecord): EnginePool {
  const [token0, token1] = record.tokens
  const { id, feePips } = record
  if (record.type === 'v2') {
    const reserves = { reserve0: BigInt(record.r0), reserve1: BigInt(record.r1) }
    return { ...createUniswapV2Pool({ id, token0, token1, feePips, ...reserves }), gas: gasPerSwap }
  }
  const pool = createUniswapV3Pool({
    id,
    token0,
    token1,
    feePips,
    tickSpacing: record.tickSpacing,
    tick: record.tick,
    liquidity: BigInt(record.liquidity),
    sqrtPriceX96: BigInt(record.sqrtPriceX96),
    ticks: record.ticks.map(([tick, liquidityNet]) => [tick, BigInt(liquidityNet)] as const),
  })
  return { ...pool, gas: gasPerSwap }
}
