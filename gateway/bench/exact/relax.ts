import { type EdgePoint, edgeOutput, pointAtPrice } from '../../routing/engine/edgeCurve.ts'
import { gasOf } from '../../routing/engine/market.ts'
import type { Question } from './question.ts'

export type Relaxed = {
  /** What all of them net at most, wherever they lead. */
  readonly whole: number
  /** No route over these edges nets more. */
  readonly bound: number
  /** By edge, no route through it nets more. */
  readonly through: Float64Array
}

/**
 * The Lagrangian bound at some prices: all edges earn what they can of them, less their gas, or stay idle. A
 * route is a way at least, so what its edges lack of their gas comes off, along the way that lacks least; of a
 * route through one edge, along the best of those.
 */
export function relax(
  question: Question,
  edges: readonly number[],
  { prices, most }: { readonly prices: Float64Array; readonly most: Float64Array },
): Relaxed {
  const { market, tokenIn, tokenOut, amountIn } = question
  let all = (prices[tokenIn] as number) * amountIn
  const lacks = new Float64Array(edges.length)
  for (const [k, edge] of edges.entries()) {
    const priceFrom = prices[market.edgeFrom[edge] as number] as number
    const priceTo = prices[market.edgeTo[edge] as number] as number
    const profit = mostProfit(question, edge, { priceFrom, priceTo, most: most[k] as number })
    all += Math.max(0, profit)
    lacks[k] = Math.max(0, -profit)
  }
  const froms = edges.map((edge) => market.edgeFrom[edge] as number)
  const tos = edges.map((edge) => market.edgeTo[edge] as number)
  const size = market.tokens.length
  const before = leastLack({ size, origin: tokenIn, froms, tos, lacks })
  const after = leastLack({ size, origin: tokenOut, froms: tos, tos: froms, lacks })
  const through = lacks.map(
    (lack, k) =>
      all - lack - (before[froms[k] as number] as number) - (after[tos[k] as number] as number),
  )
  return { whole: all, bound: all - (before[tokenOut] as number), through }
}

const point: EdgePoint = { x: 0, y: 0, slope: 0 }

/** What no more than `most` units through an edge earn at most, less its gas. */
export function mostProfit(
  { market, gasPrice }: Question,
  edge: number,
  {
    priceFrom,
    priceTo,
    most,
  }: { readonly priceFrom: number; readonly priceTo: number; readonly most: number },
): number {
  pointAtPrice(market, edge, priceFrom / priceTo, point)
  const input = Math.min(point.x, most)
  const output = edgeOutput(market, edge, input)
  return priceTo * output - priceFrom * input - gasOf(market, edge) * gasPrice
}

/** The least that a way from `origin` to each token lacks; infinite where none leads. */
function leastLack({
  size,
  origin,
  froms,
  tos,
  lacks,
}: {
  readonly size: number
  readonly origin: number
  readonly froms: readonly number[]
  readonly tos: readonly number[]
  readonly lacks: Float64Array
}): Float64Array {
  const least = new Float64Array(size).fill(Number.POSITIVE_INFINITY)
  least[origin] = 0
  for (let hasFallen = true; hasFallen; ) {
    hasFallen = false
    for (const [k, from] of froms.entries()) {
      const to = tos[k] as number
      const lack = (least[from] as number) + (lacks[k] as number)
      if (!(lack < (least[to] as number))) continue
      least[to] = lack
      hasFallen = true
    }
  }
  return least
}
