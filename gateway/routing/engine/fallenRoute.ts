import type { Certificate } from './certificate.ts'
import { edgesOfPool, type Market } from './market.ts'
import { netOutput } from './netOutput.ts'
import type { Route } from './route.ts'
import type { SearchFrame } from './searchFrame.ts'
import { type FlowSolution, solveFlow } from './solveFlow.ts'
import { trimFlow } from './trimFlow.ts'

/** A route of an earlier market in this one, where another may be the best by now, and what its search knew of it. */
export type FallenRoute = Pick<Certificate, 'prices' | 'boundPrices' | 'unprovenBps'> & {
  /** As it swaps here. */
  readonly route: Route
  /** Whether its own pools, or the price of gas, have changed since its prices were found. */
  readonly hasMoved: boolean
}

/** The route that fell, which stands again. */
export type Again = {
  readonly route: Route
  /** By these it is near to the best whatever has changed; absent where a search found it by what bounded it before. */
  readonly nearPrices?: Float64Array | undefined
}

/** What brings no more than this part beyond it does not take its place. */
const leastBetterPart = 0.01e-4

/** What another one has to bring, net of gas, to take its place. */
export const leastBetter = (frame: SearchFrame, { route }: FallenRoute): number =>
  netOutput(frame, route) * (1 + leastBetterPart)

/** What goes through its pools, split as this market would have it. */
export function splitFallen(
  market: Market,
  frame: SearchFrame,
  { route, prices }: FallenRoute,
): FlowSolution | undefined {
  const edges: number[] = []
  for (const { poolId, tokenIn, tokenOut } of route.steps) {
    const index = market.poolIndex.get(poolId) ?? -1
    const from = market.tokenIndex.get(tokenIn)
    const ways = edgesOfPool(market, { index, tokens: [tokenIn, tokenOut] })
    const edge = ways.find((each) => market.edgeFrom[each] === from)
    if (edge === undefined) return undefined
    edges.push(edge)
  }
  const logPrices = new Float64Array(market.tokens.length).fill(Number.NaN)
  for (const [token, price] of prices) logPrices[token] = Math.log(price)
  const { tokenIn, tokenOut, effort } = frame
  const problem = { tokenIn, tokenOut, amountIn: Number(route.amountIn), edges, effort }
  return trimFlow(market, frame, solveFlow(market, problem, logPrices))
}
