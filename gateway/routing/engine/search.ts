import type { Certificate } from './certificate.ts'
import type { Again, FallenRoute } from './fallenRoute.ts'
import type { Market } from './market.ts'
import { planFlow } from './planFlow.ts'
import { excessOf, pruneFlow } from './pruneFlow.ts'
import type { Replay, ReplayResult } from './replayRoute.ts'
import type { Route } from './route.ts'
import type { SearchFrame } from './searchFrame.ts'
import { shortenFlow } from './shortenFlow.ts'
import { type FlowSolution, solveFlow } from './solveFlow.ts'
import { connectedEdges, trimFlow } from './trimFlow.ts'

/** What it returns tells the result as soon as that is known: until then the search has nothing to do. */
export type Replaying = (market: Market, asked: Replay) => () => ReplayResult | undefined

/** One search of one market. */
export type Search = {
  readonly market: Market
  /** With the pools that refused, which may take another amount. */
  readonly whole: Market
  readonly frame: SearchFrame
  /** Of a path of one piece, and of a chain after its first. */
  readonly chainHops: number
  readonly gasCost: Float64Array | undefined
  readonly amountIn: bigint
  readonly maxSteps: number
  readonly mostHops: number | undefined
  readonly isOver: () => boolean
  readonly isGrownUp: () => boolean
  readonly isPruned: () => boolean
  /** Pools that refused; searches add to it. */
  readonly refused: Set<number>
  readonly fallen: FallenRoute | undefined
  /** Its pools, split anew. */
  readonly fallenFlow: FlowSolution | undefined
  readonly certified: ((certificate: Certificate) => void) | undefined
  readonly afterwards: ((certify: () => void) => void) | undefined
  readonly held: ((again: Again) => void) | undefined
  readonly replay: Replaying
}

/** What of a flow pays, within the limits; undefined where the work ran out before. */
export function* pruneToLimits(
  { market, frame, amountIn, maxSteps, mostHops, isPruned }: Search,
  start: FlowSolution,
): Generator<undefined, FlowSolution | undefined> {
  const asked = { frame, amountIn: Number(amountIn), maxSteps, isOver: isPruned }
  const short =
    mostHops === undefined
      ? start
      : yield* shortenFlow(market, frame, { ...asked, flow: start, mostHops })
  yield
  if (!short) return undefined
  const flow = yield* pruneFlow(market, asked, short)
  yield
  return excessOf(market, asked, flow.edges) > 0 ? undefined : flow
}

/** A split that lost more than this part to pools that refused is searched for again without them. */
const leastLossPart = 1e-6
const maxRefusals = 16

/** The split without the pools that refuse their part of it, solved again for the others. */
export function* replaySplit(search: Search, start: FlowSolution) {
  const { market, frame, refused } = search
  const amountIn = Number(search.amountIn)
  const { tokenIn, tokenOut, effort } = frame
  const gone: number[] = []
  let flow: FlowSolution | undefined = start
  let route: Route | undefined
  while (flow && gone.length < maxRefusals) {
    const replayed: ReplayResult = yield* replay(search, flow.edges, flow.inputs)
    if (replayed.status === 'ok') route = replayed.route
    if (replayed.status !== 'refused') break
    gone.push(market.edgePool[replayed.edge] as number)
    const left = flow.edges.filter((edge) => !gone.includes(market.edgePool[edge] as number))
    const edges = connectedEdges(market, frame, left)
    const problem = { tokenIn, tokenOut, amountIn, edges, effort }
    flow =
      edges.length > 0
        ? trimFlow(market, frame, solveFlow(market, problem, flow.logPrices))
        : undefined
    yield
  }
  if (!route || !flow || flow.value < start.value * (1 - leastLossPart))
    for (const pool of gone) refused.add(pool)
  return route
}

/** Plans a flow and runs it in exact integers; sells less when the pools cannot take all. */
export function* replay(
  { market, frame, amountIn, replay: run }: Search,
  edges: readonly number[],
  inputs: ArrayLike<number>,
): Generator<undefined, ReplayResult> {
  const { tokenIn, tokenOut } = frame
  const problem = { tokenIn, tokenOut, amountIn: Number(amountIn), edges, inputs }
  const planned = planFlow(market, problem)
  if (!planned) return { status: 'incomplete' }
  const sold =
    planned.unsold > 0 ? BigInt(Math.floor(Number(amountIn) * (1 - planned.unsold))) : amountIn
  const told = run(market, { tokenIn, tokenOut, amountIn: sold, plan: planned.plan })
  for (;;) {
    const result = told()
    if (result) return result
    yield
  }
}
