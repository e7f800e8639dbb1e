import { bestRate, type Market } from '../../routing/engine/market.ts'
import { at } from '../../routing/engine/pieces.ts'
import { curveOutput } from '../../routing/protocols/maths/curve.ts'
import type { Question } from './question.ts'

/** Passes of sums over the pools that a token comes through: each allows less than the one before. */
const passes = 8

/**
 * The most that any route over these edges sends into each: of a token no more arrives than its best chain
 * brings at first rates, nor than all pools together give for what can arrive before them.
 */
export function mostInputs(question: Question, edges: readonly number[]): Float64Array {
  const { market, tokenIn, amountIn } = question
  const arriving = mostByChain(question, edges)
  for (let pass = 0; pass < passes; pass++) {
    const sums = new Float64Array(arriving.length)
    for (const edge of edges) {
      const to = market.edgeTo[edge] as number
      const most = arriving[market.edgeFrom[edge] as number] as number
      sums[to] = (sums[to] as number) + outputOf(market, edge, most)
    }
    sums[tokenIn] = amountIn
    for (const [token, sum] of sums.entries())
      arriving[token] = Math.min(arriving[token] as number, sum)
  }
  return Float64Array.from(edges, (edge) => {
    const curve = at(market.curves, edge)
    return Math.min(
      arriving[market.edgeFrom[edge] as number] as number,
      curve?.x[curve.count] as number,
    )
  })
}

/** A route has no circle, so what arrives came by chains that visit no token twice. */
function mostByChain(
  { market, tokenIn, amountIn }: Question,
  edges: readonly number[],
): Float64Array {
  const most = new Float64Array(market.tokens.length)
  most[tokenIn] = amountIn
  const tokens = new Set(edges.map((edge) => market.edgeFrom[edge]))
  let hasRisen = true
  for (let hop = 0; hop < tokens.size && hasRisen; hop++) {
    hasRisen = false
    for (const edge of edges) {
      const to = market.edgeTo[edge] as number
      const amount = (most[market.edgeFrom[edge] as number] as number) * bestRate(market, edge)
      if (!(amount > (most[to] as number))) continue
      most[to] = amount
      hasRisen = true
    }
  }
  return most
}

function outputOf(market: Market, edge: number, amount: number): number {
  const curve = at(market.curves, edge)
  return curve ? curveOutput(curve, amount) : 0
}
