import { leastBetter } from './fallenRoute.ts'
import { growToOptimum } from './growToOptimum.ts'
import { betterRoute } from './netOutput.ts'
import { boundRoute, certifyRoute, mostGrowthBps, provenGapBps } from './proveRoute.ts'
import { netValue } from './pruneFlow.ts'
import type { Route } from './route.ts'
import { pruneToLimits, replay, type Search } from './search.ts'
import type { FlowSolution } from './solveFlow.ts'

/** Where its gas is a greater part of what it brings, other swaps may save more than an answer may miss. */
const mostGasPart = 0.3e-4
/** Where more of it is unproven, what only a search anew finds may hide there. */
const mostUnprovenBps = 0.5
/** Of the steps that it may have: what grows further has to be pruned again, which takes longer than to grow. */
const mostGrownPart = 1.25

/**
 * The best route as it grows from the one that fell, which is found sooner than anew; that one itself where nothing
 * is better, or can be. Undefined where a pool refuses what its curve promises, which may hide what comes, or where
 * more is unproven than before: it may be what only a search anew finds.
 */
export function* resumeRoute(search: Search): Generator<undefined, Route | undefined> {
  const { market, frame, maxSteps, fallen, fallenFlow: start, held } = search
  if (!fallen || !start || fallen.unprovenBps > mostUnprovenBps) return undefined
  // Prices of its own flow prove in a tenth of the time what a search would find in vain.
  const near =
    fallen.unprovenBps <= provenGapBps ? yield* boundRoute(search, fallen.route, start) : undefined
  if (near && near.gapBps <= provenGapBps) {
    const route = { ...fallen.route, gapBps: near.gapBps }
    held?.({ route, nearPrices: near.prices })
    return route
  }
  if (fallen.route.gas * frame.gasPrice > mostGasPart * Number(fallen.route.amountOut))
    return undefined
  const grown = yield* growToOptimum({ ...search, mostEdges: mostGrownPart * maxSteps }, start)
  // What has grown dear is left out, whether or not anything came.
  const flow = yield* pruneToLimits(search, grown.flow)
  if (!flow || search.isOver()) return undefined
  // By its curve a pool may give less than it does: that is no reason to keep to the others.
  const isOther = flow.edges.join() !== start.edges.join()
  const isWorth = isOther || netValue(market, frame, flow) > leastBetter(frame, fallen)
  const found = isWorth ? yield* run(search, flow) : fallen.route
  if (!found) return undefined
  const best = betterRoute(frame, found, fallen.route) ?? fallen.route
  const proof = yield* boundRoute(search, best, grown.flow)
  if (!proof || !(proof.gapBps <= fallen.unprovenBps + mostGrowthBps) || search.isOver())
    return undefined
  const isFallen = best === fallen.route
  const candidate = { route: best, flow: isFallen ? start : flow, isFallen, isResumed: true }
  return certifyRoute(search, candidate, proof)
}

/** In exact integers. */
function* run(search: Search, flow: FlowSolution) {
  const replayed = yield* replay(search, flow.edges, flow.inputs)
  return replayed.status === 'ok' ? replayed.route : undefined
}
