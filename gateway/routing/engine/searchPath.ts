import { edgeOutput } from './edgeCurve.ts'
import type { Market } from './market.ts'

export type PathSearch = {
  readonly tokenIn: number
  readonly tokenOut: number
  readonly amountIn: number
  readonly maxHops: number
  /** Cost of one unit of gas in each token; undefined when gas is free. */
  readonly gasCost: Float64Array | undefined
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

/**
 * The best path by amount, at most `maxHops` long and without a token twice: layer by layer, each
 * token keeps the best amount that reaches it. Returns edges in order.
 */
export function searchPath(
  market: Market,
  search: PathSearch,
  reach: Uint8Array,
): readonly number[] | undefined {
  const { tokenIn, tokenOut, amountIn, maxHops } = search
  const size = market.tokens.length
  const best = new Float64Array(size * (maxHops + 1))
  const parent = new Int32Array(size * (maxHops + 1)).fill(-1)
  best[tokenIn] = amountIn
  let frontier = [tokenIn]
  let winner = { amount: 0, layer: 0 }
  for (let layer = 0; layer < maxHops; layer++) {
    frontier = relaxLayer(market, { ...search, layer, frontier, best, parent, reach })
    const amount = best[(layer + 1) * size + tokenOut] as number
    if (amount > winner.amount) winner = { amount, layer: layer + 1 }
  }
  if (winner.layer === 0) return undefined
  return tracePath(market, parent, tokenOut, winner.layer)
}

/** The best amount of every token that `amountIn` of one buys, free of gas. */
export function spreadAmounts(
  market: Market,
  { source, amountIn, maxHops }: { source: number; amountIn: number; maxHops: number },
): Float64Array {
  const size = market.tokens.length
  const best = new Float64Array(size * (maxHops + 1))
  const parent = new Int32Array(size * (maxHops + 1)).fill(-1)
  const search = { tokenIn: source, tokenOut: -1, amountIn, maxHops, gasCost: undefined }
  const reach = new Uint8Array(size)
  best[source] = amountIn
  let frontier = [source]
  for (let layer = 0; layer < maxHops; layer++)
    frontier = relaxLayer(market, { ...search, layer, frontier, best, parent, reach })
  const amounts = best.slice(0, size)
  for (let index = size; index < best.length; index++)
    amounts[index % size] = Math.max(amounts[index % size] as number, best[index] as number)
  return amounts
}

type Layer = PathSearch & {
  readonly layer: number
  readonly frontier: readonly number[]
  readonly best: Float64Array
  readonly parent: Int32Array
  readonly reach: Uint8Array
}

function relaxLayer(market: Market, state: Layer): number[] {
  const { tokenIn, tokenOut, maxHops, layer, frontier, best, parent, reach, gasCost } = state
  const size = market.tokens.length
  const here = layer * size
  const there = here + size
  const rest = maxHops - layer - 1
  const reached: number[] = []
  for (const token of frontier) {
    if (token === tokenOut) continue
    const amount = best[here + token] as number
    const lastPair = market.outPairs[token + 1] as number
    for (let pair = market.outPairs[token] as number; pair < lastPair; pair++) {
      const next = market.pairTo[pair] as number
      if (next === tokenIn || (reach[next] as number) > rest) continue
      if (layer > 1 && visits(market, parent, token, layer, next)) continue
      const unitCost = gasCost ? (gasCost[next] as number) : 0
      const lastEdge = market.pairEdges[pair + 1] as number
      let top = best[there + next] as number
      const fresh = top === 0
      for (let edge = market.pairEdges[pair] as number; edge < lastEdge; edge++) {
        const output = edgeOutput(market, edge, amount) - (market.gas[edge] as number) * unitCost
        if (output > top) {
          if (layer > 0 && usesPool(market, parent, token, layer, edge)) continue
          top = output
          parent[there + next] = edge
        }
      }
      best[there + next] = top
      if (fresh && top > 0) reached.push(next)
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
