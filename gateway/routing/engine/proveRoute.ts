import type { Bound } from './boundOutput.ts'
import { certify, laterBound } from './certificate.ts'
import { leastBound } from './leastBound.ts'
import { netOutput } from './netOutput.ts'
import { at } from './pieces.ts'
import { gapBetween, type Route } from './route.ts'
import type { Search } from './search.ts'
import type { FlowSolution } from './solveFlow.ts'

/** What is proven to be this near to the best is as good, whatever has changed. */
export const provenGapBps = 0.1
/** By so much more of a route may be unproven than when prices were last looked for to bound it. */
export const mostGrowthBps = 0.05

/** A route to answer with. */
export type Candidate = {
  readonly route: Route
  /** Whether it is the one that fell. */
  readonly isFallen?: boolean | undefined
  /** What it was made of, or would be by now. */
  readonly flow?: FlowSolution | undefined
  /** Whether it was grown from the one that fell. */
  readonly isResumed?: boolean | undefined
}

/** How near the route is to the best there can be; `isKnown` by prices that bounded it in an earlier market. */
export type Proof = {
  readonly gapBps: number
  readonly prices: Float64Array
  readonly isKnown: boolean
}

/** By the prices of the fallen route as long as they prove as much as they did, else by new ones around a flow. */
export function* boundRoute(
  search: Search,
  route: Route,
  around: FlowSolution,
): Generator<undefined, Proof | undefined> {
  const { whole, frame, amountIn, fallen, isOver } = search
  const net = netOutput(frame, route)
  const prove = ({ bound, prices }: Bound, isKnown: boolean) => {
    const gapBps = gapBetween(net, bound)
    return Number.isFinite(gapBps) ? { gapBps, prices, isKnown } : undefined
  }
  if (fallen) {
    const { boundPrices: prices, unprovenBps } = fallen
    const known = prove(
      { bound: laterBound(whole, frame, { route, boundPrices: prices }), prices },
      true,
    )
    if (known && known.gapBps <= unprovenBps + mostGrowthBps) return known
  }
  const gasCost = route.gas * frame.gasPrice
  const asked = { flow: around, amountIn: Number(amountIn), net, gasCost, isOver }
  const least = yield* leastBound(whole, frame, asked)
  return least && prove(least, false)
}

/** The route with what is unproven of it; tells what bounds it, or that this is what did so before. */
export function certifyRoute(
  search: Search,
  { route: found, isFallen = false, isResumed = false, flow: made }: Candidate,
  { gapBps, prices: boundPrices, isKnown }: Proof,
): Route {
  const { market, whole, frame, fallen, fallenFlow, certified, held } = search
  const { afterwards = (certify) => certify() } = search
  const route = { ...found, gapBps }
  if (isFallen && isKnown && fallen?.hasMoved === false) {
    held?.({ route })
    return route
  }
  const flow = made ?? fallenFlow
  // A path that won alone may be another than the one that was grown.
  const inFlow = new Set(
    flow?.edges.map((edge) => at(market.pools, market.edgePool[edge] as number)?.id),
  )
  if (certified && flow && route.steps.every(({ poolId }) => inFlow.has(poolId))) {
    const before = fallen && (isKnown || isResumed) ? fallen.unprovenBps : gapBps
    const unprovenBps = isResumed ? before : Math.min(before, gapBps)
    const proof = { route, flow, boundPrices, unprovenBps, isResumed }
    afterwards(() => certified(certify(whole, frame, proof)))
  }
  return route
}
