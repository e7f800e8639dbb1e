import type { SearchFrame } from './growFlow.ts'
import type { Market } from './market.ts'
import type { FlowSolution } from './solveFlow.ts'

/** The edges that still lead from tokenIn to tokenOut. */
export function connectedEdges(
  market: Market,
  { tokenIn, tokenOut }: SearchFrame,
  edges: readonly number[],
): readonly number[] {
  let kept = edges
  for (;;) {
    const sold = new Set(kept.map((edge) => market.edgeFrom[edge]))
    const bought = new Set(kept.map((edge) => market.edgeTo[edge]))
    const next = kept.filter((edge) => {
      const from = market.edgeFrom[edge]
      const to = market.edgeTo[edge]
      return (from === tokenIn || bought.has(from)) && (to === tokenOut || sold.has(to))
    })
    if (next.length === kept.length) return next
    kept = next
  }
}

/** Leaves out the edges that take nothing or lead nowhere, and with them their tokens' prices. */
export function trimFlow(
  market: Market,
  frame: SearchFrame,
  flow: FlowSolution,
): FlowSolution | undefined {
  if (!Number.isFinite(flow.value)) return undefined
  const active = flow.edges.filter((_edge, k) => (flow.inputs[k] as number) > 0)
  const edges = connectedEdges(market, frame, active)
  if (edges.length === 0) return undefined
  if (edges.length === flow.edges.length) return flow
  const logPrices = new Float64Array(flow.logPrices.length).fill(Number.NaN)
  logPrices[frame.tokenOut] = 0
  for (const edge of edges) {
    const token = market.edgeFrom[edge] as number
    logPrices[token] = flow.logPrices[token] as number
  }
  const places = edges.map((edge) => flow.edges.indexOf(edge))
  return {
    edges,
    logPrices,
    value: flow.value,
    imbalance: flow.imbalance,
    inputs: Float64Array.from(places, (k) => flow.inputs[k] as number),
    outputs: Float64Array.from(places, (k) => flow.outputs[k] as number),
  }
}
