import type { Dex } from '../chain/dex.ts'
import { isNative } from '../chain/native.ts'
import type { Route, RouteStep } from './engine/route.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import type { TokenInfo } from './reads/readTokens.ts'

export type DescribeParameters = {
  readonly route: Route
  readonly pools: ReadonlyMap<string, PoolRecord>
  readonly dexes: readonly Dex[]
  readonly tokens: ReadonlyMap<string, TokenInfo>
  /** As the caller named them: shown as ETH where native. */
  readonly tokenIn: string
  readonly tokenOut: string
}

function nameToken(id: string, tokens: ReadonlyMap<string, TokenInfo>): string {
  return tokens.get(id)?.symbol || `${id.slice(0, 6)}…${id.slice(-4)}`
}

/** One line a person can read: `USDC>[UniV3:500]>WETH`, parallel paths joined by ` + ` with their part. */
export function describeRoute({
  route,
  pools,
  dexes,
  tokens,
  tokenIn,
  tokenOut,
}: DescribeParameters): string {
  const first = isNative(tokenIn) ? 'ETH' : nameToken(tokenIn.toLowerCase(), tokens)
  const last = isNative(tokenOut) ? 'ETH' : nameToken(tokenOut.toLowerCase(), tokens)
  if (route.steps.length === 0) return `${first}>[wrap]>${last}`
  const paths = Map.groupBy(route.steps, ({ path }) => path)
  const texts = [...paths.values()].map((steps) => {
    const hops = steps.map((step) => {
      const pool = pools.get(step.poolId)
      const label = dexes.find(({ name }) => name === pool?.dex)?.label ?? pool?.dex ?? ''
      return `>[${label}:${pool?.feePips ?? 0}]>${nameOut(step)}`
    })
    const start = steps[0]
    const text = `${start ? nameIn(start) : first}${hops.join('')}`
    return paths.size === 1 ? text : `${formatPercent(start?.shareBps ?? 0)} ${text}`
  })
  return texts.join(' + ')

  function nameIn({ tokenIn: id }: RouteStep): string {
    return id === route.steps[0]?.tokenIn ? first : nameToken(id, tokens)
  }
  function nameOut({ tokenOut: id }: RouteStep): string {
    return id === route.steps.at(-1)?.tokenOut ? last : nameToken(id, tokens)
  }
}

function formatPercent(shareBps: number): string {
  return `${Number((shareBps / 100).toFixed(2))}%`
}
