import {
  type Chain,
  type Growing,
  type Growth,
  growFlow,
  tokensBefore,
  turnFlow,
} from './growFlow.ts'
import type { Market } from './market.ts'
import { priceOutside } from './priceOutside.ts'
import type { SearchFrame } from './searchFrame.ts'
import { type FlowSolution, solveFlow } from './solveFlow.ts'
import { trimFlow } from './trimFlow.ts'

type GrowingSearch = {
  readonly market: Market
  readonly frame: SearchFrame
  /** Of a chain after its first. */
  readonly chainHops: number
  readonly amountIn: bigint
  readonly maxSteps: number
  readonly isGrownUp: () => boolean
  /** A flow with more edges grows no further. */
  readonly mostEdges?: number | undefined
}

export type GrownFlow = {
  readonly flow: FlowSolution
  /** As it was when it first had twice the steps that a route may have: another start to choose from. */
  readonly early?: FlowSolution | undefined
}

/**
 * Part of the output that chains are probed with, in turn: coarse first, then marginal prices. By nearly all of it
 * those are seen that pay where they take the place of others, which they do for much less of their gas.
 */
const probeParts = [0.2, 0.8, 0.02, 0.0005, 0]
/** Chains that share a way pay for its gas together: what one earns of it alone, pruning decides with all of them. */
const gasPart = 0.8
const maxRounds = 30
const maxChains = 16
/** A flow grows well past what a route may have: what is best of it is chosen afterwards. */
const maxEdges = 400
/** A chain must promise this part of the output. */
const leastProfitPart = 1e-7
/** A round that gains less than this part is the last with its probe. */
const leastGainPart = 2e-7
const maxAvoided = 8
/** A flow that is off by more is not the best one; fewer chains at once are easier to solve. */
const unsolved = 1e-4
/** Blocked chains that a search turns its flow round for, at most. */
const maxTurns = 8
/** Tokens from which a way around is looked for, at most, each time all chains are blocked. */
const maxStarts = 3

/** Adds chains to a flow, and turns it where that gains, until nothing pays or the work is spent. */
export function* growToOptimum(
  asked: GrowingSearch,
  first: FlowSolution,
): Generator<undefined, GrownFlow> {
  const { market, maxSteps, isGrownUp, mostEdges = maxEdges } = asked
  const frame = { ...asked.frame, gasPrice: gasPart * asked.frame.gasPrice }
  const search = { ...asked, frame }
  let flow = first
  let early: FlowSolution | undefined
  let level = 0
  let chains = maxChains
  const avoided = new Set<number>()
  const turned = new Set<number>()
  for (let round = 0; round < maxRounds && level < probeParts.length && !isGrownUp(); round++) {
    const leastProfit = flow.value * leastProfitPart
    const growth = { frame, flow, leastProfit, maxChains: chains, avoided }
    const pricing = {
      probe: flow.value * (probeParts[level] as number),
      passes: search.chainHops,
    }
    const outside = priceOutside(market, frame, flow, pricing)
    yield
    let grown = yield* growFlow(market, growth, outside)
    if (grown.status === 'blocked') {
      const { chains: blocked } = grown
      yield
      grown = yield* growAround(search, growth, { blocked, pricing })
      const better =
        grown.status !== 'grown' && (yield* turnToGain(search, growth, blocked, turned))
      if (better) {
        flow = better
        continue
      }
    }
    if (grown.status !== 'grown') {
      level++
      continue
    }
    yield
    const next = solveGrown(search, grown)
    if (!next) {
      if (chains === 1) avoided.add(grown.edges[flow.edges.length] as number)
      if (avoided.size > maxAvoided) break
      chains = Math.ceil(chains / 4)
      continue
    }
    if (!(next.value > flow.value * (1 + leastGainPart))) level++
    if (next.value > flow.value) flow = next
    if (flow.edges.length > 2 * maxSteps) early ??= flow
    if (flow.edges.length > mostEdges) break
    yield
  }
  return { flow, early: early === flow ? undefined : early }
}

type Pricing = { readonly probe: number; readonly passes: number }

/** Chains from where the blocked ones begin to where they close no cycle. */
function* growAround(
  { market, frame }: GrowingSearch,
  growth: Growth,
  { blocked, pricing }: { readonly blocked: readonly Chain[]; readonly pricing: Pricing },
): Generator<undefined, Growing> {
  const { flow } = growth
  const starts = new Set(blocked.map(({ edges }) => market.edgeFrom[edges[0] as number] as number))
  for (const start of [...starts].slice(0, maxStarts)) {
    const notInto = tokensBefore(market, flow.edges, start)
    const grown = yield* growFlow(
      market,
      growth,
      priceOutside(market, frame, flow, { ...pricing, notInto }),
    )
    yield
    if (grown.status === 'grown') return grown
  }
  return { status: 'blocked', chains: blocked }
}

/** The flow turned round for the first of the blocked chains that gains by it. */
function* turnToGain(
  search: GrowingSearch,
  growth: Growth,
  blocked: readonly Chain[],
  turned: Set<number>,
): Generator<undefined, FlowSolution | undefined> {
  for (const chain of blocked) {
    const [first = -1] = chain.edges
    if (turned.size >= maxTurns || search.isGrownUp()) return undefined
    if (turned.has(first)) continue
    turned.add(first)
    const grown = turnFlow(search.market, growth, chain, blocked)
    const next = grown && solveGrown(search, grown)
    yield
    if (next && next.value > growth.flow.value * (1 + leastGainPart)) return next
  }
  return undefined
}

function solveGrown(
  { market, frame, amountIn }: GrowingSearch,
  { edges, logPrices }: { readonly edges: readonly number[]; readonly logPrices: Float64Array },
): FlowSolution | undefined {
  const { tokenIn, tokenOut, effort } = frame
  const problem = { tokenIn, tokenOut, amountIn: Number(amountIn), edges, effort }
  const next = trimFlow(market, frame, solveFlow(market, problem, logPrices))
  return next && next.imbalance <= unsolved ? next : undefined
}
