import { greater, lesser } from '../amounts/amounts.ts'
import type { Market } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { findLeastInput, replayShares } from './replayShares.ts'

/** Route evaluations in one answer: what the 16 quota units pay for. */
export const mostEvaluations = 16
/** A route searched for at an input this near, as a part of it, is that of the input. */
const nearPart = 10_000n
/** Gives something of any token, and fits into any pool of note. */
const anyAmount = 10n ** 18n

type Search = (question: {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
}) => Promise<Route | undefined>

export type SolveParameters = {
  readonly market: Market
  readonly tokenIn: string
  readonly tokenOut: string
  readonly target: bigint
  /** The most that may go in. */
  readonly most: bigint
  /** What a unit of gas is worth of the token sold. */
  readonly gasPrice: number
  readonly search: Search
  readonly mostSearches?: number | undefined
}

export type Solution = { readonly evaluations: number } & (
  | { readonly status: 'solved'; readonly route: Route }
  /** `shown` is what the whole of `most` gives; where that is nothing, some route between the tokens. */
  | { readonly status: 'unreachable'; readonly shown: Route; readonly isLimit: boolean }
  | { readonly status: 'no_route' }
)

/**
 * The route that gives `target` for the least input and gas, found by at most 16 exact-input searches: the
 * one that a quote of its input takes, whatever `most` may be.
 */
export async function solveInput(parameters: SolveParameters): Promise<Solution> {
  const { tokenIn, tokenOut, target, most, mostSearches = mostEvaluations } = parameters
  let evaluations = 0
  const search: Search = async (question) => {
    if (evaluations >= mostSearches) return undefined
    evaluations += 1
    return parameters.search(question)
  }
  const counted = { ...parameters, search }
  // What selling the target back would bring is a little less than it costs.
  const back = await search({ tokenIn: tokenOut, tokenOut: tokenIn, amountIn: target })
  const start = back ? lesser(back.amountOut, most) : most
  const near = await approach(counted, start)
  if (near) return { status: 'solved', route: near, evaluations }
  const limit = await search({ tokenIn, tokenOut, amountIn: most })
  const isEnough = limit !== undefined && limit.amountOut >= target
  const route = isEnough ? await approach(counted, limit.amountIn) : undefined
  if (route) return { status: 'solved', route, evaluations }
  // Too little to give anything is not the same as no way from token to token.
  const shown = limit ?? (await search({ tokenIn, tokenOut, amountIn: anyAmount }))
  return shown
    ? { status: 'unreachable', shown, isLimit: limit !== undefined, evaluations }
    : { status: 'no_route', evaluations }
}

/**
 * Searches at a size, brings what is found to the target, and searches again at the input that takes,
 * until a route was searched for at the size it is used at.
 */
async function approach(parameters: SolveParameters, start: bigint): Promise<Route | undefined> {
  const { tokenIn, tokenOut, target, most, gasPrice, search } = parameters
  const costOf = ({ amountIn, gas }: Route) => Number(amountIn) + gas * gasPrice
  let best: Route | undefined
  let size = start
  let given = 0n
  for (;;) {
    const found = await search({ tokenIn, tokenOut, amountIn: size })
    if (!found) return best
    const fit = toTarget(parameters, found)
    if (fit) {
      const isBetter = !best || costOf(fit) < costOf(best)
      if (isBetter) best = fit
      if (!isBetter || isNear(fit.amountIn, size)) return best
      size = fit.amountIn
    } else {
      // Twice as much that gives no more: the pools are empty.
      if (size >= most || found.amountOut <= given) return best
      // Near the end of the pools prices tell too little, and each step would be smaller than the last.
      const atLeast = given > 0n ? 2n * size : size
      given = found.amountOut
      const byPrice = (size * target) / given
      size = lesser(greater(byPrice + byPrice / 100n + 1n, atLeast), most)
    }
  }
}

/** A route with the least input for which its steps give the target. */
function toTarget(
  { market, tokenIn, tokenOut, target, most }: SolveParameters,
  route: Route,
): Route | undefined {
  let enough: Route | undefined = route
  for (let round = 0; enough && enough.amountOut < target; round += 1) {
    const { amountIn, amountOut }: Route = enough
    const byPrice = (amountIn * target) / amountOut
    const more = lesser(byPrice + byPrice / 100n + 1n, most)
    if (round >= mostRounds || more <= amountIn) return undefined
    enough = replayShares(market, { tokenIn, tokenOut, route, amountIn: more })?.route
  }
  return (
    enough && findLeastInput(market, { tokenIn, tokenOut, route, target, atMost: enough.amountIn })
  )
}
/** A route whose pools give so little more for more is better searched for at a greater size. */
const mostRounds = 4

function isNear(one: bigint, other: bigint): boolean {
  const off = one < other ? other - one : one - other
  return off * nearPart <= one
}
