import { type Curve, greatestRate } from '../protocols/maths/curve.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import {
  copyRuns,
  type Edges,
  listEdges,
  mergeEdges,
  mostTokens,
  type Run,
  toColumns,
} from './edges.ts'
import { indexPairs, pairBetween, pairOf } from './indexPairs.ts'
import { at, type Draft, each, editPieces, movePieces, type Pieces, toPieces } from './pieces.ts'
import { type Reseated, reseat } from './reseat.ts'
import { createSeats, moveSeats, type Seats } from './seats.ts'

/**
 * An immutable snapshot of all pools, indexed for the search. An edge is one direction of one pool;
 * edges are sorted by (from, to), so that the edges of a pair and the pairs of a token are ranges.
 */
export type Market = {
  readonly pools: Pieces<EnginePool>
  readonly poolIndex: Seats
  readonly tokens: Pieces<string>
  readonly tokenIndex: Seats
  readonly edgeCount: number
  readonly edgePool: Int32Array
  readonly edgeFrom: Int32Array
  readonly edgeTo: Int32Array
  /** Index of the token within the pool. */
  readonly edgeI: Uint8Array
  readonly edgeJ: Uint8Array
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
  readonly curves: Pieces<Curve | undefined>
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
export function bestRate(market: Pick<Market, 'heads'>, edge: number): number {
  return market.heads[4 * edge] as number
}

/** Gas of a swap through the edge. */
export function gasOf(market: Pick<Market, 'heads'>, edge: number): number {
  return market.heads[4 * edge + 3] as number
}

/** Undefined where it is none of the market's. */
export function poolOf({ pools, poolIndex }: Market, id: string): EnginePool | undefined {
  return at(pools, poolIndex.get(id) ?? -1)
}

/** Both directions of every two tokens of a pool, rising. */
export function edgesOfPool(
  market: Pick<Market, 'tokenIndex' | 'edgePool' | 'pairEdges' | 'pairTo' | 'outPairs'>,
  { index, tokens }: { readonly index: number; readonly tokens: readonly string[] },
): readonly number[] {
  if (tokens.length > mostTokens) return []
  const { tokenIndex, edgePool, pairEdges } = market
  const numbers = [...new Set(tokens)].map((token) => tokenIndex.get(token) ?? -1)
  const edges: number[] = []
  for (const from of numbers)
    for (const to of numbers) {
      const pair = from === to ? -1 : pairBetween(market, from, to)
      const last = pair < 0 ? -1 : (pairEdges[pair + 1] as number)
      for (let edge = pairEdges[pair] as number; edge < last; edge++)
        if (edgePool[edge] === index) edges.push(edge)
    }
  return edges.sort((one, other) => one - other)
}

/** Builds a snapshot; of two pools with one id the later wins. */
export function createMarket(pools: Iterable<EnginePool>): Market {
  const byId = new Map<string, EnginePool>()
  for (const pool of pools) byId.set(pool.id, pool)
  const sorted = [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  const tokens = [...new Set(sorted.flatMap((pool) => pool.tokens))].sort()
  const tokenIndex = createSeats(tokens)
  const edges = listEdges(sorted, tokenIndex)
  const market = layOut({
    pools: editPieces(toPieces(sorted)),
    poolIndex: createSeats(sorted.map(({ id }) => id)),
    tokens: toPieces(tokens),
    tokenIndex,
    edges: toColumns(edges),
    curves: editPieces(toPieces<Curve | undefined>(edges.map(() => undefined))),
  })
  for (const index of sorted.keys()) writePool(market, index)
  for (let pair = 0; pair < market.pairFrom.length; pair++) writePair(market, pair)
  return finish(market)
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

/**
 * The snapshot with pools that came and without those that went. Nobody is sorted anew and nothing is
 * looked up again: edges that stay are copied side by side.
 */
function regrow(market: Market, { came: news, gone: goneIds }: Changes): Mutable {
  const seated = { members: market.pools, seats: market.poolIndex }
  const {
    members: pools,
    left,
    taken,
    moved,
    ...seats
  } = reseat(seated, {
    came: news,
    gone: goneIds,
  })
  const newTokens = [...new Set(news.flatMap((pool) => pool.tokens))]
  const { tokens: all, tokenIndex: known } = addTokens(market, newTokens)
  const came = listEdges(news, known).map((edge) => ({ ...edge, pool: taken[edge.pool] as number }))
  const old = edgesOf(market, moved)
  const gone = left.flatMap((index) => listEdgesOf(market, index)).sort((a, b) => a - b)
  const { runs, edges: merged } = mergeEdges(old, { gone, came })
  const numbered = { tokens: all, tokenIndex: known, edges: merged }
  const { tokens, tokenIndex, edges } = gone.length > 0 ? renumber(numbered) : numbered
  const curves = editPieces(movePieces(market.curves, runs, edges.pool.length))
  const next = layOut({ pools, poolIndex: seats.seats, tokens, tokenIndex, edges, curves })
  copyRuns(next.heads, market.heads, runs, 4)
  const written = taken.flatMap((index) => writePool(next, index))
  copyPairs(next, market, runs)
  writePairsOf(next, written)
  return { ...next, tokenIndex: forgetTokens(next, listLost(market, left)) }
}

/** What pairs are sold at stays where nothing has changed; those at the ends of a run are looked at anew. */
function copyPairs(next: Mutable, market: Market, runs: readonly Run[]): void {
  const ends: number[] = []
  for (const { before, after, count } of runs) {
    const first = pairOf(next, after)
    const last = pairOf(next, after + count - 1)
    const old = pairOf(market, before)
    const pairs = [old, old + last - first + 1] as const
    next.pairRate.set(market.pairRate.subarray(...pairs), first)
    next.pairGas.set(market.pairGas.subarray(...pairs), first)
    ends.push(first, last)
  }
  for (let pair = 0; pair < next.pairRate.length; pair++)
    next.inPairRate[next.inPairPlace[pair] as number] = next.pairRate[pair] as number
  for (const pair of ends) writePair(next, pair)
}

/** The tokens with those that nobody knew. */
function addTokens({ tokens, tokenIndex }: Market, tokensOfNews: readonly string[]) {
  const news = tokensOfNews.filter((token) => !tokenIndex.has(token))
  if (news.length === 0) return { tokens, tokenIndex }
  const all = editPieces(tokens)
  for (const token of news) all.push(token)
  const moves = news.map((token, index) => [token, tokens.length + index] as const)
  return { tokens: all.done(), tokenIndex: moveSeats(tokenIndex, moves) }
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
  const count = isHeld.reduce((sum, one) => sum + one, 0)
  if (2 * count >= tokens.length) return numbered
  const held = [...each(tokens)].filter((_, index) => isHeld[index] === 1)
  const tokenIndex = createSeats(held)
  const toNew = Int32Array.from(isHeld, (one, index) =>
    one === 1 ? (tokenIndex.get(at(tokens, index) ?? '') ?? -1) : -1,
  )
  const move = (column: Int32Array) => column.map((token) => toNew[token] as number)
  return {
    tokens: toPieces(held),
    tokenIndex,
    edges: { ...edges, from: move(edges.from), to: move(edges.to) },
  }
}

/** With pools that moved by the numbers that they have now. */
function edgesOf(market: Market, moved: Reseated<EnginePool>['moved']): Edges {
  const { edgePool, edgeFrom, edgeTo, edgeI, edgeJ } = market
  const pool = moved.length > 0 ? edgePool.slice() : edgePool
  for (const [before, now] of moved)
    for (const edge of listEdgesOf(market, before)) pool[edge] = now
  return { pool, from: edgeFrom, to: edgeTo, i: edgeI, j: edgeJ }
}

const listEdgesOf = (market: Market, index: number) =>
  edgesOfPool(market, { index, tokens: at(market.pools, index)?.tokens ?? [] })

/** Tokens of the pools that went. */
const listLost = ({ pools }: Market, left: readonly number[]): ReadonlySet<string> =>
  new Set(left.flatMap((index) => at(pools, index)?.tokens ?? []))

/** Tokens that no pool holds any more are not known any more. */
function forgetTokens(
  { tokenIndex, outPairs }: Pick<Market, 'tokenIndex' | 'outPairs'>,
  lost: ReadonlySet<string>,
): Seats {
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

type Mutable = Omit<Market, 'curves' | 'pools'> & {
  readonly curves: Draft<Curve | undefined>
  readonly pools: Draft<EnginePool>
}

const finish = (market: Mutable): Market => ({
  ...market,
  curves: market.curves.done(),
  pools: market.pools.done(),
})

/** The edges that are written. */
function writePool(market: Mutable, index: number): readonly number[] {
  const pool = market.pools.at(index) as EnginePool
  const edges = edgesOfPool(market, { index, tokens: pool.tokens })
  for (const edge of edges) {
    const i = market.edgeI[edge] as number
    const j = market.edgeJ[edge] as number
    const curve = curveOf(pool, i, j)
    market.curves.set(edge, curve)
    market.heads[4 * edge] = curve?.a[0] ?? 0
    market.heads[4 * edge + 1] = curve?.b[0] ?? 0
    market.heads[4 * edge + 2] = curve?.x[1] ?? 0
    market.heads[4 * edge + 3] = pool.gas
  }
  return edges
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
    const curve = market.curves.at(edge)
    rate = Math.max(rate, curve ? greatestRate(curve) : 0)
    gas = Math.min(gas, gasOf(market, edge))
  }
  market.pairRate[pair] = rate
  market.inPairRate[market.inPairPlace[pair] as number] = rate
  market.pairGas[pair] = gas
}

function writePairsOf(market: Mutable, edges: readonly number[]): void {
  for (const edge of edges) writePair(market, pairOf(market, edge))
}

function hasTokens(pool: EnginePool, tokens: readonly string[]): boolean {
  return (
    pool.tokens.length === tokens.length && pool.tokens.every((token, i) => token === tokens[i])
  )
}

type Changes = {
  readonly came: readonly EnginePool[]
  readonly gone: Iterable<string>
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
  const gone = new Set(goneIds)
  const stays = (pool: EnginePool) => {
    const known = poolOf(market, pool.id)
    return known !== undefined && !gone.has(pool.id) && hasTokens(known, pool.tokens)
  }
  const changed = [...new Map([...changedPools].map((pool) => [pool.id, pool])).values()]
  const known = changed.filter(stays)
  const came = changed.filter((pool) => !stays(pool))
  // Of other tokens than before, a pool is another.
  for (const { id } of came) gone.add(id)
  const next = gone.size > 0 ? regrow(market, { came, gone }) : copyRates(market)
  for (const pool of known) {
    const index = next.poolIndex.get(pool.id) ?? 0
    next.pools.set(index, pool)
    writePairsOf(next, writePool(next, index))
  }
  return finish(next)
}

/** The same pools, of which some are to be written anew. */
function copyRates(market: Market): Mutable {
  return {
    ...market,
    pools: editPieces(market.pools),
    curves: editPieces(market.curves),
    heads: market.heads.slice(),
    pairRate: market.pairRate.slice(),
    inPairRate: market.inPairRate.slice(),
    pairGas: market.pairGas.slice(),
  }
}

/** The snapshot without one pool, for a search that found it refusing what its curve promised. */
export function withoutPool(market: Market, pool: number): Market {
  const next = copyRates(market)
  const edges = listEdgesOf(market, pool)
  for (const edge of edges) {
    next.curves.set(edge, undefined)
    next.heads[4 * edge] = 0
    next.heads[4 * edge + 2] = 0
  }
  writePairsOf(next, edges)
  return finish(next)
}
