import { leastBetter, splitFallen } from './fallenRoute.ts'
import { growToOptimum } from './growToOptimum.ts'
import { betterRoute } from './netOutput.ts'
import { boundRoute, certifyRoute, mostGrowthBps } from './proveRoute.ts'
import { netValue } from './pruneFlow.ts'
import type { Route } from './route.ts'
import { pruneToLimits, replaySplit, type Search } from './search.ts'

/** Where its gas is a greater part of what it brings, other swaps may save more than an answer may miss. */
const mostGasPart = 0.3e-4

/**
 * The best route as it grows from the one that fell, which is found sooner than anew; that one itself where nothing
 * is better. Undefined where more is unproven than before: it may be what only a search anew finds.
 */
export function* resumeRoute(search: Search): Generator<undefined, Route | undefined> {
  const { market, frame, fallen } = search
  if (!fallen || fallen.route.gas * frame.gasPrice > mostGasPart * Number(fallen.route.amountOut))
    return undefined
  const start = splitFallen(market, frame, fallen)
  yield
  if (!start) return undefined
  const grown = yield* growToOptimum(search, start)
  // What has grown dear is left out, whether or not anything came.
  const flow = yield* pruneToLimits(search, grown.flow)
  const isBetter = flow && netValue(market, frame, flow) > leastBetter(frame, fallen)
  const found = isBetter ? yield* replaySplit(search, flow) : undefined
  const best = betterRoute(frame, found, fallen.route) ?? fallen.route
  const proof = yield* boundRoute(search, best, grown.flow)
  if (!proof || !(proof.gapBps <= fallen.unprovenBps + mostGrowthBps) || search.isOver())
    return undefined
  const isFallen = best === fallen.route
  const candidate = { route: best, flow: isFallen ? start : flow, isFallen, isResumed: true }
  return certifyRoute(search, candidate, proof)
}
