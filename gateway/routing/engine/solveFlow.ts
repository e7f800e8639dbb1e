import { type EdgePoint, pointOnCurve } from './edgeCurve.ts'
import type { Effort } from './effort.ts'
import type { Market } from './market.ts'
import { at } from './pieces.ts'
import { createLaplacian } from './solveLaplacian.ts'

/** A set of edges without a cycle between tokenIn and tokenOut, and the amount to bring through it. */
export type FlowProblem = {
  readonly tokenIn: number
  readonly tokenOut: number
  readonly amountIn: number
  readonly edges: readonly number[]
  readonly effort: Effort
  /** Work to stop after. */
  readonly maxWork?: number | undefined
}

/**
 * The best flow: what each edge takes, and each token's price in units of tokenOut. `value` is the
 * dual optimum, which no flow over these edges can exceed.
 */
export type FlowSolution = {
  readonly edges: readonly number[]
  readonly inputs: Float64Array
  readonly outputs: Float64Array
  readonly value: number
  /** Greatest imbalance of a token against the whole; near 0 when the prices are the best. */
  readonly imbalance: number
  /** Natural log of the price, per token of the market; NaN for tokens outside the flow. */
  readonly logPrices: Float64Array
}

const maxIterations = 60
/** Relative imbalance that changes nothing in the amounts any more. */
const balanced = 1e-11
/** A node that is off by more than this part of its turnover is first balanced on its own. */
const farOff = 0.2
const maxStep = 1.5
const maxLineTries = 28
/** Work per edge after which a set of edges counts as one that cannot be balanced. */
const patiencePerEdge = 1_000
/** A point on a curve takes about as long as this many looks at an edge. */
const evaluationWeight = 3

/**
 * Minimises `price_in * amountIn + sum over edges of the profit at these prices` over the log prices
 * of the tokens. At the minimum every token's inflow equals its outflow, which is the best split.
 * Damped Newton steps (the Hessian is a weighted graph Laplacian); where pools run out or prices jump
 * a step stalls, and single tokens are balanced one by one until it goes on.
 */
export function solveFlow(
  market: Market,
  problem: FlowProblem,
  startLogPrices: Float64Array,
): FlowSolution {
  const system = createSystem(market, problem, startLogPrices)
  const { effort, edges } = problem
  const mostSpent = effort.spent + (problem.maxWork ?? patiencePerEdge * edges.length)
  let value = system.balanceNodes(farOff)
  for (let iteration = 0; iteration < maxIterations && effort.spent < mostSpent; iteration++) {
    const imbalance = system.imbalance()
    if (imbalance < balanced) break
    const before = value
    value = system.stepNewton(value, Math.min(0.1, imbalance))
    if (!(value < before - Math.abs(before) * 1e-15)) break
  }
  return {
    edges,
    inputs: system.inputs,
    outputs: system.outputs,
    value,
    imbalance: system.imbalance(),
    logPrices: system.logPrices(),
  }
}

function listNodes(market: Market, { tokenIn, tokenOut, edges }: FlowProblem): number[] {
  const nodes = new Set([tokenIn])
  for (const edge of edges) nodes.add(market.edgeFrom[edge] as number)
  for (const edge of edges) nodes.add(market.edgeTo[edge] as number)
  nodes.delete(tokenOut)
  return [...nodes]
}

/** The edges by the places of their ends; the last place is tokenOut. */
function placeEdges(market: Market, problem: FlowProblem) {
  const { edges } = problem
  const nodes = listNodes(market, problem)
  const size = nodes.length
  const places = new Map(nodes.map((node, place) => [node, place]))
  const tails = edges.map((edge) => places.get(market.edgeFrom[edge] as number) ?? size)
  const heads = edges.map((edge) => places.get(market.edgeTo[edge] as number) ?? size)
  const touching: number[][] = Array.from({ length: size + 1 }, () => [])
  for (let k = 0; k < edges.length; k++) {
    touching[tails[k] as number]?.push(k)
    touching[heads[k] as number]?.push(k)
  }
  const curves = edges.map((edge) => at(market.curves, edge))
  return { nodes, size, tails, heads, touching, curves }
}

function createSystem(market: Market, problem: FlowProblem, startLogPrices: Float64Array) {
  const { edges, amountIn, tokenOut, effort } = problem
  const { nodes, size, tails, heads, touching, curves } = placeEdges(market, problem)
  /** That of tokenOut stays 0. */
  const logs = new Float64Array(size + 1)
  for (const [k, node] of nodes.entries()) logs[k] = startLogPrices[node] as number
  const prices = new Float64Array(size + 1)
  const inputs = new Float64Array(edges.length)
  const outputs = new Float64Array(edges.length)
  const weights = new Float64Array(edges.length)
  const gradient = new Float64Array(size + 1)
  const turnover = new Float64Array(size + 1)
  const damping = new Float64Array(size)
  const laplacian = createLaplacian(size, tails, heads)
  const from = new Float64Array(size + 1)
  const point: EdgePoint = { x: 0, y: 0, slope: 0 }

  function evaluate(): number {
    effort.spent += evaluationWeight * edges.length
    gradient.fill(0)
    turnover.fill(0)
    for (let k = 0; k <= size; k++) prices[k] = Math.exp(logs[k] as number)
    const brought = (prices[0] as number) * amountIn
    gradient[0] = brought
    turnover[0] = brought
    let value = brought
    for (let k = 0; k < edges.length; k++) {
      const tail = tails[k] as number
      const head = heads[k] as number
      const priceTail = prices[tail] as number
      const priceHead = prices[head] as number
      pointOnCurve(curves[k], priceTail / priceHead, point)
      const paid = priceTail * point.x
      const earned = priceHead * point.y
      inputs[k] = point.x
      outputs[k] = point.y
      weights[k] = priceTail * point.slope
      value += earned - paid
      gradient[tail] = (gradient[tail] as number) - paid
      gradient[head] = (gradient[head] as number) + earned
      turnover[tail] = (turnover[tail] as number) + paid
      turnover[head] = (turnover[head] as number) + earned
    }
    return value
  }

  /** Greatest imbalance of a node, against the value of the whole. */
  function imbalance(): number {
    let most = 0
    for (let k = 0; k < size; k++) most = Math.max(most, Math.abs(gradient[k] as number))
    return most / Math.max(turnover[0] as number, turnover[size] as number)
  }

  /** How the value changes along `step` at the current prices. */
  function slopeAlong(step: Float64Array): number {
    let slope = 0
    for (let k = 0; k < size; k++) slope += (step[k] as number) * (gradient[k] as number)
    return slope
  }

  function stepNewton(value: number, damp: number): number {
    const least = (turnover[0] as number) * 1e-9
    for (let k = 0; k < size; k++) damping[k] = damp * Math.max(least, turnover[k] as number)
    laplacian.prepare(weights, damping)
    effort.spent += (size * size * (size + 8)) / 64
    const step = laplacian.solve(gradient.map((part) => -part))
    let largest = 0
    for (let k = 0; k < size; k++) largest = Math.max(largest, Math.abs(step[k] as number))
    from.set(logs)
    const goTo = (length: number) => {
      for (let k = 0; k < size; k++) logs[k] = (from[k] as number) + length * (step[k] as number)
      return evaluate()
    }
    const line = { goTo, slope: () => slopeAlong(step) }
    return searchLine(line, { value, firstLength: Math.min(1, maxStep / largest) })
  }

  /** Inflow less outflow of one node at a log price, over its turnover. */
  function excessAt(place: number, log: number): number {
    let excess = place === 0 ? amountIn : 0
    let moved = excess
    const ends = touching[place] as readonly number[]
    effort.spent += evaluationWeight * ends.length
    for (const k of ends) {
      if (tails[k] === place) {
        pointOnCurve(curves[k], Math.exp(log - (logs[heads[k] as number] as number)), point)
        excess -= point.x
        moved += point.x
      } else {
        pointOnCurve(curves[k], Math.exp((logs[tails[k] as number] as number) - log), point)
        excess += point.y
        moved += point.y
      }
    }
    return moved === 0 ? 0 : excess / moved
  }

  return {
    inputs,
    outputs,
    imbalance,
    stepNewton,
    /** Balances, one after the other, the nodes that are off by more than `limit` of their turnover. */
    balanceNodes(limit: number): number {
      let value = evaluate()
      let moved = false
      for (let place = size - 1; place >= 0; place--) {
        if (Math.abs(gradient[place] as number) <= limit * (turnover[place] as number)) continue
        logs[place] = findBalance((log) => excessAt(place, log), logs[place] as number)
        moved = true
      }
      if (moved) value = evaluate()
      return value
    },
    logPrices(): Float64Array {
      const logPrices = new Float64Array(market.tokens.length).fill(Number.NaN)
      for (const [k, node] of nodes.entries()) logPrices[node] = logs[k] as number
      logPrices[tokenOut] = 0
      return logPrices
    },
  }
}

type Line = {
  /** Moves to so much of the step; the value there. */
  readonly goTo: (length: number) => number
  /** How the value changes along the step where it is now. */
  readonly slope: () => number
}

/**
 * Goes along a step to where the value stops falling (its slope is a tenth of the first): the value is
 * convex, but bends sharply where a pool's liquidity changes.
 */
function searchLine(
  { goTo, slope: slopeHere }: Line,
  { value, firstLength }: { readonly value: number; readonly firstLength: number },
): number {
  const start = slopeHere()
  let low = 0
  let lowSlope = start
  let high = Number.POSITIVE_INFINITY
  let highSlope = 0
  let length = firstLength
  for (let tries = 0; tries < maxLineTries; tries++) {
    const next = goTo(length)
    const slope = slopeHere()
    if (Math.abs(slope) <= -0.1 * start && next <= value) return next
    if (slope < 0) {
      low = length
      lowSlope = slope
      if (length >= firstLength * 8) return next
    } else {
      high = length
      highSlope = slope
    }
    if (high === Number.POSITIVE_INFINITY) length *= 2
    else if (tries % 2 === 1) length = (low + high) / 2
    else length = low + ((high - low) * lowSlope) / (lowSlope - highSlope)
  }
  // At a bend: stop behind it, so that the next step knows the liquidity there.
  const behind = high < Number.POSITIVE_INFINITY ? goTo(high) : value
  return behind < value ? behind : goTo(low)
}

/** The log price near `start` at which as much flows into a node as out of it. */
function findBalance(excessAt: (log: number) => number, start: number): number {
  const here = excessAt(start)
  if (here === 0) return start
  let low = start
  let high = start
  for (let width = 1e-3; width < 64; width *= 4) {
    if (here > 0) low = high - width
    else high = low + width
    const there = excessAt(here > 0 ? low : high)
    if (here > 0 ? there <= 0 : there >= 0) break
  }
  for (let tries = 0; tries < 40 && high - low > 1e-9; tries++) {
    const middle = (low + high) / 2
    const excess = excessAt(middle)
    if (excess > 0) high = middle
    else low = middle
    if (Math.abs(excess) < 1e-3) break
  }
  return (low + high) / 2
}
