import type { Curve } from '../protocols/curve.ts'
import type { EnginePool } from '../protocols/enginePool.ts'

/**
 * An immutable snapshot of all pools, indexed for the search. An edge is one direction of one pool;
 * edges are sorted by (from, to), so that the edges of a pair and the pairs of a token are ranges.
 */
export type Market = {
  readonly pools: readonly EnginePool[]
  readonly poolIndex: ReadonlyMap<string, number>
  readonly tokens: readonly string[]
  readonly tokenIndex: ReadonlyMap<string, number>
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
  readonly edgesOfPool: ReadonlyArray<readonly number[]>
  readonly curves: ReadonlyArray<Curve | undefined>
  /**
   * Four numbers per edge, side by side so that one look at memory brings them all: `a`, `b` and the
   * end of its curve's first piece, where most evaluations end (a = 0 where nothing is sold), and gas.
   */
  readonly heads: Float64Array
  /** Best marginal rate of each pair: most pairs of a search are passed over by it alone. */
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

type Edge = { pool: number; from: number; to: number; i: number; j: number }

/** Builds a snapshot; of two pools with one id the later wins. */
export function createMarket(pools: Iterable<EnginePool>): Market {
  return buildMarket(pools, undefined)
}

/** The same, with the curves of those pools that `before` has too. */
function buildMarket(pools: Iterable<EnginePool>, before: Market | undefined): Market {
  const byId = new Map<string, EnginePool>()
  for (const pool of pools) byId.set(pool.id, pool)
  const sorted = [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  const tokens = [...new Set(sorted.flatMap((pool) => pool.tokens))].sort()
  const tokenIndex = new Map(tokens.map((token, index) => [token, index]))
  const edges = listEdges(sorted, tokenIndex)
  const edgesOfPool: number[][] = sorted.map(() => [])
  for (const [index, edge] of edges.entries()) edgesOfPool[edge.pool]?.push(index)
  const pick = (key: keyof Edge) => Int32Array.from(edges, (edge) => edge[key])
  const layout = {
    pools: sorted,
    poolIndex: new Map(sorted.map((pool, index) => [pool.id, index])),
    tokens,
    tokenIndex,
    edgeCount: edges.length,
    edgePool: pick('pool'),
    edgeFrom: pick('from'),
    edgeTo: pick('to'),
    edgeI: pick('i'),
    edgeJ: pick('j'),
    edgesOfPool,
    ...indexPairs(edges, tokens.length),
  }
  const curves: (Curve | undefined)[] = new Array(edges.length).fill(undefined)
  const heads = floats(4 * edges.length)
  const pairCount = layout.pairFrom.length
  const rates = { pairRate: floats(pairCount), inPairRate: floats(pairCount) }
  const best = { ...rates, pairGas: floats(pairCount) }
  const market = { ...layout, curves, heads, ...best }
  for (const index of sorted.keys()) writePool(market, index, before)
  for (let pair = 0; pair < pairCount; pair++) writePair(market, pair)
  return market
}

function floats(length: number): Float64Array {
  return new Float64Array(length)
}

function listEdges(pools: readonly EnginePool[], tokenIndex: ReadonlyMap<string, number>): Edge[] {
  const edges: Edge[] = []
  for (const [pool, { tokens }] of pools.entries())
    for (const [i, tokenIn] of tokens.entries())
      for (const [j, tokenOut] of tokens.entries())
        if (tokenIn !== tokenOut)
          edges.push({
            pool,
            from: tokenIndex.get(tokenIn) ?? 0,
            to: tokenIndex.get(tokenOut) ?? 0,
            i,
            j,
          })
  return edges.sort((one, other) => one.from - other.from || one.to - other.to)
}

function indexPairs(edges: readonly Edge[], tokenCount: number) {
  const pairEdges: number[] = []
  const pairFrom: number[] = []
  const pairTo: number[] = []
  for (const [index, edge] of edges.entries()) {
    if (pairFrom.at(-1) === edge.from && pairTo.at(-1) === edge.to) continue
    pairEdges.push(index)
    pairFrom.push(edge.from)
    pairTo.push(edge.to)
  }
  pairEdges.push(edges.length)
  const inPairList = [...pairTo.keys()].sort(
    (one, other) => (pairTo[one] as number) - (pairTo[other] as number) || one - other,
  )
  const edgePair = new Int32Array(edges.length)
  for (let pair = 0; pair < pairFrom.length; pair++)
    edgePair.fill(pair, pairEdges[pair], pairEdges[pair + 1])
  const inPairPlace = new Int32Array(pairTo.length)
  for (const [place, pair] of inPairList.entries()) inPairPlace[pair] = place
  return {
    edgePair,
    inPairPlace,
    pairEdges: Int32Array.from(pairEdges),
    pairFrom: Int32Array.from(pairFrom),
    pairTo: Int32Array.from(pairTo),
    outPairs: countStarts(pairFrom, tokenCount),
    inPairs: countStarts(pairTo, tokenCount),
    inPairList: Int32Array.from(inPairList),
    inPairFrom: Int32Array.from(inPairList, (pair) => pairFrom[pair] as number),
  }
}

/** starts[t] = how many entries are below t. */
function countStarts(values: readonly number[], size: number): Int32Array {
  const starts = new Int32Array(size + 1)
  for (const value of values) starts[value + 1] = (starts[value + 1] as number) + 1
  for (let index = 0; index < size; index++)
    starts[index + 1] = (starts[index + 1] as number) + (starts[index] as number)
  return starts
}

type Mutable = Omit<Market, 'curves'> & { readonly curves: (Curve | undefined)[] }

function writePool(market: Mutable, index: number, before: Market | undefined): void {
  const pool = market.pools[index] as EnginePool
  const known = before?.poolIndex.get(pool.id) ?? -1
  const isKept = before?.pools[known] === pool
  for (const edge of market.edgesOfPool[index] as readonly number[]) {
    const i = market.edgeI[edge] as number
    const j = market.edgeJ[edge] as number
    const curve = isKept ? curveIn(before, known, i, j) : pool.curve(i, j)
    market.curves[edge] = curve
    market.heads[4 * edge] = curve?.a[0] ?? 0
    market.heads[4 * edge + 1] = curve?.b[0] ?? 0
    market.heads[4 * edge + 2] = curve?.x[1] ?? 0
    market.heads[4 * edge + 3] = pool.gas
  }
}

function curveIn(market: Market, pool: number, i: number, j: number): Curve | undefined {
  const isIt = (edge: number) => market.edgeI[edge] === i && market.edgeJ[edge] === j
  return market.curves[market.edgesOfPool[pool]?.find(isIt) ?? -1]
}

function writePair(market: Mutable, pair: number): void {
  let rate = 0
  let gas = Number.POSITIVE_INFINITY
  const last = market.pairEdges[pair + 1] as number
  for (let edge = market.pairEdges[pair] as number; edge < last; edge++) {
    rate = Math.max(rate, bestRate(market, edge))
    gas = Math.min(gas, gasOf(market, edge))
  }
  market.pairRate[pair] = rate
  market.inPairRate[market.inPairPlace[pair] as number] = rate
  market.pairGas[pair] = gas
}

function writePairsOf(market: Mutable, pool: number): void {
  for (const edge of market.edgesOfPool[pool] ?? [])
    writePair(market, market.edgePair[edge] as number)
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
export function updateMarket(market: Market, changedPools: Iterable<EnginePool>): Market {
  const changed = [...changedPools]
  const isKnown = (pool: EnginePool) => {
    const known = market.pools[market.poolIndex.get(pool.id) ?? -1]
    return known !== undefined && hasTokens(known, pool.tokens)
  }
  if (!changed.every(isKnown)) return buildMarket([...market.pools, ...changed], market)
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
    writePool(next, index, undefined)
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
  for (const edge of market.edgesOfPool[pool] ?? []) {
    next.curves[edge] = undefined
    heads[4 * edge] = 0
    heads[4 * edge + 2] = 0
  }
  writePairsOf(next, pool)
  return next
}
