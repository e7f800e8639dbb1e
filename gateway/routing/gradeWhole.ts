import { edgeOutput } from './engine/edgeCurve.ts'
import { edgesOfPool } from './engine/market.ts'
import { nativePrices } from './engine/nativePrice.ts'
import { at } from './engine/pieces.ts'
import { type Grade, gradePool } from './gradePool.ts'
import { midPrice } from './midPrice.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import type { RoutingChain } from './routingChain.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** What a pool is graded by where no route says how much goes through it: one native coin's worth. */
const soldWei = 1e18

/**
 * The grade of a pool by itself: what its worse direction costs for the worth of one native coin. Undefined
 * where nobody can tell what that is.
 */
export function gradeWhole(
  chain: RoutingChain,
  { state, record }: { readonly state: SyncedState; readonly record: PoolRecord },
): Grade | undefined {
  const { market, head } = state
  const { wrappedNative, blockTimeMs } = chain.chainClient.chain
  const prices = nativePrices(market, wrappedNative.toLowerCase())
  const index = market.poolIndex.get(record.id)
  const edges = index === undefined ? [] : edgesOfPool(market, { index, tokens: record.tokens })
  const impacts = edges.map((edge) => {
    const [from, to] = [market.edgeFrom[edge] as number, market.edgeTo[edge] as number]
    const amountIn = soldWei * (prices[from] as number)
    const price = midPrice(record, at(market.tokens, from) ?? '', at(market.tokens, to) ?? '')
    return (1 - edgeOutput(market, edge, amountIn) / (amountIn * price)) * 10_000
  })
  const impactBps = Math.max(...impacts)
  if (!Number.isFinite(impactBps)) return undefined
  return gradePool({
    impactBps: Math.max(0, impactBps),
    stateAgeMs: chain.sync.lagMs(),
    idleMs: Number(head.number - record.changedBlock) * blockTimeMs,
    taxBps: Math.max(...record.tokens.map((token) => chain.taxes.get(token) ?? 0)),
  })
}
