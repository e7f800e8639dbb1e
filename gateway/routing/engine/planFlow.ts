import { edgeOutput } from './edgeCurve.ts'
import type { Market } from './market.ts'
import { at } from './pieces.ts'
import type { Plan } from './replayRoute.ts'

export type PlannedFlow = {
  readonly plan: Plan
  readonly output: number
  /** Part of the input that found no room, 0 … 1. */
  readonly unsold: number
}

type Flow = {
  readonly tokenIn: number
  readonly tokenOut: number
  readonly amountIn: number
  readonly edges: readonly number[]
  readonly inputs: ArrayLike<number>
}

/** Parts below this are left to the other sellers of the token. */
const leastPart = 1e-9
const roomMargin = 1e-7
const maxRuns = 12

/**
 * Puts the edges of a flow in execution order and runs it forward: each token's sellers share what
 * really arrived, in the proportions of the flow, none above its capacity. Where a token's sellers
 * cannot take all, its buyers are held back and it is run again.
 */
export function planFlow(market: Market, flow: Flow): PlannedFlow | undefined {
  const order = orderTokens(market, flow)
  if (!order) return undefined
  const limits = flow.edges.map((edge) => roomOf(market, edge))
  let planned = runFlow(market, flow, order, limits)
  for (let run = 1; run < maxRuns && planned.crowded.size > 0; run++) {
    for (const [k, edge] of flow.edges.entries()) {
      const kept = planned.crowded.get(market.edgeTo[edge] as number)
      const taken = planned.taken[k] as number
      if (kept !== undefined && taken > 0) limits[k] = taken * kept * (1 - roomMargin)
    }
    planned = runFlow(market, flow, order, limits)
  }
  return planned.crowded.size > 0 ? undefined : planned
}

/** What an edge surely takes: a hair under its capacity. */
function roomOf(market: Market, edge: number): number {
  const curve = at(market.curves, edge)
  return curve ? (curve.x[curve.count] as number) * (1 - roomMargin) : 0
}

function runFlow(market: Market, flow: Flow, order: readonly number[], limits: readonly number[]) {
  const balances = new Map<number, number>([[flow.tokenIn, flow.amountIn]])
  const plan: { edge: number; flow: number }[] = []
  const taken = new Float64Array(flow.edges.length)
  /** Tokens (not tokenIn) that could not be sold whole, and the part that was. */
  const crowded = new Map<number, number>()
  let unsold = 0
  for (const token of order) {
    const balance = balances.get(token) ?? 0
    if (token === flow.tokenOut || !(balance > 0)) continue
    let sold = 0
    for (const sale of shareOut(market, flow, { token, balance, limits })) {
      const edge = flow.edges[sale.k] as number
      const to = market.edgeTo[edge] as number
      balances.set(to, (balances.get(to) ?? 0) + edgeOutput(market, edge, sale.flow))
      taken[sale.k] = sale.flow
      sold += sale.flow
      plan.push({ edge, flow: sale.flow })
    }
    if (sold >= balance * (1 - 1e-9)) continue
    if (token === flow.tokenIn) unsold = 1 - sold / balance
    else crowded.set(token, sold / balance)
  }
  return { plan, taken, crowded, unsold, output: balances.get(flow.tokenOut) ?? 0 }
}

type Sale = { readonly k: number; readonly flow: number; readonly isFull: boolean }

/** The last seller takes the rest with all rounding: the greatest of those that are not full. */
function shareOut(
  market: Market,
  flow: Flow,
  { token, balance, limits }: { token: number; balance: number; limits: readonly number[] },
): Sale[] {
  const sellers: { k: number; weight: number; room: number }[] = []
  for (const [k, edge] of flow.edges.entries())
    if (market.edgeFrom[edge] === token)
      sellers.push({ k, weight: flow.inputs[k] as number, room: limits[k] as number })
  const all = sellers.reduce((sum, seller) => sum + seller.weight, 0)
  const kept = sellers.filter((seller) => seller.weight > all * leastPart)
  let weights = kept.reduce((sum, seller) => sum + seller.weight, 0)
  kept.sort((one, other) => one.weight / one.room - other.weight / other.room)
  let left = balance
  const sales: Sale[] = []
  for (let seller = kept.pop(); seller; seller = kept.pop()) {
    const part = Math.min((left * seller.weight) / weights, seller.room)
    weights -= seller.weight
    left -= part
    if (part > 0) sales.push({ k: seller.k, flow: part, isFull: part === seller.room })
  }
  return sales.sort(
    (one, other) =>
      Number(other.isFull) - Number(one.isFull) || one.flow - other.flow || one.k - other.k,
  )
}

/** Tokens so that every seller of a token comes before its buyers; undefined when there is a cycle. */
function orderTokens(market: Market, flow: Flow): number[] | undefined {
  const active = flow.edges.filter((_edge, k) => (flow.inputs[k] as number) > 0)
  const arrivals = new Map<number, number>([[flow.tokenIn, 0]])
  for (const edge of active) {
    const to = market.edgeTo[edge] as number
    arrivals.set(to, (arrivals.get(to) ?? 0) + 1)
    const from = market.edgeFrom[edge] as number
    arrivals.set(from, arrivals.get(from) ?? 0)
  }
  const order: number[] = []
  const ready = [...arrivals].filter(([, count]) => count === 0).map(([token]) => token)
  for (let token = ready.pop(); token !== undefined; token = ready.pop()) {
    order.push(token)
    for (const edge of active) {
      if (market.edgeFrom[edge] !== token) continue
      const to = market.edgeTo[edge] as number
      const left = (arrivals.get(to) ?? 0) - 1
      arrivals.set(to, left)
      if (left === 0) ready.push(to)
    }
  }
  return order.length === arrivals.size ? order : undefined
}
