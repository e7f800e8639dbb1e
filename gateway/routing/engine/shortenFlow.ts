import type { Market } from './market.ts'
import type { SearchFrame } from './searchFrame.ts'
import { type FlowSolution, solveFlow } from './solveFlow.ts'
import { connectedEdges, trimFlow } from './trimFlow.ts'

/**
 * A flow none of whose paths is longer than `mostHops`: of the edges on longer ones the least goes, and the
 * rest is solved again. Chains that are short by themselves put longer paths together. Undefined where
 * nothing is left.
 */
export function shortenFlow(
  market: Market,
  frame: SearchFrame,
  {
    flow,
    amountIn,
    mostHops,
  }: { readonly flow: FlowSolution; readonly amountIn: number; readonly mostHops: number },
): FlowSolution | undefined {
  const { tokenIn, tokenOut, effort } = frame
  let short: FlowSolution | undefined = flow
  while (short) {
    const least = findLeast(market, short, mostHops)
    if (least === undefined) return short
    const left = short.edges.filter((edge) => edge !== least)
    const edges = connectedEdges(market, frame, left)
    if (edges.length === 0) return undefined
    const problem = { tokenIn, tokenOut, amountIn, edges, effort }
    short = trimFlow(market, frame, solveFlow(market, problem, short.logPrices))
  }
  return undefined
}

/** The edge worth least among those on paths that are too long; undefined where there is none. */
function findLeast(
  market: Market,
  { edges, inputs, logPrices }: FlowSolution,
  mostHops: number,
): number | undefined {
  const from = (edge: number) => market.edgeFrom[edge] as number
  const to = (edge: number) => market.edgeTo[edge] as number
  const before = hopsAlong(edges, { from, to })
  const behind = hopsAlong(edges, { from: to, to: from })
  let least: number | undefined
  let leastWorth = Number.POSITIVE_INFINITY
  for (const [k, edge] of edges.entries()) {
    const hops = (before.get(from(edge)) ?? 0) + 1 + (behind.get(to(edge)) ?? 0)
    if (hops <= mostHops) continue
    const worth = (inputs[k] as number) * Math.exp(logPrices[from(edge)] as number)
    if (worth >= leastWorth) continue
    least = edge
    leastWorth = worth
  }
  return least
}

/** Hops of the longest way to each token; a flow has no circles. */
function hopsAlong(
  edges: readonly number[],
  { from, to }: { readonly from: (edge: number) => number; readonly to: (edge: number) => number },
): ReadonlyMap<number, number> {
  const hops = new Map<number, number>()
  for (let hasGrown = true; hasGrown; ) {
    hasGrown = false
    for (const edge of edges) {
      const reached = (hops.get(from(edge)) ?? 0) + 1
      if (reached <= (hops.get(to(edge)) ?? 0)) continue
      hops.set(to(edge), reached)
      hasGrown = true
    }
  }
  return hops
}
