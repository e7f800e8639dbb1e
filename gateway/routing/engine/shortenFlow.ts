import type { Market } from './market.ts'
import type { SearchFrame } from './searchFrame.ts'
import { type FlowSolution, solveFlow } from './solveFlow.ts'
import { connectedEdges, trimFlow } from './trimFlow.ts'

/** Of the edges that are on too long paths, so many go before the rest is solved again. */
const goneAtOnce = 1 / 16

/**
 * A flow none of whose paths is longer than `mostHops`: of the edges on longer ones the least go, and the
 * rest is solved again; all of them at once where no work is left. Chains that are short by themselves put
 * longer paths together. Undefined where nothing is left.
 */
export function* shortenFlow(
  market: Market,
  frame: SearchFrame,
  {
    flow,
    amountIn,
    mostHops,
    isOver,
  }: {
    readonly flow: FlowSolution
    readonly amountIn: number
    readonly mostHops: number
    readonly isOver: () => boolean
  },
): Generator<undefined, FlowSolution | undefined> {
  const { tokenIn, tokenOut, effort } = frame
  let short: FlowSolution | undefined = flow
  while (short) {
    const long = listLong(market, short, mostHops)
    if (long.length === 0) return short
    const count = isOver() ? long.length : Math.ceil(long.length * goneAtOnce)
    const gone = new Set(long.slice(0, count))
    const left = short.edges.filter((edge) => !gone.has(edge))
    const edges = connectedEdges(market, frame, left)
    if (edges.length === 0) return undefined
    const problem = { tokenIn, tokenOut, amountIn, edges, effort }
    short = trimFlow(market, frame, solveFlow(market, problem, short.logPrices))
    yield
  }
  return undefined
}

/** The edges on paths that are too long, those worth least first. */
function listLong(
  market: Market,
  { edges, inputs, logPrices }: FlowSolution,
  mostHops: number,
): readonly number[] {
  const from = (edge: number) => market.edgeFrom[edge] as number
  const to = (edge: number) => market.edgeTo[edge] as number
  const before = hopsAlong(edges, { from, to })
  const behind = hopsAlong(edges, { from: to, to: from })
  const long = [...edges.entries()].filter(
    ([, edge]) => (before.get(from(edge)) ?? 0) + 1 + (behind.get(to(edge)) ?? 0) > mostHops,
  )
  const worthOf = ([k, edge]: readonly [number, number]) =>
    (inputs[k] as number) * Math.exp(logPrices[from(edge)] as number)
  return long.toSorted((one, other) => worthOf(one) - worthOf(other)).map(([, edge]) => edge)
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
