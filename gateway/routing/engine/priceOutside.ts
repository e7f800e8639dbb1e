import { edgeOutput } from './edgeCurve.ts'
import { bestRate, gasOf, type Market } from './market.ts'
import type { SearchFrame } from './searchFrame.ts'
import type { FlowSolution } from './solveFlow.ts'

/** Prices of the tokens outside the flow (0: no way back into it), and the edge that earns each. */
export type OutsidePrices = { readonly prices: Float64Array; readonly via: Int32Array }

export type OutsidePricing = {
  readonly probe: number
  /** Tokens of the flow, besides tokenIn, that no chain may end in. */
  readonly notInto?: ReadonlySet<number> | undefined
  /** Lets tokens of the flow rise too where a chain outside it pays more. */
  readonly mayRaise?: boolean | undefined
  /** Longest chain; stale pools could raise prices in circles for ever. */
  readonly passes: number
}

/**
 * Values every token outside the flow by what its best chain into the flow brings when `probe` (in
 * tokenOut) goes through it: a probe of 0 means marginal prices, a large one sees past pools of dust.
 * The flow's own tokens keep their prices. A token that brings no more than it costs at least when
 * bought from the flow is on no chain that pays: it keeps that cost for a price, and is not followed.
 */
export function priceOutside(
  market: Market,
  frame: SearchFrame,
  flow: FlowSolution,
  { probe, notInto, passes, mayRaise = false }: OutsidePricing,
): OutsidePrices {
  const size = market.tokens.length
  const via = new Int32Array(size).fill(-1)
  let frontier: number[] = []
  const prices = new Float64Array(size)
  const priced: number[] = []
  for (let token = 0; token < size; token++) {
    const log = flow.logPrices[token] as number
    if (Number.isNaN(log)) continue
    prices[token] = Math.exp(log)
    priced.push(token)
    if (token !== frame.tokenIn && !notInto?.has(token)) frontier.push(token)
  }
  if (!mayRaise) spreadCosts(market, frame, { prices, priced, passes, probe: 0 })
  const fixed = mayRaise ? new Float64Array(size).fill(Number.NaN) : flow.logPrices
  const spread = { fixed, prices, via, hasRisen: new Uint8Array(size), probe }
  for (let pass = 0; pass < passes && frontier.length > 0; pass++)
    frontier = raisePrices(market, frame, { ...spread, frontier })
  return { prices, via }
}

/** What a unit of each token costs and what it sells for, in tokenOut; 0 where it does not. */
export type Margins = { readonly costs: Float64Array; readonly values: Float64Array }

/**
 * Both by the best chain from or to a flow when `probe` goes through it, gas apart; the flow's own tokens have these
 * prices.
 */
export function priceMargins(
  market: Market,
  frame: SearchFrame,
  { prices, probe }: { readonly prices: ReadonlyMap<number, number>; readonly probe: number },
): Margins {
  const apart = { ...frame, gasPrice: 0, effort: { spent: 0 } }
  const passes = frame.maxHops - 1
  const priced = [...prices.keys()]
  const costs = new Float64Array(market.tokens.length)
  const fixed = new Float64Array(costs.length).fill(Number.NaN)
  for (const [token, price] of prices) {
    costs[token] = price
    fixed[token] = price
  }
  const values = costs.slice()
  spreadCosts(market, apart, { prices: costs, priced, passes, probe })
  const via = new Int32Array(values.length).fill(-1)
  const hasRisen = new Uint8Array(values.length)
  const spread = { fixed, prices: values, via, hasRisen, probe }
  let frontier = priced.filter((token) => token !== frame.tokenIn)
  for (let pass = 0; pass < passes && frontier.length > 0; pass++)
    frontier = raisePrices(market, apart, { ...spread, frontier })
  return { costs, values }
}

/** Prices every token that the flow can buy by the least it costs when `probe` is spent on it. */
function spreadCosts(
  market: Market,
  { effort }: SearchFrame,
  {
    prices,
    priced,
    passes,
    probe,
  }: {
    readonly prices: Float64Array
    readonly priced: readonly number[]
    readonly passes: number
    readonly probe: number
  },
): void {
  const { outPairs, pairTo, pairRate } = market
  let frontier = priced
  const hasFallen = new Uint8Array(prices.length)
  for (let pass = 0; pass < passes && frontier.length > 0; pass++) {
    const fallen: number[] = []
    hasFallen.fill(0)
    for (const token of priced) hasFallen[token] = 2
    for (const token of frontier) {
      const price = prices[token] as number
      const last = outPairs[token + 1] as number
      effort.spent += last - (outPairs[token] as number)
      for (let pair = outPairs[token] as number; pair < last; pair++) {
        const best = pairRate[pair] as number
        const next = pairTo[pair] as number
        const known = prices[next] as number
        if (known !== 0 && known * best <= price) continue
        if (best === 0 || hasFallen[next] === 2) continue
        const rate = probe === 0 ? best : pairRateAt(market, pair, probe / price)
        if (rate === 0 || (known !== 0 && known * rate <= price)) continue
        prices[next] = price / rate
        if (hasFallen[next] === 1) continue
        hasFallen[next] = 1
        fallen.push(next)
      }
    }
    frontier = fallen
  }
}

/** Best rate of a pair's edges for an input. */
function pairRateAt(market: Market, pair: number, amountIn: number): number {
  let best = 0
  const last = market.pairEdges[pair + 1] as number
  for (let edge = market.pairEdges[pair] as number; edge < last; edge++)
    best = Math.max(best, edgeOutput(market, edge, amountIn) / amountIn)
  return best
}

type Spread = {
  /** Tokens with a number here keep their price. */
  readonly fixed: Float64Array
  readonly prices: Float64Array
  readonly via: Int32Array
  /** Of a pass: it is cleared first. */
  readonly hasRisen: Uint8Array
  readonly frontier: readonly number[]
  readonly probe: number
}

/** One pass: the tokens that sell into the frontier; returns those whose price rose. */
function raisePrices(market: Market, frame: SearchFrame, spread: Spread): number[] {
  const { fixed, prices, via, hasRisen, frontier, probe } = spread
  const { inPairs, inPairFrom, inPairRate, inPairList, pairEdges } = market
  const { hopsFromIn, hopsToOut, effort } = frame
  const probing = { market, probe, gasPrice: frame.gasPrice }
  const risen: number[] = []
  hasRisen.fill(0)
  for (const next of frontier) {
    const price = prices[next] as number
    const rest = frame.maxHops - 1 - (hopsToOut[next] as number)
    const first = inPairs[next] as number
    const last = inPairs[next + 1] as number
    effort.spent += last - first
    for (let at = first; at < last; at++) {
      const token = inPairFrom[at] as number
      if ((inPairRate[at] as number) * price <= (prices[token] as number)) continue
      if ((hopsFromIn[token] as number) > rest) continue
      if (!Number.isNaN(fixed[token] as number)) continue
      const pair = inPairList[at] as number
      const lastEdge = pairEdges[pair + 1] as number
      effort.spent += lastEdge - (pairEdges[pair] as number)
      for (let edge = pairEdges[pair] as number; edge < lastEdge; edge++) {
        if (bestRate(market, edge) * price <= (prices[token] as number)) continue
        const value = price * probedRate(probing, edge, price)
        if (value <= (prices[token] as number)) continue
        if (comesFrom(market, via, next, token)) break
        prices[token] = value
        via[token] = edge
        if (hasRisen[token] === 1) continue
        hasRisen[token] = 1
        risen.push(token)
      }
    }
  }
  return risen
}

/** True when the chain that prices `token` runs through `other`: stale pools would raise each other. */
function comesFrom(market: Market, via: Int32Array, token: number, other: number): boolean {
  for (let edge = via[token] as number; edge >= 0; ) {
    const next = market.edgeTo[edge] as number
    if (next === other) return true
    edge = via[next] as number
  }
  return false
}

type Probing = { readonly market: Market; readonly probe: number; readonly gasPrice: number }

/** Rate of an edge when `probe` worth of tokenOut goes through it, less its gas. */
function probedRate({ market, probe, gasPrice }: Probing, edge: number, price: number) {
  const a0 = bestRate(market, edge)
  if (probe === 0) return a0
  const x = probe / (a0 * price)
  const gas = (gasOf(market, edge) * gasPrice) / probe
  return (edgeOutput(market, edge, x) / x) * Math.max(0, 1 - gas)
}
