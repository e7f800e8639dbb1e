import { edgeOutput } from './edgeCurve.ts'
import type { Effort } from './effort.ts'
import type { Market } from './market.ts'

export type PathSearch = {
  readonly tokenIn: number
  readonly tokenOut: number
  readonly amountIn: number
  readonly maxHops: number
  /** Cost of one unit of gas in each token; undefined when gas is free. */
  readonly gasCost: Float64Array | undefined
  readonly effort: Effort
}

/** Fewest hops from each token to `target`, up to `limit`; limit + 1 where it is farther. */
export function hopsTo(market: Market, target: number, limit: number): Uint8Array {
  return countHops(market, target, limit, market.inPairs, market.inPairList, market.pairFrom)
}

/** Fewest hops from `source` to each token, up to `limit`. */
export function hopsFrom(market: Market, source: number, limit: number): Uint8Array {
  return countHops(market, source, limit, market.outPairs, undefined, market.pairTo)
}

function countHops(
  market: Market,
  origin: number,
  limit: number,
  starts: Int32Array,
  list: Int32Array | undefined,
  ends: Int32Array,
): Uint8Array {
  const hops = new Uint8Array(market.tokens.length).fill(limit + 1)
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
  const { tokenIn, tokenOut, amountIn, maxHops, gasCost } = search
  const size = market.tokens.length
  const labels = createLabels(size * (maxHops + 1))
  labels.amounts[tokenIn] = amountIn
  let frontier = [tokenIn]
  let winner = { net: Number.NEGATIVE_INFINITY, layer: 0 }
  for (let layer = 0; layer < maxHops; layer++) {
    frontier = relaxLayer(market, { ...search, layer, frontier, labels, reach })
    const place = (layer + 1) * size + tokenOut
    const amount = labels.amounts[place] as number
    const net = amount - (labels.gas[place] as number) * (gasCost?.[tokenOut] ?? 0)
    if (amount > 0 && net > winner.net) winner = { net, layer: layer + 1 }
  }
  if (winner.layer === 0) return undefined
  return tracePath(market, labels.parent, tokenOut, winner.layer)
}

/** The best amount of every token that `amountIn` of one buys, free of gas. */
export function spreadAmounts(
  market: Market,
  { source, amountIn, maxHops }: { source: number; amountIn: number; maxHops: number },
): Float64Array {
  const size = market.tokens.length
  const labels = createLabels(size * (maxHops + 1))
  const effort = { spent: 0 }
  const search = { tokenIn: source, tokenOut: -1, amountIn, maxHops, gasCost: undefined, effort }
  const reach = new Uint8Array(size)
  labels.amounts[source] = amountIn
  let frontier = [source]
  for (let layer = 0; layer < maxHops; layer++)
    frontier = relaxLayer(market, { ...search, layer, frontier, labels, reach })
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
}

function relaxLayer(market: Market, state: Layer): number[] {
  const { tokenIn, tokenOut, maxHops, layer, frontier, labels, reach, gasCost, effort } = state
  const { amounts, gas, parent } = labels
  const here = layer * market.tokens.length
  const there = here + market.tokens.length
  const rest = maxHops - layer - 1
  const reached: number[] = []
  for (const token of frontier) {
    if (token === tokenOut) continue
    const amount = amounts[here + token] as number
    const gasBefore = gas[here + token] as number
    const firstPair = market.outPairs[token] as number
    const lastPair = market.outPairs[token + 1] as number
    effort.spent += lastPair - firstPair
    for (let pair = firstPair; pair < lastPair; pair++) {
      const next = market.pairTo[pair] as number
      if (next === tokenIn || (reach[next] as number) > rest) continue
      const unitCost = gasCost ? (gasCost[next] as number) : 0
      const before = amounts[there + next] as number
      let top =
        before === 0 ? Number.NEGATIVE_INFINITY : before - (gas[there + next] as number) * unitCost
      if ((market.pairRate[pair] as number) * amount - gasBefore * unitCost <= top) continue
      if (layer > 1 && visits(market, parent, token, layer, next)) continue
      const lastEdge = market.pairEdges[pair + 1] as number
      effort.spent += lastEdge - (market.pairEdges[pair] as number)
      for (let edge = market.pairEdges[pair] as number; edge < lastEdge; edge++) {
        const output = edgeOutput(market, edge, amount)
        const gasUsed = gasBefore + (market.gas[edge] as number)
        const net = output - gasUsed * unitCost
        if (!(output > 0 && net > top)) continue
        if (layer > 0 && usesPool(market, parent, token, layer, edge)) continue
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

function visits(market: Market, parent: Int32Array, token: number, layer: number, next: number) {
  let at = token
  for (let level = layer; level > 0; level--) {
    if (at === next) return true
    at = market.edgeFrom[parent[level * market.tokens.length + at] as number] as number
  }
  return at === next
}

/** A pool of three or more tokens could otherwise be passed twice. */
function usesPool(market: Market, parent: Int32Array, token: number, layer: number, edge: number) {
  const pool = market.edgePool[edge]
  let at = token
  for (let level = layer; level > 0; level--) {
    const before = parent[level * market.tokens.length + at] as number
    if (market.edgePool[before] === pool) return true
    at = market.edgeFrom[before] as number
  }
  return false
}

function tracePath(market: Market, parent: Int32Array, tokenOut: number, layer: number): number[] {
  const path: number[] = []
  let token = tokenOut
  for (let level = layer; level > 0; level--) {
    const edge = parent[level * market.tokens.length + token] as number
    path.push(edge)
    token = market.edgeFrom[edge] as number
  }
  return path.reverse()
}
