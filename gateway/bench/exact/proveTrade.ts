import type { Highs } from 'highs'
import { boundOutput } from '../../routing/engine/boundOutput.ts'
import type { Certificate } from '../../routing/engine/certificate.ts'
import { findRoute } from '../../routing/engine/findRoute.ts'
import { gasOf, type Market } from '../../routing/engine/market.ts'
import { nativePrices } from '../../routing/engine/nativePrice.ts'
import { at } from '../../routing/engine/pieces.ts'
import { planFlow } from '../../routing/engine/planFlow.ts'
import { frameBetween } from '../../routing/engine/searchFrame.ts'
import { solveFlow } from '../../routing/engine/solveFlow.ts'
import { waysBetween } from '../../routing/engine/waysBetween.ts'
import { searchLimits } from '../../routing/searchRoute.ts'
import { type Trade, toId } from '../routing/readPools.ts'
import { boundExactly } from './boundExactly.ts'
import type { Question } from './question.ts'

export type Proof = {
  readonly legs: number
  /** What the search says that no route brings more. */
  readonly gapBps: number
  readonly provenBps: number
  /** By how much a route that was found beside nets more. */
  readonly betterBps: number
  readonly ms: number
}

/** Undefined where the search has no route that sells all and is worth its gas. */
export function proveTrade(
  highs: Highs,
  market: Market,
  {
    trade,
    base,
    gasPriceWei,
    seconds,
  }: {
    readonly trade: Trade
    readonly base: string
    readonly gasPriceWei: bigint
    readonly seconds: number
  },
): Proof | undefined {
  const native = nativePrices(market, base)
  let certificate: Certificate | undefined
  const route = findRoute(market, {
    ...searchLimits.deep,
    deadlineMs: Number.POSITIVE_INFINITY,
    tokenIn: toId(trade.in),
    tokenOut: toId(trade.out),
    amountIn: BigInt(trade.amount),
    gasPriceWei,
    nativeToken: base,
    now: () => performance.now(),
    certified: (made) => {
      certificate = made
    },
  })
  const question = {
    market,
    tokenIn: market.tokenIndex.get(toId(trade.in)) ?? -1,
    tokenOut: market.tokenIndex.get(toId(trade.out)) ?? -1,
    amountIn: Number(trade.amount),
    gasPrice: 0,
  }
  question.gasPrice = (native[question.tokenOut] ?? 0) * Number(gasPriceWei)
  const net = route ? Number(route.amountOut) - route.gas * question.gasPrice : 0
  if (!route || route.amountIn !== BigInt(trade.amount) || !(net > 0)) return undefined
  const started = performance.now()
  const worth = native.map((units) => (units === 0 ? 0 : (native[question.tokenOut] ?? 0) / units))
  const prices = priceAll(question, certificate?.boundPrices ?? worth)
  const edges = listEdges(question)
  const { bound, flows } = boundExactly(highs, question, { edges, prices, net, seconds })
  const best = Math.max(net, ...flows.map((flow) => netOf(question, flow, prices)))
  return {
    legs: route.steps.length,
    gapBps: route.gapBps ?? Number.NaN,
    provenBps: (bound / net - 1) * 1e4,
    betterBps: (best / net - 1) * 1e4,
    ms: performance.now() - started,
  }
}

const maxHops = 8

/** Those that are known, and what tokens sell for whose price is not. */
function priceAll(question: Question, known: Float64Array): Float64Array {
  const { market, tokenIn, tokenOut, amountIn, gasPrice } = question
  const frame = frameBetween(market, { tokenIn, tokenOut, maxHops, gasPrice })
  return boundOutput(market, frame, { prices: known, amountIn }).prices
}

/** Every edge on a way that visits no token twice. */
export function listEdges({ market, tokenIn, tokenOut }: Question): readonly number[] {
  const ways = waysBetween(market, tokenIn, tokenOut)
  const edges: number[] = []
  for (let edge = 0, pair = 0; edge < market.edgeCount; edge++) {
    while (edge === market.pairEdges[pair + 1]) pair++
    const curve = at(market.curves, edge)
    if (ways[pair] === 0 || !curve) continue
    if (curve.over) throw new Error('a fitted pool may lie above the tangents of its curve')
    if (market.edgeFrom[edge] !== tokenOut && market.edgeTo[edge] !== tokenIn) edges.push(edge)
  }
  return edges
}

/** What the best split over these edges nets, planned as a route is; nothing where it is none. */
export function netOf(question: Question, edges: readonly number[], prices: Float64Array): number {
  const { market, gasPrice } = question
  const problem = { ...question, edges, effort: { spent: 0 } }
  const { inputs } = solveFlow(market, problem, prices.map(Math.log))
  const planned = planFlow(market, { ...problem, inputs })
  if (!planned || planned.unsold > 0) return 0
  const used = planned.plan.map(({ edge }) => gasOf(market, edge))
  return planned.output - used.reduce((sum, gas) => sum + gas, 0) * gasPrice
}
