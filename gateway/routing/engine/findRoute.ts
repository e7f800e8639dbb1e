import { edgeOutput } from './edgeCurve.ts'
import type { Market } from './market.ts'
import { type Plan, replayRoute } from './replayRoute.ts'
import type { Route } from './route.ts'
import { hopsTo, searchPath } from './searchPath.ts'

export type FindRouteParameters = {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly maxHops: number
  /** Most swaps in one route. */
  readonly maxSteps: number
  readonly gasPriceWei: bigint
  /** Token whose unit pays gas (the wrapped native currency). */
  readonly nativeToken: string
  /** Time to search; the best found so far is returned when it is over. */
  readonly deadlineMs: number
  readonly now: () => number
}

/** The best route found for an exact input, in exact integers; undefined when there is none. */
export function findRoute(market: Market, parameters: FindRouteParameters): Route | undefined {
  const tokenIn = market.tokenIndex.get(parameters.tokenIn)
  const tokenOut = market.tokenIndex.get(parameters.tokenOut)
  if (tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut) return undefined
  if (parameters.amountIn <= 0n || parameters.maxHops < 1) return undefined
  const amountIn = Number(parameters.amountIn)
  const reach = hopsTo(market, tokenOut, parameters.maxHops)
  const search = {
    tokenIn,
    tokenOut,
    amountIn,
    maxHops: parameters.maxHops,
    gasCost: undefined,
  }
  const path = searchPath(market, search, reach)
  if (!path) return undefined
  const plan = planPath(market, path, amountIn)
  return replayRoute(market, { tokenIn, tokenOut, amountIn: parameters.amountIn, plan })
}

function planPath(market: Market, path: readonly number[], amountIn: number): Plan {
  let flow = amountIn
  return path.map((edge) => {
    const taken = flow
    flow = edgeOutput(market, edge, flow)
    return { edge, flow: taken }
  })
}
