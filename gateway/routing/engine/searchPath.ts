import { edgeOutput } from './edgeCurve.ts'
import type { Effort } from './effort.ts'
import { gasOf, type Market } from './market.ts'

export type PathSearch = {
  readonly tokenIn: number
  readonly tokenOut: number
  readonly amountIn: number
  readonly maxHops: number
  /** Cost of one unit of gas in each token; undefined when gas is free. */
  readonly gasCost: Float64Array | undefined
  /** A path that nets no more than this is not looked for. */
  readonly mustExceed: number
  readonly effort: Effort
}

/** Fewest hops from each token to `target`, up to `limit`; limit + 1 where it is farther. */
export function hopsTo(market: Market, target: number, limit: number): Uint8Array {
  return countHops({
    origin: target,
    limit,
    size: market.tokens.length,
    starts: market.inPairs,
    list: market.inPairList,
    ends: market.pairFrom,
  })
}

/** Fewest hops from `source` to each token, up to `limit`. */
export function hopsFrom(market: Market, source: number, limit: number): Uint8Array {
  return countHops({
    origin: source,
    limit,
    size: market.tokens.length,
    starts: market.outPairs,
    ends: market.pairTo,
  })
}

function countHops({
  origin,
  limit,
  size,
  starts,
  list,
  ends,
}: {
  readonly origin: number
  readonly limit: number
  /** How many tokens there are. */
  readonly size: number
  /** Where the pairs of each token start, in `list` or else among all pairs. */
  readonly starts: Int32Array
  readonly list?: Int32Array
  readonly ends: Int32Array
}): Uint8Array {
  const hops = new Uint8Array(size).fill(limit + 1)
  hops[origin] = 0
  let frontier = [origin]
  for (let hop = 1; hop <= limit; hop++) {
    const reached: number[] = []
    for (const token of frontier)
      for (let at = starts[token] as number; at < (starts[token + 1] as number); at++) {
        const next = ends[list ? (list[at] as number) : at] as number
        if ((hops[next] as number) <= hop) continue
        hops[next] = hop
        reached.push(next)
      }
    frontier = reached
  }
  return hops
}

/**
 * What one unit of each token brings at most in units of `target`, by marginal rates over up to `passes`
 * hops: no path does better, whatever flows through it.
 */
function ratesTo(
  market: Market,
  { target, passes, effort }: { target: number; passes: number; effort: Effort },
): Float64Array {
  const { inPairs, inPairFrom, inPairRate } = market
  const rates = new Float64Array(market.tokens.length)
  rates[target] = 1
  let frontier = [target]
  for (let pass = 0; pass < passes && frontier.length > 0; pass++) {
    const risen: number[] = []
    const hasRisen = new Uint8Array(rates.length)
    for (const token of frontier) {
      const rate = rates[token] as number
      const last = inPairs[token + 1] as number
      effort.spent += (last - (inPairs[token] as number)) / 4
      for (let at = inPairs[token] as number; at < last; at++) {
        const value = (inPairRate[at] as number) * rate
        const from = inPairFrom[at] as number
        if (value <= (rates[from] as number) || from === target) continue
        rates[from] = value
        if (hasRisen[from] === 1) continue
        hasRisen[from] = 1
        risen.push(from)
      }
    }
    frontier = risen
  }
  return rates
}

/** Per layer and token: the amount of the best path there, the gas it has used, its last edge. */
type Labels = {
  readonly amounts: Float64Array
  readonly gas: Float64Array
  readonly parent: Int32Array
}

function createLabels(size: number): Labels {
  return {
    amounts: new Float64Array(size),
    gas: new Float64Array(size),
    parent: new Int32Array(size).fill(-1),
  }
}

/**
 * The best path by amount net of gas, at most `maxHops` long and without a token twice: layer by
 * layer, each token keeps the best amount that reaches it. Returns edges in order.
 */
export function searchPath(
  market: Market,
  search: PathSearch,
  reach: Uint8Array,
): readonly number[] | undefined {
  const { tokenIn, tokenOut, amountIn, maxHops, gasCost, effort } = search
  const size = market.tokens.length
  const labels = createLabels(size * (maxHops + 1))
  labels.amounts[tokenIn] = amountIn
  let frontier = [tokenIn]
  const rates = ratesTo(market, { target: tokenOut, passes: maxHops, effort })
  let winner = { net: search.mustExceed, layer: 0 }
  for (let layer = 0; layer < maxHops; layer++) {
    const mustExceed = winner.net
    frontier = relaxLayer(market, { ...search, mustExceed, layer, frontier, labels, reach, rates })
    const place = (layer + 1) * size + tokenOut
    const amount = labels.amounts[place] as number
    const net = amount - (labels.gas[place] as number) * (gasCost?.[tokenOut] ?? 0)
    if (amount > 0 && net > winner.net) winner = { net, layer: layer + 1 }
  }
  if (winner.layer === 0) return undefined
  return tracePath({ market, parent: labels.parent, layer: winner.layer }, tokenOut)
}

/** The best amount of every token that `amountIn` of one buys, free of gas. */
export function spreadAmounts(
  market: Market,
  { source, amountIn, maxHops }: { source: number; amountIn: number; maxHops: number },
): Float64Array {
  const size = market.tokens.length
  const labels = createLabels(size * (maxHops + 1))
  const effort = { spent: 0 }
  const ends = { tokenIn: source, tokenOut: -1, mustExceed: Number.NEGATIVE_INFINITY }
  const search = { ...ends, amountIn, maxHops, gasCost: undefined, effort }
  const reach = new Uint8Array(size)
  const rates = new Float64Array(size).fill(1)
  labels.amounts[source] = amountIn
  let frontier = [source]
  for (let layer = 0; layer < maxHops; layer++)
    frontier = relaxLayer(market, { ...search, layer, frontier, labels, reach, rates })
  const best = labels.amounts.slice(0, size)
  for (let place = size; place < labels.amounts.length; place++)
    best[place % size] = Math.max(best[place % size] as number, labels.amounts[place] as number)
  return best
}

type Layer = PathSearch & {
  readonly layer: number
  readonly frontier: readonly number[]
  readonly labels: Labels
  readonly reach: Uint8Array
  /** What a unit of each token brings at most in the end. */
  readonly rates: Float64Array
}

function relaxLayer(market: Market, state: Layer): number[] {
  const { tokenIn, tokenOut, maxHops, layer, frontier, labels, reach, gasCost, effort } = state
  const { rates, mustExceed } = state
  const { amounts, gas, parent } = labels
  const trail = { market, parent, layer }
  const here = layer * market.tokens.length
  const there = here + market.tokens.length
  const rest = maxHops - layer - 1
  const reached: number[] = []
  for (const token of frontier) {
    if (token === tokenOut) continue
    const amount = amounts[here + token] as number
    const gasBefore = gas[here + token] as number
    const least = mustExceed + (gasCost ? gasBefore * (gasCost[tokenOut] as number) : 0)
    const firstPair = market.outPairs[token] as number
    const lastPair = market.outPairs[token + 1] as number
    effort.spent += lastPair - firstPair
    for (let pair = firstPair; pair < lastPair; pair++) {
      const next = market.pairTo[pair] as number
      const most = (market.pairRate[pair] as number) * amount
      if (most * (rates[next] as number) <= least) continue
      if (next === tokenIn || (reach[next] as number) > rest) continue
      const unitCost = gasCost ? (gasCost[next] as number) : 0
      const before = amounts[there + next] as number
      let top =
        before === 0 ? Number.NEGATIVE_INFINITY : before - (gas[there + next] as number) * unitCost
      if (most - gasBefore * unitCost <= top) continue
      if (layer > 1 && visits(trail, token, next)) continue
      const lastEdge = market.pairEdges[pair + 1] as number
      effort.spent += lastEdge - (market.pairEdges[pair] as number)
      for (let edge = market.pairEdges[pair] as number; edge < lastEdge; edge++) {
        const output = edgeOutput(market, edge, amount)
        const gasUsed = gasBefore + gasOf(market, edge)
        const net = output - gasUsed * unitCost
        if (!(output > 0 && net > top)) continue
        if (layer > 0 && usesPool(trail, token, edge)) continue
        top = net
        amounts[there + next] = output
        gas[there + next] = gasUsed
        parent[there + next] = edge
      }
      if (before === 0 && (amounts[there + next] as number) > 0) reached.push(next)
    }
  }
  return reached
}

/** How a layer's tokens were reached: the edge into each, layer by layer. */
type Trail = { readonly market: Market; readonly parent: Int32Array; readonly layer: number }

function visits({ market, parent, layer }: Trail, token: number, next: number) {
  let at = token
  for (let level = layer; level > 0; level--) {
    if (at === next) return true
    at = market.edgeFrom[parent[level * market.tokens.length + at] as number] as number
  }
  return at === next
}

/** A pool of three or more tokens could otherwise be passed twice. */
function usesPool({ market, parent, layer }: Trail, token: number, edge: number) {
  const pool = market.edgePool[edge]
  let at = token
  for (let level = layer; level > 0; level--) {
    const before = parent[level * market.tokens.length + at] as number
    if (market.edgePool[before] === pool) return true
    at = market.edgeFrom[before] as number
  }
  return false
}

function tracePath({ market, parent, layer }: Trail, tokenOut: number): number[] {
  const path: number[] = []
  let token = tokenOut
  for (let level = layer; level > 0; level--) {
    const edge = parent[level * market.tokens.length + token] as number
    path.push(edge)
    token = market.edgeFrom[edge] as number
  }
  return path.reverse()
}
