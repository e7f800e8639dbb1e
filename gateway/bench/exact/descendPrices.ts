import type { Highs } from 'highs'
import { type EdgePoint, pointAtPrice } from '../../routing/engine/edgeCurve.ts'
import { solvePrices } from './chargedFlow.ts'
import { mostInputs } from './mostInputs.ts'
import type { Question } from './question.ts'
import { mostProfit } from './relax.ts'
import type { Tangents } from './tangents.ts'

export type Descent = {
  readonly edges: readonly number[]
  readonly prices: Float64Array
  readonly net: number
  readonly tangents: Tangents
  /** How far each price may move, as a part of it. */
  readonly width: number
  readonly isOver: () => boolean
}

/** Tangents are added until the solution lies above the curves by no more than this part of `net`. */
const tight = 1e-7
const maxRounds = 12

/**
 * Prices within `width` of those given where the Lagrangian bound is least: of the edges, only those count that
 * earn more than their gas at some of these prices.
 */
export function descendPrices(
  highs: Highs,
  question: Question,
  { edges: all, prices, net, tangents, width, isOver }: Descent,
): Float64Array {
  const { market } = question
  const mostOfAll = mostInputs(question, all)
  const places = [...all.keys()].filter((k) => {
    const edge = all[k] as number
    const priceFrom = (prices[market.edgeFrom[edge] as number] as number) * (1 - width)
    const priceTo = (prices[market.edgeTo[edge] as number] as number) * (1 + width)
    return mostProfit(question, edge, { priceFrom, priceTo, most: mostOfAll[k] as number }) > 0
  })
  const edges = places.map((k) => all[k] as number)
  const most = Float64Array.from(places, (k) => mostOfAll[k] as number)
  const flow = { edges, most, prices, net, tangents }
  holdNear(question, flow, width)
  for (let round = 1; ; round++) {
    const solved = solvePrices(highs, question, flow, width)
    if (!solved) return prices
    const above = tangents.hold(edges, { ...solved.taken, prices, unit: net })
    if (above < tight || round === maxRounds || isOver()) return solved.prices
  }
}

const point: EdgePoint = { x: 0, y: 0, slope: 0 }

/** Tangents where edges would trade at these prices, and at the best of those within `width`. */
export function holdNear(
  { market }: Question,
  {
    edges,
    most,
    prices,
    tangents,
  }: Pick<Descent, 'edges' | 'prices' | 'tangents'> & { readonly most: Float64Array },
  width: number,
): void {
  for (const [k, edge] of edges.entries()) {
    if (tangents.of(edge).length > 1) continue
    const price =
      (prices[market.edgeFrom[edge] as number] as number) /
      (prices[market.edgeTo[edge] as number] as number)
    for (const lower of [1, (1 - width) / (1 + width)]) {
      pointAtPrice(market, edge, price * lower, point)
      tangents.add(edge, Math.min(point.x, most[k] as number))
    }
  }
}
