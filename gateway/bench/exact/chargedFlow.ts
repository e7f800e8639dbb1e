import type { Highs } from 'highs'
import { edgeOutput, marginalRate } from '../../routing/engine/edgeCurve.ts'
import { gasOf } from '../../routing/engine/market.ts'
import { createProgram, type Entry, type Program, solve } from './program.ts'
import type { Question } from './question.ts'
import type { Tangents } from './tangents.ts'

/** What a program is made of: amounts in it are parts of `net`. */
export type ChargedFlow = {
  readonly edges: readonly number[]
  /** Of each edge, what it takes at most. */
  readonly most: Float64Array
  /** What a unit of each token is worth, about. */
  readonly prices: Float64Array
  /** What is known to be reached. */
  readonly net: number
  readonly tangents: Tangents
}

/** By edge: what it takes and gives, in units of its tokens, and how much of its gas it pays. */
export type Taken = {
  readonly inputs: Float64Array
  readonly outputs: Float64Array
  readonly used: Float64Array
}

export type Answer =
  /** Nothing nets more than `net`. */
  | { readonly status: 'none' }
  | { readonly status: 'late'; readonly bound: number }
  | {
      readonly status: 'solved'
      readonly bound: number
      readonly taken: Taken
      /** By edge, no route through it nets more. */
      readonly through: Float64Array
    }

/**
 * The best flow where an edge costs its gas as soon as it takes anything, a mixed-integer program; or where its gas
 * may be paid in parts, which bounds no less. What is answered bounds all routes over these edges, since tangents
 * lie above the curves and it may do more than a route: close circles, leave something over.
 */
export function solveFlow(
  highs: Highs,
  question: Question,
  flow: ChargedFlow,
  { isWhole, seconds }: { readonly isWhole: boolean; readonly seconds: number },
): Answer {
  const { program } = draftFlow(question, flow)
  connect(program, question, flow)
  const costs = program.columns.flatMap(({ cost }, k): Entry[] => (cost === 0 ? [] : [[k, cost]]))
  program.rows.push({ entries: costs, lower: 1, upper: Number.POSITIVE_INFINITY })
  const { net, edges } = flow
  const answer = solve(highs, program, { wholeEach: isWhole ? columnsEach : undefined, seconds })
  if (answer.status === 'infeasible') return { status: 'none' }
  const bound = net * answer.bound
  if (answer.status === 'late') return { status: 'late', bound }
  const { values, reducedCosts } = answer
  const through = Float64Array.from(edges, (_edge, k) => {
    const use = columnsEach * k + 2
    // What the solver would lose by a first use of it.
    const isIdle = !isWhole && values[use] === 0
    return bound - (isIdle ? net * Math.abs(reducedCosts[use] as number) : 0)
  })
  return { status: 'solved', bound, taken: readTaken(question, flow, values), through }
}

/**
 * Where gas is paid in parts, and any amount of a token is had for `1 + width` times its price and left for
 * `1 - width` times it: so prices come out within these, where the Lagrangian bound is least; undefined
 * where the solver ended before.
 */
export function solvePrices(
  highs: Highs,
  question: Question,
  flow: ChargedFlow,
  width: number,
): { readonly prices: Float64Array; readonly taken: Taken } | undefined {
  const { program, tokens } = draftFlow(question, flow)
  const { rows, columns } = program
  const upper = Number.POSITIVE_INFINITY
  for (const k of tokens.keys()) {
    const bought = columns.push({ cost: -(1 + width), upper }) - 1
    const left = columns.push({ cost: 1 - width, upper }) - 1
    rows[k]?.entries.push([bought, -1], [left, 1])
  }
  const answer = solve(highs, program, {})
  if (answer.status === 'infeasible') throw new Error('idle edges are a solution')
  if (answer.status === 'late') return undefined
  const prices = flow.prices.slice()
  for (const [k, token] of tokens.entries())
    prices[token] = (prices[token] as number) * Math.abs(answer.rowPrices[k] as number)
  return { prices, taken: readTaken(question, flow, answer.values) }
}

/** What an edge takes, what it gives, both in parts of `net`, and whether it is used. */
const columnsEach = 3

/** The first rows are those of `tokens`: what is sold of each is no more than what arrives. */
function draftFlow(
  { market, tokenIn, tokenOut, amountIn, gasPrice }: Question,
  { edges, most, prices, net, tangents }: ChargedFlow,
): { readonly program: Program; readonly tokens: readonly number[] } {
  const scale = (token: number) => (prices[token] as number) / net
  const sold = new Map<number, Entry[]>([[tokenIn, []]])
  const { columns, rows } = createProgram()
  for (const [k, edge] of edges.entries()) {
    const from = market.edgeFrom[edge] as number
    const to = market.edgeTo[edge] as number
    const ceiling = (most[k] as number) * scale(from)
    const input = columnsEach * k
    const [output, use] = [input + 1, input + 2]
    columns.push(
      { cost: 0, upper: ceiling },
      { cost: to === tokenOut ? 1 : 0, upper: Number.POSITIVE_INFINITY },
      { cost: (-gasOf(market, edge) * gasPrice) / net, upper: 1 },
    )
    const hold = (...entries: Entry[]) => rows.push(atMost(0, entries))
    hold([input, 1], [use, -ceiling])
    for (const x of tangents.of(edge)) {
      const slope = marginalRate(market, edge, x)
      const start = edgeOutput(market, edge, x) - slope * x
      hold([output, 1], [input, (-slope * scale(to)) / scale(from)], [use, -start * scale(to)])
    }
    listOf(sold, from).push([input, 1])
    if (to !== tokenOut) listOf(sold, to).push([output, -1])
  }
  const tokens = [...sold.keys()]
  const balances = tokens.map((token) =>
    atMost(token === tokenIn ? amountIn * scale(tokenIn) : 0, listOf(sold, token)),
  )
  return { program: { columns, rows: [...balances, ...rows] }, tokens }
}

/** Each pool once; nothing is sold that nobody buys, or bought that nobody sells. */
function connect({ rows }: Program, { market, tokenIn, tokenOut }: Question, flow: ChargedFlow) {
  const pools = new Map<number, Entry[]>()
  const sellers = new Map<number, number[]>()
  const buyers = new Map<number, number[]>()
  for (const [k, edge] of flow.edges.entries()) {
    const use = columnsEach * k + 2
    listOf(pools, market.edgePool[edge] as number).push([use, 1])
    listOf(sellers, market.edgeFrom[edge] as number).push(use)
    listOf(buyers, market.edgeTo[edge] as number).push(use)
  }
  for (const entries of pools.values()) if (entries.length > 1) rows.push(atMost(1, entries))
  const tie = (ones: Map<number, number[]>, others: Map<number, number[]>, end: number) => {
    for (const [token, uses] of ones) {
      if (token === end) continue
      const needed = listOf(others, token).map((use): Entry => [use, -1])
      for (const use of uses) rows.push(atMost(0, [[use, 1], ...needed]))
    }
  }
  tie(sellers, buyers, tokenIn)
  tie(buyers, sellers, tokenOut)
}

const atMost = (upper: number, entries: Entry[]) => ({
  entries,
  lower: Number.NEGATIVE_INFINITY,
  upper,
})

function listOf<member>(lists: Map<number, member[]>, key: number): member[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

function readTaken(
  { market }: Question,
  { edges, prices, net }: ChargedFlow,
  values: Float64Array,
): Taken {
  const part = (k: number, column: number) => (values[columnsEach * k + column] as number) * net
  const price = (token: number | undefined) => prices[token as number] as number
  return {
    inputs: Float64Array.from(edges, (edge, k) => part(k, 0) / price(market.edgeFrom[edge])),
    outputs: Float64Array.from(edges, (edge, k) => part(k, 1) / price(market.edgeTo[edge])),
    used: Float64Array.from(edges, (_edge, k) => values[columnsEach * k + 2] as number),
  }
}
