import type { Highs } from 'highs'
import { type Answer, solveFlow } from './chargedFlow.ts'
import { descendPrices, holdNear } from './descendPrices.ts'
import { mostInputs } from './mostInputs.ts'
import type { Question } from './question.ts'
import { relax } from './relax.ts'
import { createTangents, type Tangents } from './tangents.ts'

export type ExactBound = {
  /** No route nets more. */
  readonly bound: number
  /** The steps of flows that were found on the way, of which some may net more. */
  readonly flows: readonly (readonly number[])[]
}

export type Start = {
  /** All that a route may go through. */
  readonly edges: readonly number[]
  /** Of every token at their ends, above 0. */
  readonly prices: Float64Array
  /** What a route is known to net. */
  readonly net: number
  readonly seconds: number
}

type State = {
  readonly highs: Highs
  readonly question: Question
  readonly net: number
  /** What nets no more than this is not looked for. */
  readonly least: number
  readonly until: number
  readonly tangents: Tangents
  edges: readonly number[]
  prices: Float64Array
  bound: number
}

/** A part of what a route nets: what is nearer to it counts as reached, and to a curve as on it. */
const enough = 1e-6
const maxRounds = 60

/**
 * The least proven bound of what routes net, in four steps, each over the edges that the ones before could not
 * leave out: the Lagrangian bound at the given prices, at the best prices, the linear program, the one with whole
 * steps. True to the tolerances of the solver, some billionths.
 */
export function boundExactly(
  highs: Highs,
  question: Question,
  { edges, prices, net, seconds }: Start,
): ExactBound {
  const state: State = {
    highs,
    question,
    net,
    least: net * (1 + enough),
    until: performance.now() + seconds * 1_000,
    tangents: createTangents(question.market),
    edges,
    prices,
    bound: Number.POSITIVE_INFINITY,
  }
  narrow(state)
  const width = descend(state)
  holdNear(question, { ...state, most: mostInputs(question, state.edges) }, width)
  payParts(state)
  const flows = payWhole(state)
  return { bound: Math.max(state.bound, state.least), flows }
}

function isOver({ bound, least, until }: State): boolean {
  return bound <= least || performance.now() >= until
}

/** Leaves out what no route that nets more than `least` goes through, at these prices; what the rest nets at most. */
function narrow(state: State): number {
  const { question, prices, least } = state
  for (;;) {
    const most = mostInputs(question, state.edges)
    const { bound, whole, through } = relax(question, state.edges, { prices, most })
    state.bound = Math.min(state.bound, bound)
    const edges = state.edges.filter((_, k) => (through[k] as number) > least)
    if (edges.length === state.edges.length) return whole
    state.edges = edges
  }
}

const [firstWidth, lastWidth] = [1e-3, 0.5]
/** A step in prices that lowers the bound by a smaller part of `net` is the last. */
const leastGain = 1e-7

/** To the best prices; how far the last step could have gone. */
function descend(state: State): number {
  const { highs, question, net } = state
  let width = firstWidth
  let lowest = Number.POSITIVE_INFINITY
  for (let round = 0; round < maxRounds && !isOver(state); round++) {
    const before = state.prices
    state.prices = descendPrices(highs, question, {
      ...state,
      width,
      isOver: () => isOver(state),
    })
    const next = narrow(state)
    if (next > lowest) state.prices = before
    if (!(next < lowest - leastGain * net)) break
    lowest = next
    width = Math.min(lastWidth, 2 * width)
  }
  return width
}

function solve(state: State, isWhole: boolean): Answer {
  const { highs, question, edges, until } = state
  const most = mostInputs(question, edges)
  const seconds = (until - performance.now()) / 1_000
  const answer = solveFlow(highs, question, { ...state, most }, { isWhole, seconds })
  state.bound = Math.min(state.bound, answer.status === 'none' ? state.least : answer.bound)
  return answer
}

function payParts(state: State): void {
  const { tangents, net: unit, least } = state
  while (!isOver(state)) {
    const { edges, prices } = state
    const answer = solve(state, false)
    if (answer.status !== 'solved') return
    const above = tangents.hold(edges, { ...answer.taken, prices, unit })
    state.edges = edges.filter((_, k) => (answer.through[k] as number) > least)
    if (state.edges.length === edges.length && above < enough) return
  }
}

function payWhole(state: State): ExactBound['flows'] {
  const { tangents, net: unit, edges, prices } = state
  const flows: (readonly number[])[] = []
  while (!isOver(state)) {
    const answer = solve(state, true)
    if (answer.status !== 'solved') break
    const { used } = answer.taken
    flows.push(edges.filter((_, k) => (used[k] as number) > 0.5))
    if (tangents.hold(edges, { ...answer.taken, prices, unit }) < enough) break
  }
  return flows
}
