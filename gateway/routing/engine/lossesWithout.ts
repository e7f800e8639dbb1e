import { type EdgePoint, pointAtPrice } from './edgeCurve.ts'
import type { Market } from './market.ts'
import type { SearchFrame } from './searchFrame.ts'
import type { FlowSolution } from './solveFlow.ts'
import { createLaplacian } from './solveLaplacian.ts'

/** With less than this part of the conductance in the others, an edge counts as irreplaceable. */
const leastOthers = 1e-6

/**
 * Estimates what is lost without each edge, to second order: near the optimum the flow is a network
 * of resistors (1 / weight), and the edge's flow has to find its way through the others. That costs
 * flow^2 / 2 times the resistance between its ends without it, at least its
 * profit at the flow's prices, at most all that it brings.
 */
export function lossesWithout(
  market: Market,
  { tokenOut, effort }: SearchFrame,
  flow: FlowSolution,
): Float64Array {
  const { edges, logPrices } = flow
  const nodes = [...new Set(edges.map((edge) => market.edgeFrom[edge] as number))]
  const size = nodes.length
  const placeOf = (token: number) => (token === tokenOut ? size : nodes.indexOf(token))
  const tails = edges.map((edge) => placeOf(market.edgeFrom[edge] as number))
  const heads = edges.map((edge) => placeOf(market.edgeTo[edge] as number))
  const point: EdgePoint = { x: 0, y: 0, slope: 0 }
  const weights = Float64Array.from(edges, (edge) => {
    const logTail = logPrices[market.edgeFrom[edge] as number] as number
    const logHead = logPrices[market.edgeTo[edge] as number] as number
    pointAtPrice(market, edge, Math.exp(logTail - logHead), point)
    return Math.exp(logTail) * point.slope
  })
  const priceAt = (token: number) => Math.exp(logPrices[token] as number)
  const laplacian = createLaplacian(size, tails, heads)
  laplacian.prepare(weights, new Float64Array(size).fill(flow.value * 1e-9))
  const right = new Float64Array(size + 1)
  effort.spent += (size * size * (size + 6 * edges.length)) / 64
  /** Of edges between the same tokens there are many. */
  const resistances = new Map<number, number>()
  function resistanceBetween(tail: number, head: number): number {
    const key = tail * (size + 1) + head
    const known = resistances.get(key)
    if (known !== undefined) return known
    right.fill(0)
    right[tail] = 1
    right[head] = -1
    const potentials = laplacian.solve(right, Math.min(tail, head))
    const across = (potentials[tail] as number) - (head < size ? (potentials[head] as number) : 0)
    resistances.set(key, across)
    return across
  }
  return Float64Array.from(edges, (edge, k) => {
    const across = resistanceBetween(tails[k] as number, heads[k] as number)
    const others = 1 - (weights[k] as number) * across
    const paid = priceAt(market.edgeFrom[edge] as number) * (flow.inputs[k] as number)
    const earned = priceAt(market.edgeTo[edge] as number) * (flow.outputs[k] as number)
    if (others < leastOthers) return earned
    const detour = (earned * earned * across) / 2 / others
    return Math.min(earned, Math.max(earned - paid, detour))
  })
}
