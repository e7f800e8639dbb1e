import type { Market } from '../engine/market.ts'
import { at, each, editPieces, listOthers, toPieces } from '../engine/pieces.ts'
import { createSeats } from '../engine/seats.ts'
import { type Blocks, type CurveArena, type Place, readCurve } from './curveArena.ts'

/** Of an index of edges: the same for all markets with the same pools. */
const layoutColumns = [
  'edgePool',
  'edgeFrom',
  'edgeTo',
  'edgeI',
  'edgeJ',
  'pairEdges',
  'pairFrom',
  'pairTo',
  'outPairs',
  'inPairs',
  'inPairList',
  'inPairFrom',
  'inPairPlace',
] as const
/** Of what pools sell at. */
const rateColumns = ['heads', 'pairRate', 'inPairRate', 'pairGas'] as const

type Layout = Pick<Market, (typeof layoutColumns)[number] | 'tokens'> & {
  readonly poolIds: readonly string[]
}
type Rates = Pick<Market, (typeof rateColumns)[number]>

/** What a market differs by from the one told of before. */
export type MarketNews = {
  /** Where edges were numbered anew, as at first. */
  readonly layout?: Layout | undefined
  readonly rates: Rates
  /** Edges whose curves changed, and where those are; -1: it sells nothing. */
  readonly edges: Int32Array
  readonly places: Float64Array
}

const pick = <key extends string, value extends Record<key, unknown>>(
  from: value,
  keys: readonly key[],
) => Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<value, key>

const hasLayoutOf = (one: Market, other: Market) =>
  one.tokens === other.tokens && layoutColumns.every((column) => one[column] === other[column])

/** Undefined where a curve is too long to be shared. */
export function tellMarket(
  arena: CurveArena,
  { last, next }: { readonly last: Market | undefined; readonly next: Market },
): MarketNews | undefined {
  const isLaidOut = last !== undefined && hasLayoutOf(last, next)
  const edges: number[] = []
  const places: Place[] = []
  for (const edge of listOthers(next.curves, isLaidOut ? last.curves : undefined)) {
    const curve = at(next.curves, edge)
    const place = curve ? arena.placeOf(curve) : -1
    if (curve && place < 0) return undefined
    edges.push(edge)
    places.push(place)
  }
  const poolIds = () => Array.from(each(next.pools), ({ id }) => id)
  return {
    layout: isLaidOut
      ? undefined
      : { ...pick(next, layoutColumns), tokens: next.tokens, poolIds: poolIds() },
    rates: pick(next, rateColumns),
    edges: Int32Array.from(edges),
    places: Float64Array.from(places),
  }
}

/** The market as a thread searches it: its pools have names and curves, and swap where it was told of. */
export function hearMarket(
  blocks: Blocks,
  { last, news }: { readonly last: Market | undefined; readonly news: MarketNews },
): Market {
  const { layout, rates, edges, places } = news
  const base = layout ? layOut(layout) : last
  if (!base) throw new Error('a market was told of in full before')
  const curves = editPieces(base.curves)
  for (const [index, edge] of edges.entries())
    curves.set(edge, readCurve(blocks, places[index] as number))
  return { ...base, ...rates, curves: curves.done() }
}

function layOut({ poolIds, tokens, ...columns }: Layout): Omit<Market, keyof Rates> {
  const elsewhere = { gas: 0, curve: () => undefined, swap: () => undefined }
  const tokensOf: string[][] = poolIds.map(() => [])
  for (const [edge, pool] of columns.edgePool.entries()) {
    const held = tokensOf[pool] as string[]
    held[columns.edgeI[edge] as number] = at(tokens, columns.edgeFrom[edge] as number) as string
  }
  return {
    ...columns,
    tokens,
    pools: toPieces(
      poolIds.map((id, index) => ({ id, tokens: tokensOf[index] ?? [], ...elsewhere })),
    ),
    poolIndex: createSeats(poolIds),
    tokenIndex: createSeats([...each(tokens)]),
    edgeCount: columns.edgePool.length,
    curves: toPieces(Array.from(columns.edgePool, () => undefined)),
  }
}
