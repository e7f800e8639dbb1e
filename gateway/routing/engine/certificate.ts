import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { boundOutput } from './boundOutput.ts'
import {
  type Earning,
  type Earnings,
  earningOf,
  keepEarnings,
  type Prices,
  type Way,
} from './earnings.ts'
import { type EdgePoint, edgeOutput, pointAtPrice } from './edgeCurve.ts'
import { bestRate, edgesOfPool, gasOf, type Market } from './market.ts'
import { at } from './pieces.ts'
import { type Margins, priceMargins } from './priceOutside.ts'
import type { Route, RouteStep } from './route.ts'
import type { SearchFrame } from './searchFrame.ts'
import type { FlowSolution } from './solveFlow.ts'

/** Prices may be off by what is unproven of the route. More than this changes little, and has more routes fall. */
const mostSlackBps = 0.5

/** Of what a route brings: nobody misses less than that. */
const leastSavedPart = 0.01e-4

/**
 * Parts of what goes in that chains off the route are priced for, the least first. Through a chain of small pools goes
 * no more than a little, for which a great part would price it out.
 */
const marginParts = [1e-5, 1e-4, 1e-3, 1e-2] as const

/** What of a search's frame is none of its market's. */
export type Ends = Pick<SearchFrame, 'tokenIn' | 'tokenOut' | 'maxHops' | 'gasPrice'>

/** What a search knows of its route beside its steps: by this it can be held against later markets. */
export type Certificate = {
  readonly route: Route
  readonly frame: Ends
  /** What the route brings. */
  readonly output: number
  /** The same, net of gas. */
  readonly net: number
  /** Of its tokens, which are few: routes are kept by the thousand. */
  readonly prices: ReadonlyMap<number, number>
  /** By this part prices may be off. */
  readonly slack: number
  /** What all of the input is worth, in tokenOut. */
  readonly worth: number
  /** What has to go another way to save more gas than a swap takes; infinite where nothing does. */
  readonly least: number
  readonly pools: ReadonlySet<string>
  /** What its pools do not earn of their gas: whatever takes the place of one has that to spare. */
  readonly spare: number
  /** What pools could earn each way by itself (`gainsOf` finds it), and by which prices; the others earn nothing. */
  readonly gains: Earnings
  /** Prices at which the bound was found. */
  readonly boundPrices: Float64Array
  /** What was unproven when prices were last looked for to bound it. */
  readonly unprovenBps: number
  /** Whether it was grown from one that fell. */
  readonly isResumed: boolean
}

/** What is earned is told by: tokens off the route have other prices in each market. */
type Earner = Pick<
  Certificate,
  'output' | 'frame' | 'slack' | 'worth' | 'least' | 'pools' | 'spare' | 'prices'
> & {
  /** For each of the parts. */
  marginsAt(level: number): Margins
}
export type Held = Earner & Pick<Certificate, 'gains'>

export const poolsOf = ({ steps }: Route): ReadonlySet<string> =>
  new Set(steps.map(({ poolId }) => poolId))

export function certify(
  market: Market,
  frame: SearchFrame,
  {
    route,
    flow,
    ...proof
  }: Pick<Certificate, 'route' | 'boundPrices' | 'unprovenBps' | 'isResumed'> & {
    /** What the route was made of. */
    readonly flow: FlowSolution
  },
): Certificate {
  const output = Number(route.amountOut)
  const net = output - route.gas * frame.gasPrice
  const swaps = route.steps.map((step) => weigh(market, frame, { step, logPrices: flow.logPrices }))
  const worth = Number(route.amountIn) * Math.exp(flow.logPrices[frame.tokenIn] as number)
  const spare = swaps.reduce((sum, one) => sum + one.spare, 0)
  const gas = market.pairGas.reduce((one, other) => Math.min(one, other)) * frame.gasPrice
  const least = leastSaving(swaps, Math.max(gas, net * leastSavedPart))
  const slack = Math.min(route.gapBps ?? mostSlackBps, mostSlackBps) / 1e4
  const pools = poolsOf(route)
  const { tokenIn, tokenOut, maxHops, gasPrice } = frame
  const ends = { tokenIn, tokenOut, maxHops, gasPrice }
  const priced = [...flow.logPrices.entries()].filter(([, log]) => !Number.isNaN(log))
  const prices = new Map(priced.map(([token, log]) => [token, Math.exp(log)]))
  const known = { output, frame: ends, slack, worth, least, pools, spare, prices }
  const held = { ...known, marginsAt: createMargins(market, frame, known) }
  const gains = keepEarnings(findEarnings(market, held))
  return { ...known, ...proof, gains, route, net }
}

/** Of all edges that earn something, those of each pool together. */
function* findEarnings(market: Market, held: Earner): Generator<Way & Earning> {
  const exact = { ...held, slack: 0 }
  for (const edge of listEarning(market, held)) {
    const earning = earn(market, held, edge)
    if (earning.earned === 0) continue
    const isSure = marginParts.some(
      (_, level) =>
        gainThrough(market, exact, { edge, ...pricesAt(market, exact, { edge, level }) }) > 0,
    )
    const { poolId, from, to } = wayOf(market, edge)
    yield { poolId, from, to, earned: earning.earned, prices: isSure ? earning.prices : [] }
  }
}

/** Edges that may earn something: most pairs sell so far below their best prices that none of theirs is looked at. */
function listEarning(
  market: Market,
  { marginsAt, slack, spare, least }: Earner,
): readonly number[] {
  const { pairFrom, pairTo, pairEdges, pairRate, edgePool } = market
  const { costs, values } = marginsAt(0)
  const edges: number[] = []
  for (let pair = 0; pair < pairFrom.length; pair++) {
    const cost = (costs[pairFrom[pair] as number] as number) * (1 - slack)
    const value = values[pairTo[pair] as number] as number
    if (!((pairRate[pair] as number) * value > cost * (1 - spare / least))) continue
    const last = pairEdges[pair + 1] as number
    for (let edge = pairEdges[pair] as number; edge < last; edge++) edges.push(edge)
  }
  return edges.sort((one, other) => (edgePool[one] as number) - (edgePool[other] as number))
}

/** Each takes as long as a look at all pools: found once it is asked for. */
function createMargins(
  market: Market,
  frame: SearchFrame,
  { prices, worth }: Pick<Certificate, 'prices' | 'worth'>,
): Earner['marginsAt'] {
  const known: Margins[] = []
  return (level) => {
    const probe = worth * (marginParts[level] ?? 1)
    const margins = known[level] ?? priceMargins(market, frame, { prices, probe })
    known[level] = margins
    return margins
  }
}

/** A swap of the route at the prices of its flow, in tokenOut. */
function weigh(
  market: Market,
  { gasPrice }: SearchFrame,
  { step, logPrices }: { readonly step: RouteStep } & Pick<FlowSolution, 'logPrices'>,
) {
  const priceOf = (token: string) => Math.exp(logPrices[market.tokenIndex.get(token) ?? -1] ?? 0)
  const sold = Number(step.amountIn) * priceOf(step.tokenIn)
  const earned = Math.max(0, Number(step.amountOut) * priceOf(step.tokenOut) - sold)
  const index = market.poolIndex.get(step.poolId) ?? -1
  // In a thread pools are names: edges have what a swap costs.
  const [edge] = edgesOfPool(market, { index, tokens: [step.tokenIn, step.tokenOut] })
  const gas = edge === undefined ? 0 : gasOf(market, edge) * gasPrice
  return { sold, spare: Math.max(0, gas - earned) }
}

/** Of the smallest swaps that together have more to spare than this, what the greatest sells. */
function leastSaving(
  swaps: readonly { readonly sold: number; readonly spare: number }[],
  enough: number,
): number {
  let saved = 0
  for (const { sold, spare } of swaps.toSorted((one, other) => one.sold - other.sold)) {
    saved += spare
    if (saved > enough) return sold
  }
  return Number.POSITIVE_INFINITY
}

/**
 * A certificate by what tokens off the route cost and sell for in a later market: what came or grew may be their
 * best chain.
 */
export function holdIn(
  market: Market,
  { frame, certificate }: { readonly frame: SearchFrame; readonly certificate: Certificate },
): Held {
  return { ...certificate, marginsAt: createMargins(market, frame, certificate) }
}

function wayOf({ pools, edgePool, edgeFrom, edgeTo }: Market, edge: number): Way {
  const { id } = at(pools, edgePool[edge] as number) as EnginePool
  return { poolId: id, from: edgeFrom[edge] as number, to: edgeTo[edge] as number }
}

/** What a swap one way through a pool earns at most, in tokenOut: when the route was found, and in this market. */
export type Gain = { readonly first: number; readonly now: number }

/**
 * Each way through a pool by itself: what gains one way loses the other. What could earn already is held against
 * the prices of then, too: where the best chains to it have grown dear, what goes through it may take others.
 */
export function gainsOf(market: Market, held: Held, id: string): readonly Gain[] {
  const index = market.poolIndex.get(id) ?? -1
  const { tokens = [] } = at(market.pools, index) ?? {}
  return edgesOfPool(market, { index, tokens }).map((edge) => {
    const { earned: now } = earn(market, held, edge)
    const { earned: first, prices } = earningOf(held.gains, wayOf(market, edge))
    return { first, now: Math.max(now, mostThrough(market, held, { edge, prices })) }
  })
}

/** By the prices for each part where the best of them, for whatever goes through, leave anything to earn. */
function earn(market: Market, held: Earner, edge: number): Earning {
  const { prices: own, output } = held
  const whole = { ...pricesAt(market, held, { edge, level: 0 }), most: output }
  const earned = gainThrough(market, held, { edge, ...whole })
  const isBetween = [market.edgeFrom, market.edgeTo].every((ends) => own.has(ends[edge] as number))
  if (earned === 0 || isBetween) return { earned, prices: [whole] }
  const prices = marginParts.map((_, level) => pricesAt(market, held, { edge, level }))
  return { earned: mostThrough(market, held, { edge, prices }), prices }
}

function mostThrough(
  market: Market,
  held: Earner,
  { edge, prices }: Pick<Earning, 'prices'> & { readonly edge: number },
): number {
  return prices.reduce(
    (most, one) => Math.max(most, gainThrough(market, held, { edge, ...one })),
    0,
  )
}

/** What an edge sells costs, less what prices may be off by, and what it buys is sold for. */
function pricesAt(
  market: Market,
  { prices, marginsAt, slack, output }: Earner,
  { edge, level }: { readonly edge: number; readonly level: number },
): Prices {
  const [from, to] = [market.edgeFrom[edge] as number, market.edgeTo[edge] as number]
  const cost = (prices.get(from) ?? (marginsAt(level).costs[from] as number)) * (1 - slack)
  const value = prices.get(to) ?? (marginsAt(level).values[to] as number)
  return { cost, value, most: output * (marginParts[level + 1] ?? 1) }
}

const point: EdgePoint = { x: 0, y: 0, slope: 0 }

/**
 * Where what it sells is bought by the best chain, for less by what prices may be off, and what it buys sold by
 * the best one. Through a pool outside the route goes no more than all of the input, which on its way comes to be worth
 * as much as the output at most, and it costs its gas, less what the route's pools have to spare. Where it takes
 * enough that more than that is saved, a worse price may be paid.
 */
function gainThrough(
  market: Market,
  { output, frame, worth, least, pools, spare }: Earner,
  { edge, cost, value, most: limit }: Prices & { readonly edge: number },
): number {
  const from = market.edgeFrom[edge] as number
  const to = market.edgeTo[edge] as number
  if (from === frame.tokenOut || to === frame.tokenIn) return 0
  // Most pools are too dear whatever they would save.
  if (!(bestRate(market, edge) * value > cost * (1 - spare / least)) || cost === 0) return 0
  const isOnRoute = pools.has(at(market.pools, market.edgePool[edge] as number)?.id ?? '')
  const gas = isOnRoute ? 0 : gasOf(market, edge) * frame.gasPrice
  const saved = isOnRoute ? 0 : Math.max(0, spare - gas)
  if (!(bestRate(market, edge) * value > cost * (1 - saved / least))) return 0
  pointAtPrice(market, edge, cost / value, point)
  const earned = (x: number) =>
    value * (x === point.x ? point.y : edgeOutput(market, edge, x)) - cost * x
  if (isOnRoute) return Math.max(0, earned(point.x))
  const most = Math.min(point.x, (from === frame.tokenIn ? Math.min(worth, limit) : limit) / cost)
  const alone = earned(most) - Math.max(0, gas - spare)
  const isEnough = saved > 0 && (limit === output || least <= limit)
  return Math.max(0, alone, isEnough ? earned(Math.max(most, least / cost)) + saved : 0)
}

/** How much, at most, any route of a later market brings, net of gas at the frame's price. */
export function laterBound(
  market: Market,
  frame: SearchFrame,
  { route, boundPrices }: Pick<Certificate, 'route' | 'boundPrices'>,
): number {
  // A token that came has no price.
  const prices = new Float64Array(market.tokens.length)
  prices.set(boundPrices)
  return boundOutput(market, frame, { prices, amountIn: Number(route.amountIn) }).bound
}
