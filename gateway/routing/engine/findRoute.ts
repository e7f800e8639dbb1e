import type { Certificate } from './certificate.ts'
import { edgeOutput, marginalRate } from './edgeCurve.ts'
import type { Effort } from './effort.ts'
import { type Again, type FallenRoute, leastBetter, splitFallen } from './fallenRoute.ts'
import { growToOptimum } from './growToOptimum.ts'
import { type Market, withoutPool } from './market.ts'
import { nativePrices } from './nativePrice.ts'
import { betterRoute, netOutput } from './netOutput.ts'
import { at } from './pieces.ts'
import { boundRoute, type Candidate, certifyRoute } from './proveRoute.ts'
import { replayRoute } from './replayRoute.ts'
import { resumeRoute } from './resumeRoute.ts'
import type { Route } from './route.ts'
import { pruneToLimits, type Replaying, replay, replaySplit, type Search } from './search.ts'
import { frameBetween } from './searchFrame.ts'
import { searchPath } from './searchPath.ts'
import type { Slices } from './slices.ts'
import { type FlowSolution, solveFlow } from './solveFlow.ts'
import { trimFlow } from './trimFlow.ts'

export type FindRouteParameters = {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  /**
   * How far the first search looks. From three on, the paths that splits put together may go three hops
   * further.
   */
  readonly maxHops: number
  /** Strictly the most hops of any path in the answer, split or not. */
  readonly mostHops?: number | undefined
  /** Most swaps in one route. */
  readonly maxSteps: number
  /** No splits: the best single path within `maxHops`. */
  readonly singlePath?: boolean | undefined
  readonly gasPriceWei: bigint
  /** Token whose unit pays gas (the wrapped native currency). */
  readonly nativeToken: string
  /** The market that tells what gas is worth, with the same tokens. Default: the one that is searched. */
  readonly gasMarket?: Market | undefined
  /**
   * Work to search with, as `Effort` counts it: the best found so far is returned when it is spent.
   * Equal states get equal answers.
   */
  readonly maxWork: number
  /** Cut-off for emergencies: a machine so slow that it has not spent its work by then. */
  readonly deadlineMs: number
  readonly now: () => number
  /** Told what bounds a route that was found; the last one may be that of the answer. */
  readonly certified?: ((certificate: Certificate) => void) | undefined
  /** Given the work of finding out what bounds a route, for when it is answered. Default: that is found out at once. */
  readonly afterwards?: ((certify: () => void) => void) | undefined
  /** Told that the fallen route was found again, and that what bounded it still does, or other prices do. */
  readonly held?: ((again: Again) => void) | undefined
  /** One of an earlier market to begin with. */
  readonly fallen?: FallenRoute | undefined
  /** Runs plans in exact integers. Default: at once, on the market that is searched. */
  readonly replay?: Replaying | undefined
}

const replayAtOnce: Replaying = (market, asked) => {
  const result = replayRoute(market, asked)
  return () => result
}

/**
 * The best route for an exact input, by output net of gas: the best single path, then splits, in
 * float64; the final candidates in exact integers. Undefined when there is no route.
 */
export function findRoute(market: Market, parameters: FindRouteParameters): Route | undefined {
  const pieces = findRouteInPieces(market, parameters)
  for (;;) {
    const piece = pieces.next()
    if (piece.done) return piece.value
  }
}

/** The same in slices of the event loop's turns; `worked` is told how long each took. */
export function findRouteInSlices(
  market: Market,
  parameters: FindRouteParameters,
  {
    slices,
    worked,
  }: { readonly slices: Slices; readonly worked?: ((ms: number) => void) | undefined },
): Promise<Route | undefined> {
  return slices.run(findRouteInPieces(market, parameters), worked)
}

/**
 * Stops after every piece of work that may take a millisecond. A pool that refuses in exact integers
 * what its curve promised is left out, and the search begins again.
 */
export function* findRouteInPieces(
  market: Market,
  parameters: FindRouteParameters,
): Generator<undefined, Route | undefined> {
  const start = parameters.now()
  const effort = { spent: 0 }
  const limitsOf = (all: number) => {
    const isLate = () => parameters.now() - start >= parameters.deadlineMs * all
    const hasSpent = (part: number) => () =>
      effort.spent >= parameters.maxWork * all * part || isLate()
    return { isGrownUp: hasSpent(growthPart), isPruned: hasSpent(pruningPart), isOver: hasSpent(1) }
  }
  const frameIn = (usable: Market, part: number, refused: Set<number>) =>
    frameSearch(usable, parameters, { effort, ...limitsOf(part), refused, whole: market })
  const resuming = frameIn(market, resumingPart, new Set())
  const resumed = resuming && (yield* resumeRoute(resuming))
  if (resumed) return resumed
  // What was tried in vain takes nothing from the search.
  effort.spent = 0
  const refused = new Set<number>()
  let usable = market
  let best: Route | undefined
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const search = frameIn(usable, 1, refused)
    if (!search) return undefined
    const count = refused.size
    best = betterRoute(search.frame, yield* searchOnce(search, parameters), best)
    // What ended early has not been held against it.
    best = betterRoute(search.frame, search.fallen?.route, best)
    if (refused.size === count || (search.isOver() && best)) break
    for (const pool of refused) usable = withoutPool(usable, pool)
  }
  return best
}

const maxAttempts = 8
/** Part of the work, and of the time, for what may grow from a route that fell, before any other. */
const resumingPart = 0.25
/** Part of the work for finding chains. */
const growthPart = 0.6
/** By then what is not worth its gas is left out; the rest is for the bound. */
const pruningPart = 0.9
/** The split looks this much further than the first search, where that goes far; each of its chains one hop. */
const furtherHops = 3

function frameSearch(
  market: Market,
  parameters: FindRouteParameters,
  {
    effort,
    ...rest
  }: Pick<Search, 'isOver' | 'isGrownUp' | 'isPruned' | 'refused' | 'whole'> & {
    readonly effort: Effort
  },
): Search | undefined {
  const { amountIn, maxHops, maxSteps, mostHops } = parameters
  const tokenIn = market.tokenIndex.get(parameters.tokenIn)
  const tokenOut = market.tokenIndex.get(parameters.tokenOut)
  if (tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut) return undefined
  if (amountIn <= 0n || maxHops < 1 || maxSteps < 1) return undefined
  const gasCost = gasCosts(market, parameters)
  const usualHops = maxHops < 3 ? maxHops : maxHops + furtherHops
  const splitHops = Math.min(usualHops, mostHops ?? usualHops)
  const gasPrice = gasCost?.[tokenOut] ?? 0
  const frame = frameBetween(market, { tokenIn, tokenOut, maxHops: splitHops, gasPrice }, effort)
  const { certified, held, afterwards, replay = replayAtOnce } = parameters
  const fell = parameters.fallen
  const fallen = fell && fell.route.steps.length <= maxSteps ? fell : undefined
  const apart = { ...frame, effort: { spent: 0 } }
  const fallenFlow = fallen && splitFallen(market, apart, fallen)
  const chainHops = Math.min(maxHops + 1, splitHops - 1)
  const asked = {
    amountIn,
    maxSteps,
    mostHops,
    fallen,
    fallenFlow,
    certified,
    afterwards,
    held,
    replay,
  }
  return { market, frame, chainHops, gasCost, ...asked, ...rest }
}

function* searchOnce(search: Search, { maxHops, singlePath }: FindRouteParameters) {
  const { market, frame, chainHops, gasCost, maxSteps } = search
  const start = {
    tokenIn: frame.tokenIn,
    tokenOut: frame.tokenOut,
    amountIn: Number(search.amountIn),
    maxHops: Math.min(maxHops, maxSteps),
    gasCost,
    mustExceed: Number.NEGATIVE_INFINITY,
    effort: frame.effort,
  }
  const path = searchPath(market, start, frame.hopsToOut)
  if (!path) return undefined
  const single = yield* replayFirst(search, path)
  yield
  if (singlePath || search.isOver()) return single
  const further = {
    ...start,
    maxHops: Math.min(chainHops, maxSteps),
    mustExceed: single ? netOutput(frame, single) : start.mustExceed,
  }
  yield
  const longer =
    further.maxHops > start.maxHops ? searchPath(market, further, frame.hopsToOut) : path
  yield
  const first = solvePath(search, longer ?? path)
  return first ? yield* improveRoute(search, first, single) : single
}

function gasCosts(
  market: Market,
  { gasPriceWei, nativeToken, gasMarket = market }: FindRouteParameters,
) {
  if (gasPriceWei <= 0n) return undefined
  return nativePrices(gasMarket, nativeToken).map((price) => price * Number(gasPriceWei))
}

function* improveRoute(search: Search, first: FlowSolution, single: Route | undefined) {
  const { frame, fallen, isOver } = search
  const grown = yield* growToOptimum(search, first)
  let best: Candidate | undefined = single && { route: single, flow: first }
  for (const start of [grown.flow, grown.early]) {
    const found = start && (yield* pruneAndReplay(search, start))
    if (betterRoute(frame, found?.route, best?.route) !== best?.route) best = found
  }
  if (fallen && !(best && netOutput(frame, best.route) > leastBetter(frame, fallen)))
    best = { route: fallen.route, isFallen: true }
  if (!best || isOver() || best.route.amountIn !== search.amountIn) return best?.route
  const proof = yield* boundRoute(search, best.route, grown.flow)
  if (!proof) return best.route
  return certifyRoute(search, best, proof)
}

/** What of a flow pays, in exact integers; undefined where the work ran out before. */
function* pruneAndReplay(search: Search, start: FlowSolution) {
  const flow = yield* pruneToLimits(search, start)
  const route = flow && (yield* replaySplit(search, flow))
  return route && { route, flow }
}

/** The path alone; a pool of it that refuses is left out of the next search. */
function* replayFirst(search: Search, path: readonly number[]) {
  const replayed = yield* replay(search, path, new Float64Array(path.length).fill(1))
  if (replayed.status === 'refused')
    search.refused.add(search.market.edgePool[replayed.edge] as number)
  return replayed.status === 'ok' ? replayed.route : undefined
}

/** A path as a flow, with the prices at which it sells just what runs through it. */
function solvePath({ market, frame, amountIn }: Search, path: readonly number[]) {
  const { tokenIn, tokenOut } = frame
  const logPrices = new Float64Array(market.tokens.length).fill(Number.NaN)
  logPrices[tokenOut] = 0
  const rates: number[] = []
  let amount = Number(amountIn)
  for (const edge of path) {
    const curve = at(market.curves, edge)
    rates.push(marginalRate(market, edge, Math.min(amount, curve?.x[curve.count] ?? 0)))
    amount = edgeOutput(market, edge, amount)
  }
  let log = 0
  for (const [k, edge] of [...path.entries()].toReversed()) {
    log += Math.log(rates[k] as number)
    logPrices[market.edgeFrom[edge] as number] = log
  }
  const { effort } = frame
  const problem = { tokenIn, tokenOut, amountIn: Number(amountIn), edges: path, effort }
  return trimFlow(market, frame, solveFlow(market, problem, logPrices))
}
