import { type EdgePoint, pointAtPrice } from './edgeCurve.ts'
import type { SearchFrame } from './growFlow.ts'
import type { Market } from './market.ts'
import type { FlowSolution } from './solveFlow.ts'
import { createLaplacian } from './solveLaplacian.ts'

/**
 * Estimates what is lost without each edge, to second order: near the optimum the flow is a network
 * of resistors (1 / weight), and the edge's flow has to find its way through the others. That costs
 * flow^2 / 2 times the resistance between its ends without it.
 */
export function lossesWithout(
  market: Market,
  { tokenOut }: SearchFrame,
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
  const laplacian = createLaplacian(size, tails, heads)
  laplacian.prepare(weights, new Float64Array(size).fill(flow.value * 1e-9))
  const right = new Float64Array(size + 1)
  return Float64Array.from(edges, (edge, k) => {
    const tail = tails[k] as number
    const head = heads[k] as number
    right.fill(0)
    right[tail] = 1
    right[head] = -1
    const potentials = laplacian.solve(right)
    const across = (potentials[tail] as number) - (head < size ? (potentials[head] as number) : 0)
    const others = Math.max(1e-12, 1 - (weights[k] as number) * across)
    const price = Math.exp(logPrices[market.edgeFrom[edge] as number] as number)
    const moved = price * (flow.inputs[k] as number)
    return (moved * moved * across) / 2 / others
  })
}
