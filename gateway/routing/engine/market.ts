import type { Curve } from '../protocols/maths/curve.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { type Edges, listEdges, mergeEdges, toColumns } from './edges.ts'
import { indexPairs } from './indexPairs.ts'

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
    tokens,
    tokenIndex,
    edges: toColumns(edges),
    curves: new Array(edges.length).fill(undefined),
  })
  for (const index of sorted.keys()) writePool(market, index)
  for (let pair = 0; pair < market.pairFrom.length; pair++) writePair(market, pair)
  return market
}

function indexPools(pools: readonly EnginePool[]): Map<string, number> {
  const index = new Map<string, number>()
  for (let at = 0; at < pools.length; at++) index.set((pools[at] as EnginePool).id, at)
  return index
}

/** The snapshot's indexes; its rates and heads are still to be written. */
function layOut({
  pools,
  poolIndex,
  tokens,
  tokenIndex,
  edges,
  curves,
}: Pick<Mutable, 'pools' | 'tokens' | 'tokenIndex' | 'curves'> & {
  readonly edges: Edges
  readonly poolIndex?: ReadonlyMap<string, number> | undefined
}): Mutable {
  const edgeCount = edges.pool.length
  const edgesOfPool: number[][] = pools.map(() => [])
  for (let edge = 0; edge < edgeCount; edge++) edgesOfPool[edges.pool[edge] as number]?.push(edge)
  const pairs = indexPairs(edges, tokens.length)
  const pairCount = pairs.pairFrom.length
  return {
    pools,
    tokens,
    tokenIndex,
    edgeCount,
    edgesOfPool,
    curves,
    poolIndex: poolIndex ?? indexPools(pools),
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

/**
 * The snapshot with pools that came and without those that went. Who stays keeps his place among his
 * kind, and new ones stand behind: nothing is sorted anew, so it takes a look at each edge and no more.
 */
function regrow(
  market: Market,
  {
    changed,
    goneIds,
  }: { readonly changed: readonly EnginePool[]; readonly goneIds: ReadonlySet<string> },
): Market {
  const news = new Map(changed.map((pool) => [pool.id, pool]))
  const out = new Uint8Array(market.pools.length)
  for (const id of [...goneIds, ...news.keys()]) {
    const index = market.poolIndex.get(id)
    if (index !== undefined) out[index] = 1
  }
  const pools: EnginePool[] = []
  const place = new Int32Array(out.length).fill(-1)
  for (let index = 0; index < out.length; index++)
    if (!out[index]) place[index] = pools.push(market.pools[index] as EnginePool) - 1
  const firstNew = pools.length
  pools.push(...news.values())
  const tokenIndex = new Map(market.tokenIndex)
  const tokens = market.tokens.slice()
  for (const { tokens: held } of news.values())
    for (const token of held)
      if (!tokenIndex.has(token)) tokenIndex.set(token, tokens.push(token) - 1)
  const came = listEdges([...news.values()], tokenIndex)
  const { edges, before } = mergeEdges(edgesOf(market), { place, came, firstNew })
  forgetTokens(tokenIndex, { from: edges.from, count: tokens.length })
  const curves = new Array<Curve | undefined>(before.length).fill(undefined)
  // Where nobody went, everybody stands where he stood.
  const isGrown = firstNew === market.pools.length
  const poolIndex = isGrown ? new Map(market.poolIndex) : indexPools(pools)
  for (let index = firstNew; index < pools.length; index++)
    poolIndex.set((pools[index] as EnginePool).id, index)
  const next = layOut({ pools, poolIndex, tokens, tokenIndex, edges, curves })
  for (let edge = 0; edge < before.length; edge++) {
    const old = before[edge] as number
    if (old < 0) continue
    next.curves[edge] = market.curves[old]
    for (let k = 0; k < 4; k++) next.heads[4 * edge + k] = market.heads[4 * old + k] as number
  }
  for (let index = firstNew; index < pools.length; index++) writePool(next, index)
  for (let pair = 0; pair < next.pairFrom.length; pair++) writePair(next, pair)
  return next
}

const edgesOf = ({ edgePool, edgeFrom, edgeTo, edgeI, edgeJ }: Market): Edges => ({
  pool: edgePool,
  from: edgeFrom,
  to: edgeTo,
  i: edgeI,
  j: edgeJ,
})

/** Tokens that no pool holds any more are not known any more. */
function forgetTokens(
  tokenIndex: Map<string, number>,
  { from, count }: { readonly from: Int32Array; readonly count: number },
): void {
  const held = new Uint8Array(count)
  for (let edge = 0; edge < from.length; edge++) held[from[edge] as number] = 1
  for (const [token, index] of tokenIndex) if (!held[index]) tokenIndex.delete(token)
}

function floats(length: number): Float64Array {
  return new Float64Array(length)
}

type Mutable = Omit<Market, 'curves'> & { readonly curves: (Curve | undefined)[] }

function writePool(market: Mutable, index: number): void {
  const pool = market.pools[index] as EnginePool
  for (const edge of market.edgesOfPool[index] as readonly number[]) {
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
  for (const edge of market.edgesOfPool[pool] ?? []) {
    next.curves[edge] = undefined
    heads[4 * edge] = 0
    heads[4 * edge + 2] = 0
  }
  writePairsOf(next, pool)
  return next
}
