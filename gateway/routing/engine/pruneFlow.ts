import { lossesWithout } from './lossesWithout.ts'
import { gasOf, type Market } from './market.ts'
import type { SearchFrame } from './searchFrame.ts'
import { type FlowSolution, solveFlow } from './solveFlow.ts'
import { connectedEdges, createConnection, trimFlow } from './trimFlow.ts'

export type Pruning = {
  readonly frame: SearchFrame
  readonly amountIn: number
  readonly maxSteps: number
  readonly isOver: () => boolean
}

/** Edges that go together (one alone would lead nowhere), what is lost without them and their gas. */
type Removal = {
  readonly removed: readonly number[]
  readonly loss: number
  readonly cost: number
}

/** Output of a flow less the gas of its edges, in tokenOut. */
export function netValue(market: Market, frame: SearchFrame, flow: FlowSolution): number {
  return flow.value - frame.gasPrice * gasOfAll(market, flow.edges)
}

function gasOfAll(market: Market, edges: readonly number[]): number {
  return edges.reduce((sum, edge) => sum + gasOf(market, edge), 0)
}

/**
 * Takes out what is not worth its gas, and the least worthy down to the limits of steps and gas,
 * solving again each time.
 */
export function* pruneFlow(
  market: Market,
  pruning: Pruning,
  start: FlowSolution,
): Generator<undefined, FlowSolution> {
  let flow = start
  while (excessOf(market, pruning, flow.edges) > 0) {
    const next = pruning.isOver()
      ? removeAtOnce(market, pruning, flow)
      : yield* removeLeast(market, pruning, flow)
    if (!next) break
    flow = next
    yield
  }
  if (pruning.frame.gasPrice === 0) return flow
  const kept = new Set<number>()
  while (flow.edges.length > 1 && !pruning.isOver()) {
    const next = yield* removeCostly(market, pruning, flow, kept)
    if (!next) break
    flow = next
    yield
  }
  return flow
}

/**
 * A transaction takes no more than 2^24 gas on Base (EIP-7825): so much for its swaps leaves room for
 * transfers, and for pools that take more than they usually do.
 */
const maxGas = 15_000_000

/** How many edges at least are over the limits of steps and gas. */
export function excessOf(
  market: Market,
  { maxSteps }: Pick<Pruning, 'maxSteps'>,
  edges: readonly number[],
): number {
  const gasPart = maxGas / gasOfAll(market, edges)
  return Math.max(edges.length - maxSteps, Math.ceil(edges.length * (1 - gasPart)))
}

/**
 * Takes half of what is over the limits, the least loss per edge first; fewer at once where edges stand
 * in for each other and the real loss is far over the estimate.
 */
function* removeLeast(market: Market, pruning: Pruning, flow: FlowSolution) {
  const removals = listRemovals(market, pruning.frame, flow).sort(
    (one, other) => one.loss / one.removed.length - other.loss / other.removed.length,
  )
  // Nothing leads on without any of them.
  if (removals.length === 0) return undefined
  yield
  const excess = excessOf(market, pruning, flow.edges)
  for (let batch = Math.ceil(excess / 2); batch > 1; batch = Math.floor(batch / 3)) {
    const gone = new Set<number>()
    let estimate = flow.value * 1e-6
    for (const { removed, loss } of removals) {
      if (gone.size >= batch) break
      for (const edge of removed) gone.add(edge)
      estimate += loss
    }
    const left = flow.edges.filter((edge) => !gone.has(edge))
    const next = solveRest(market, pruning, flow, connectedEdges(market, pruning.frame, left))
    if (next && next.value >= flow.value - estimateSlack * estimate) return next
    yield
  }
  let best: FlowSolution | undefined
  for (const removal of removals.slice(0, 5)) {
    const next = solveRest(market, pruning, flow, without(flow, removal))
    if (next && next.value > (best?.value ?? 0)) best = next
    if (best && best.value >= flow.value * (1 - 1e-6) - estimateSlack * removal.loss) break
    yield
  }
  return best
}

/** All that is over the limits, when there is no time left to look for the best of it. */
function removeAtOnce(market: Market, pruning: Pruning, flow: FlowSolution) {
  const removals = listRemovals(market, pruning.frame, flow).sort(
    (one, other) => one.loss - other.loss,
  )
  let left = flow.edges
  for (const { removed } of removals) {
    if (excessOf(market, pruning, left) <= 0) break
    const rest = left.filter((edge) => !removed.includes(edge))
    const connected = connectedEdges(market, pruning.frame, rest)
    if (connected.length > 0) left = connected
  }
  return left.length < flow.edges.length ? solveRest(market, pruning, flow, left) : undefined
}

/** Estimates of losses are taken to be right within this factor. */
const estimateSlack = 2

/** Removes what costs more gas than it brings when the rest, solved again, nets more. */
function* removeCostly(market: Market, pruning: Pruning, flow: FlowSolution, kept: Set<number>) {
  const { frame } = pruning
  const removals = listRemovals(market, frame, flow)
    .filter(
      ({ removed, loss, cost }) =>
        loss < estimateSlack * cost && !removed.some((edge) => kept.has(edge)),
    )
    .sort((one, other) => one.loss - one.cost - (other.loss - other.cost))
  yield
  const before = netValue(market, frame, flow)
  const hopeless = removals.filter(({ loss, cost }) => loss < cost / 8)
  if (hopeless.length > 1) {
    const gone = new Set(hopeless.flatMap(({ removed }) => removed))
    const left = flow.edges.filter((edge) => !gone.has(edge))
    const next = solveRest(market, pruning, flow, connectedEdges(market, frame, left))
    if (next && netValue(market, frame, next) > before) return next
  }
  for (const removal of removals) {
    if (pruning.isOver()) return undefined
    const next = solveRest(market, pruning, flow, without(flow, removal))
    if (next && netValue(market, frame, next) > before) return next
    for (const edge of removal.removed) kept.add(edge)
    yield
  }
  return undefined
}

function solveRest(
  market: Market,
  { frame, amountIn }: Pruning,
  flow: FlowSolution,
  edges: readonly number[],
): FlowSolution | undefined {
  if (edges.length === 0) return undefined
  const { tokenIn, tokenOut, effort } = frame
  const solved = solveFlow(market, { tokenIn, tokenOut, amountIn, edges, effort }, flow.logPrices)
  return trimFlow(market, frame, solved)
}

function listRemovals(market: Market, frame: SearchFrame, flow: FlowSolution): Removal[] {
  const losses = lossesWithout(market, frame, flow)
  const connection = createConnection(market, frame, flow.edges)
  const seen = new Set<string>()
  const removals: Removal[] = []
  frame.effort.spent += flow.edges.length * flow.edges.length
  for (let one = 0; one < flow.edges.length; one++) {
    const gone = connection.goneWith(one)
    if (gone.length === flow.edges.length) continue
    const removed = gone.map((k) => flow.edges[k] as number)
    // One that goes alone is no other's.
    const key = removed.length > 1 ? removed.join() : undefined
    if (key && seen.has(key)) continue
    if (key) seen.add(key)
    const loss = gone.reduce((most, k) => Math.max(most, losses[k] as number), 0)
    removals.push({ removed, loss, cost: gasOfAll(market, removed) * frame.gasPrice })
  }
  return removals
}

function without(flow: FlowSolution, { removed }: Removal): readonly number[] {
  return flow.edges.filter((edge) => !removed.includes(edge))
}
