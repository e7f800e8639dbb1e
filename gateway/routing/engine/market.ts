import type { Curve } from '../protocols/maths/curve.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'

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

/** Edges as columns, sorted by (from, to). */
type Columns = Readonly<Record<keyof Edge, Int32Array>>

function toColumns(edges: readonly Edge[]): Columns {
  const pick = (key: keyof Edge) => Int32Array.from(edges, (edge) => edge[key])
  return { pool: pick('pool'), from: pick('from'), to: pick('to'), i: pick('i'), j: pick('j') }
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
  readonly edges: Columns
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
  const { edges, before } = mergeEdges(market, { place, came, firstNew })
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

/** Tokens that no pool holds any more are not known any more. */
function forgetTokens(
  tokenIndex: Map<string, number>,
  { from, count }: { readonly from: Int32Array; readonly count: number },
): void {
  const held = new Uint8Array(count)
  for (let edge = 0; edge < from.length; edge++) held[from[edge] as number] = 1
  for (const [token, index] of tokenIndex) if (!held[index]) tokenIndex.delete(token)
}

/** Old edges in their order, each new one behind those of its pair; `before` is where each one stood. */
function mergeEdges(
  market: Market,
  {
    place,
    came,
    firstNew,
  }: { readonly place: Int32Array; readonly came: readonly Edge[]; readonly firstNew: number },
): { readonly edges: Columns; readonly before: Int32Array } {
  const { edgeCount, edgePool, edgeFrom, edgeTo, edgeI, edgeJ } = market
  const most = edgeCount + came.length
  const column = () => new Int32Array(most)
  const [pool, from, to, i, j] = [column(), column(), column(), column(), column()]
  const before = column().fill(-1)
  let at = 0
  let next = 0
  for (let edge = 0; edge <= edgeCount; edge++) {
    // Behind the last one there is room for all the rest.
    const ownFrom = edge < edgeCount ? (edgeFrom[edge] as number) : Number.POSITIVE_INFINITY
    const ownTo = edge < edgeCount ? (edgeTo[edge] as number) : Number.POSITIVE_INFINITY
    for (let one = came[next]; one; one = came[next]) {
      if (one.from > ownFrom || (one.from === ownFrom && one.to >= ownTo)) break
      pool[at] = firstNew + one.pool
      from[at] = one.from
      to[at] = one.to
      i[at] = one.i
      j[at] = one.j
      at += 1
      next += 1
    }
    const ownPool = edge < edgeCount ? (place[edgePool[edge] as number] as number) : -1
    if (ownPool < 0) continue
    pool[at] = ownPool
    from[at] = ownFrom
    to[at] = ownTo
    i[at] = edgeI[edge] as number
    j[at] = edgeJ[edge] as number
    before[at] = edge
    at += 1
  }
  const cut = (whole: Int32Array) => whole.subarray(0, at)
  const edges = { pool: cut(pool), from: cut(from), to: cut(to), i: cut(i), j: cut(j) }
  return { edges, before: cut(before) }
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

function indexPairs({ from, to }: Columns, tokenCount: number) {
  const edgeCount = from.length
  const pairEdges: number[] = []
  const pairFrom: number[] = []
  const pairTo: number[] = []
  for (let edge = 0; edge < edgeCount; edge++) {
    if (edge > 0 && from[edge - 1] === from[edge] && to[edge - 1] === to[edge]) continue
    pairEdges.push(edge)
    pairFrom.push(from[edge] as number)
    pairTo.push(to[edge] as number)
  }
  pairEdges.push(edgeCount)
  const inPairs = countStarts(pairTo, tokenCount)
  const free = inPairs.slice()
  const inPairList = new Int32Array(pairTo.length)
  for (const [pair, token] of pairTo.entries()) {
    inPairList[free[token] as number] = pair
    free[token] = (free[token] as number) + 1
  }
  const edgePair = new Int32Array(edgeCount)
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
    inPairs,
    inPairList,
    inPairFrom: inPairList.map((pair) => pairFrom[pair] as number),
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
