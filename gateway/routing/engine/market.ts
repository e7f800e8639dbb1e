import { type Curve, greatestRate } from '../protocols/maths/curve.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { copyRuns, type Edges, listEdges, type Merged, mergeEdges, toColumns } from './edges.ts'
import { countStarts, indexPairs } from './indexPairs.ts'
import { moveSeats, type Seats } from './seats.ts'

/**
 * An immutable snapshot of all pools, indexed for the search. An edge is one direction of one pool;
 * edges are sorted by (from, to), so that the edges of a pair and the pairs of a token are ranges.
 */
export type Market = {
  readonly pools: readonly EnginePool[]
  readonly poolIndex: Seats
  readonly tokens: readonly string[]
  readonly tokenIndex: Seats
  readonly edgeCount: number
  readonly edgePool: Int32Array
  readonly edgeFrom: Int32Array
  readonly edgeTo: Int32Array
  /** Index of the token within the pool. */
  readonly edgeI: Int32Array
  readonly edgeJ: Int32Array
  readonly edgePair: Int32Array
  /** Pair p holds the edges pairEdges[p] … pairEdges[p + 1]. */
  readonly pairEdges: Int32Array
  readonly pairFrom: Int32Array
  readonly pairTo: Int32Array
  /** Token t sells through the pairs outPairs[t] … outPairs[t + 1]. */
  readonly outPairs: Int32Array
  /** Token t is bought through the pairs inPairList[inPairs[t]] …. */
  readonly inPairs: Int32Array
  readonly inPairList: Int32Array
  /** Token that sells through each entry of inPairList. */
  readonly inPairFrom: Int32Array
  /** Where each pair stands in inPairList. */
  readonly inPairPlace: Int32Array
  /** Pool p has the edges poolEdgeList[poolEdges[p]] …. */
  readonly poolEdges: Int32Array
  readonly poolEdgeList: Int32Array
  readonly curves: ReadonlyArray<Curve | undefined>
  /**
   * Four numbers per edge, side by side so that one look at memory brings them all: `a`, `b` and the
   * end of its curve's first piece, where most evaluations end (a = 0 where nothing is sold), and gas.
   */
  readonly heads: Float64Array
  /** No unit through a pair brings more than this: most pairs of a search are passed over by it alone. */
  readonly pairRate: Float64Array
  /** The same in the order of inPairList. */
  readonly inPairRate: Float64Array
  /** Least gas of each pair. */
  readonly pairGas: Float64Array
}

/** Units out per unit in of the very first unit; 0 where nothing is sold. */
export function bestRate(market: Market, edge: number): number {
  return market.heads[4 * edge] as number
}

/** Gas of a swap through the edge. */
export function gasOf(market: Market, edge: number): number {
  return market.heads[4 * edge + 3] as number
}

/** Both directions of every two tokens of a pool. */
export function edgesOfPool({ poolEdges, poolEdgeList }: Market, pool: number): Int32Array {
  return poolEdgeList.subarray(poolEdges[pool], poolEdges[pool + 1])
}

/** Builds a snapshot; of two pools with one id the later wins. */
export function createMarket(pools: Iterable<EnginePool>): Market {
  const byId = new Map<string, EnginePool>()
  for (const pool of pools) byId.set(pool.id, pool)
  const sorted = [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  const tokens = [...new Set(sorted.flatMap((pool) => pool.tokens))].sort()
  const tokenIndex = new Map(tokens.map((token, index) => [token, index]))
  const edges = listEdges(sorted, tokenIndex)
  const market = layOut({
    pools: sorted,
    poolIndex: new Map(sorted.map(({ id }, index) => [id, index])),
    tokens,
    tokenIndex,
    edges: toColumns(edges),
    curves: new Array(edges.length).fill(undefined),
  })
  for (const index of sorted.keys()) writePool(market, index)
  for (let pair = 0; pair < market.pairFrom.length; pair++) writePair(market, pair)
  return market
}

/** The snapshot's indexes; its rates and heads are still to be written. */
function layOut({
  pools,
  poolIndex,
  tokens,
  tokenIndex,
  edges,
  curves,
}: Pick<Mutable, 'pools' | 'poolIndex' | 'tokens' | 'tokenIndex' | 'curves'> & {
  readonly edges: Edges
}): Mutable {
  const edgeCount = edges.pool.length
  const pairs = indexPairs(edges, tokens.length)
  const pairCount = pairs.pairFrom.length
  return {
    pools,
    tokens,
    tokenIndex,
    edgeCount,
    ...indexByPool(edges, pools.length),
    curves,
    poolIndex,
    edgePool: edges.pool,
    edgeFrom: edges.from,
    edgeTo: edges.to,
    edgeI: edges.i,
    edgeJ: edges.j,
    ...pairs,
    heads: floats(4 * edgeCount),
    pairRate: floats(pairCount),
    inPairRate: floats(pairCount),
    pairGas: floats(pairCount),
  }
}

function indexByPool({ pool }: Edges, poolCount: number) {
  const poolEdges = countStarts(pool, poolCount)
  const free = poolEdges.slice()
  const poolEdgeList = new Int32Array(pool.length)
  for (let edge = 0; edge < pool.length; edge++) {
    const index = pool[edge] as number
    poolEdgeList[free[index] as number] = edge
    free[index] = (free[index] as number) + 1
  }
  return { poolEdges, poolEdgeList }
}

type Changes = { readonly changed: readonly EnginePool[]; readonly goneIds: ReadonlySet<string> }

/**
 * The pools with those that came and without those that went: each new one in a place that was left, and the
 * last ones in places that remain.
 */
function reseat({ pools: seated, poolIndex }: Market, { changed, goneIds }: Changes) {
  const news = new Map(changed.map((pool) => [pool.id, pool]))
  const pools = seated.slice()
  const moves: [string, number | undefined][] = []
  const free: number[] = []
  for (const id of new Set([...goneIds, ...news.keys()])) {
    const index = poolIndex.get(id)
    if (index === undefined) continue
    free.push(index)
    moves.push([id, undefined])
  }
  free.sort((one, other) => other - one)
  const left = free.slice()
  const newPlaces = [...news.values()].map((pool) => {
    const index = free.pop() ?? pools.length
    pools[index] = pool
    moves.push([pool.id, index])
    return index
  })
  /** Where they stood, and where they stand now. */
  const moved: [number, number][] = []
  // From the back: who stands last stays.
  for (const index of free) {
    const last = pools.pop() as EnginePool
    if (index === pools.length) continue
    moved.push([pools.length, index])
    pools[index] = last
    moves.push([last.id, index])
  }
  return { pools, left, moved, newPlaces, poolIndex: moveSeats(poolIndex, moves) }
}

/**
 * The snapshot with pools that came and without those that went. Nobody is sorted anew and nothing is
 * looked up again: edges that stay are copied side by side.
 */
function regrow(market: Market, changes: Changes): Market {
  const { pools, left, moved, newPlaces, poolIndex } = reseat(market, changes)
  const news = newPlaces.map((index) => pools[index] as EnginePool)
  const all = market.tokens.slice()
  const newTokens = new Set(news.flatMap((pool) => pool.tokens))
  const known = moveSeats(
    market.tokenIndex,
    [...newTokens]
      .filter((token) => !market.tokenIndex.has(token))
      .map((token) => [token, all.push(token) - 1]),
  )
  const came = listEdges(news, known).map((edge) => ({
    ...edge,
    pool: newPlaces[edge.pool] as number,
  }))
  const old = edgesOf(market)
  for (const [before, now] of moved)
    for (const edge of edgesOfPool(market, before)) old.pool[edge] = now
  const gone = left.flatMap((pool) => [...edgesOfPool(market, pool)]).sort((a, b) => a - b)
  const { runs, places, ...merged } = mergeEdges(old, { gone, came })
  const numbered = { tokens: all, tokenIndex: known, edges: merged.edges }
  const { tokens, tokenIndex, edges } = gone.length > 0 ? renumber(numbered) : numbered
  const curves = copyCurves(market.curves, { runs, places })
  const next = layOut({ pools, poolIndex, tokens, tokenIndex, edges, curves })
  copyRuns(next.heads, market.heads, runs, 4)
  for (const index of newPlaces) writePool(next, index)
  for (let pair = 0; pair < next.pairFrom.length; pair++) writePair(next, pair)
  return { ...next, tokenIndex: forgetTokens(next, listLost(market, left)) }
}

/** Those that stay, in pieces, with room for the new ones between them. */
function copyCurves(
  curves: Market['curves'],
  { runs, places }: Pick<Merged, 'runs' | 'places'>,
): (Curve | undefined)[] {
  const kept = runs.map((run): readonly [number, readonly (Curve | undefined)[]] => [
    run.after,
    curves.slice(run.before, run.before + run.count),
  ])
  const rooms = places.map((place) => [place, [undefined]] as const)
  const pieces = [...kept, ...rooms].sort(([one], [other]) => one - other)
  const none: (Curve | undefined)[] = []
  return none.concat(...pieces.map(([, piece]) => piece))
}

type Numbered = Pick<Market, 'tokens' | 'tokenIndex'> & { readonly edges: Edges }

/**
 * Tokens that no pool holds any more keep their numbers until they are more than the others: of tokens that
 * come and go there is no end. Then the others are numbered anew, in the order that edges are sorted by.
 */
function renumber(numbered: Numbered): Numbered {
  const { tokens, edges } = numbered
  const isHeld = new Uint8Array(tokens.length)
  for (const token of edges.from) isHeld[token] = 1
  const held = tokens.filter((_, index) => isHeld[index] === 1)
  if (2 * held.length >= tokens.length) return numbered
  const tokenIndex = new Map(held.map((token, index) => [token, index]))
  const toNew = Int32Array.from(tokens, (token, index) =>
    isHeld[index] === 1 ? (tokenIndex.get(token) ?? -1) : -1,
  )
  const move = (column: Int32Array) => column.map((token) => toNew[token] as number)
  return {
    tokens: held,
    tokenIndex,
    edges: { ...edges, from: move(edges.from), to: move(edges.to) },
  }
}

/** Pools are to be numbered anew; the rest stays as it is. */
const edgesOf = ({ edgePool, edgeFrom, edgeTo, edgeI, edgeJ }: Market): Edges => ({
  pool: edgePool.slice(),
  from: edgeFrom,
  to: edgeTo,
  i: edgeI,
  j: edgeJ,
})

/** Tokens of the pools that went. */
const listLost = ({ pools }: Market, left: readonly number[]): ReadonlySet<string> =>
  new Set(left.flatMap((index) => pools[index]?.tokens ?? []))

/** Tokens that no pool holds any more are not known any more. */
function forgetTokens({ tokenIndex, outPairs }: Market, lost: ReadonlySet<string>): Seats {
  const unheld = [...lost].filter((token) => {
    const index = tokenIndex.get(token)
    return index !== undefined && outPairs[index] === outPairs[index + 1]
  })
  return moveSeats(
    tokenIndex,
    unheld.map((token) => [token, undefined]),
  )
}

function floats(length: number): Float64Array {
  return new Float64Array(length)
}

type Mutable = Omit<Market, 'curves'> & { readonly curves: (Curve | undefined)[] }

function writePool(market: Mutable, index: number): void {
  const pool = market.pools[index] as EnginePool
  for (const edge of edgesOfPool(market, index)) {
    const i = market.edgeI[edge] as number
    const j = market.edgeJ[edge] as number
    const curve = curveOf(pool, i, j)
    market.curves[edge] = curve
    market.heads[4 * edge] = curve?.a[0] ?? 0
    market.heads[4 * edge + 1] = curve?.b[0] ?? 0
    market.heads[4 * edge + 2] = curve?.x[1] ?? 0
    market.heads[4 * edge + 3] = pool.gas
  }
}

/** Numbers that no curve goes through sell nothing. */
function curveOf(pool: EnginePool, i: number, j: number): Curve | undefined {
  try {
    return pool.curve(i, j)
  } catch {
    return undefined
  }
}

function writePair(market: Mutable, pair: number): void {
  let rate = 0
  let gas = Number.POSITIVE_INFINITY
  const last = market.pairEdges[pair + 1] as number
  for (let edge = market.pairEdges[pair] as number; edge < last; edge++) {
    const curve = market.curves[edge]
    rate = Math.max(rate, curve ? greatestRate(curve) : 0)
    gas = Math.min(gas, gasOf(market, edge))
  }
  market.pairRate[pair] = rate
  market.inPairRate[market.inPairPlace[pair] as number] = rate
  market.pairGas[pair] = gas
}

function writePairsOf(market: Mutable, pool: number): void {
  for (const edge of edgesOfPool(market, pool)) writePair(market, market.edgePair[edge] as number)
}

function hasTokens(pool: EnginePool, tokens: readonly string[]): boolean {
  return (
    pool.tokens.length === tokens.length && pool.tokens.every((token, i) => token === tokens[i])
  )
}

/**
 * The next snapshot after some pools changed (or came). The old one stays as it was, so quotes that
 * run on it go on undisturbed; known pools cost their own curves and a copy of the flat arrays.
 */
export function updateMarket(
  market: Market,
  changedPools: Iterable<EnginePool>,
  goneIds: readonly string[] = [],
): Market {
  const changed = [...changedPools]
  const isKnown = (pool: EnginePool) => {
    const known = market.pools[market.poolIndex.get(pool.id) ?? -1]
    return known !== undefined && hasTokens(known, pool.tokens)
  }
  if (goneIds.length > 0 || !changed.every(isKnown))
    return regrow(market, { changed, goneIds: new Set(goneIds) })
  const pools = market.pools.slice()
  const next = {
    ...market,
    pools,
    curves: market.curves.slice(),
    heads: market.heads.slice(),
    pairRate: market.pairRate.slice(),
    inPairRate: market.inPairRate.slice(),
    pairGas: market.pairGas.slice(),
  }
  for (const pool of changed) {
    const index = market.poolIndex.get(pool.id) ?? 0
    pools[index] = pool
    writePool(next, index)
    writePairsOf(next, index)
  }
  return next
}

/** The snapshot without one pool, for a search that found it refusing what its curve promised. */
export function withoutPool(market: Market, pool: number): Market {
  const { curves, pairRate, inPairRate, pairGas } = market
  const heads = market.heads.slice()
  const rates = { pairRate: pairRate.slice(), inPairRate: inPairRate.slice() }
  const pairs = { ...rates, pairGas: pairGas.slice() }
  const next = { ...market, curves: curves.slice(), heads, ...pairs }
  for (const edge of edgesOfPool(market, pool)) {
    next.curves[edge] = undefined
    heads[4 * edge] = 0
    heads[4 * edge + 2] = 0
  }
  writePairsOf(next, pool)
  return next
}
