import type { Market } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { findLeastInput } from './replayShares.ts'

/** Route evaluations in one answer: what the 16 quota units pay for. */
export const mostEvaluations = 16
/** Stop when a better route saves less than this part of the input. */
const negligiblePart = 1_000_000n
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
  readonly search: Search
}

export type Solution = { readonly evaluations: number } & (
  | { readonly status: 'solved'; readonly route: Route }
  /** `shown` is what the whole of `most` gives; where that is nothing, some route between the tokens. */
  | { readonly status: 'unreachable'; readonly shown: Route; readonly isLimit: boolean }
  | { readonly status: 'no_route' }
)

/** The route that gives `target` for the least input, found by at most 16 exact-input searches. */
export async function solveInput(parameters: SolveParameters): Promise<Solution> {
  const { tokenIn, tokenOut, target, most } = parameters
  let evaluations = 0
  const search: Search = async (question) => {
    if (evaluations >= mostEvaluations) return undefined
    evaluations += 1
    return parameters.search(question)
  }
  const counted = { ...parameters, search }
  const limit = await search({ tokenIn, tokenOut, amountIn: most })
  const isEnough = limit !== undefined && limit.amountOut >= target
  const first = isEnough ? limit : await approach(counted)
  const route = first && (await improve(counted, first))
  if (route) return { status: 'solved', route, evaluations }
  // Too little to give anything is not the same as no way from token to token.
  const shown = limit ?? (await search({ tokenIn, tokenOut, amountIn: anyAmount }))
  return shown
    ? { status: 'unreachable', shown, isLimit: limit !== undefined, evaluations }
    : { status: 'no_route', evaluations }
}

/**
 * From below, where all of `most` is more than the pools can make sense of: what selling the target
 * back would bring is a little less than it costs; from there by the price met so far.
 */
async function approach({
  tokenIn,
  tokenOut,
  target,
  most,
  search,
}: SolveParameters): Promise<Route | undefined> {
  const back = await search({ tokenIn: tokenOut, tokenOut: tokenIn, amountIn: target })
  let amountIn = back?.amountOut ?? 0n
  let given = 0n
  while (amountIn > 0n && amountIn < most) {
    const route = await search({ tokenIn, tokenOut, amountIn })
    if (!route || route.amountOut >= target) return route
    // Twice as much that gives no more: the pools are empty.
    if (route.amountOut <= given) return undefined
    given = route.amountOut
    const byPrice = (amountIn * target) / given
    amountIn = byPrice + byPrice / 100n + 1n
  }
  return undefined
}

/**
 * From a route that gives enough to the one that gives just enough: shrink its input to the least, ask
 * for the best route at that input, and again, until nothing is gained.
 */
async function improve(
  { market, tokenIn, tokenOut, target, search }: SolveParameters,
  first: Route,
): Promise<Route | undefined> {
  const shrink = (route: Route) =>
    route.steps.length === 0
      ? { ...route, amountIn: target, amountOut: target }
      : findLeastInput(market, { tokenIn, tokenOut, route, target, atMost: route.amountIn })
  let best = shrink(first)
  while (best) {
    const better = await search({ tokenIn, tokenOut, amountIn: best.amountIn })
    const shrunk = better && better.amountOut >= target ? shrink(better) : undefined
    if (!shrunk || shrunk.amountIn >= best.amountIn) break
    const saved = best.amountIn - shrunk.amountIn
    const isNegligible = saved * negligiblePart < best.amountIn
    best = shrunk
    if (isNegligible) break
  }
  return best
}
