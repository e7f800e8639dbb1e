import { assert, suite } from '../../fixtures/test.ts'
import { generateMarket, generateTrades } from '../bench/routing/generateMarket.ts'
import { toEnginePool } from '../bench/routing/readPools.ts'
import { findRoute } from './engine/findRoute.ts'
import { createMarket } from './engine/market.ts'
import { nativePrices } from './engine/nativePrice.ts'
import { mostEvaluations, type Solution, solveInput } from './solveInput.ts'

const generated = generateMarket({ pools: 150, tokens: 25, seed: 11 })
const market = createMarket(generated.records.map(toEnginePool))
const { trades } = generateTrades(generated, 40)

type Pair = { readonly tokenIn: string; readonly tokenOut: string }
const route = (pair: Pair, amountIn: bigint, within = market) =>
  findRoute(within, {
    ...pair,
    amountIn,
    maxHops: 3,
    maxSteps: 12,
    maxWork: 1e7,
    deadlineMs: 10_000,
    gasPriceWei: 10_000_000n,
    nativeToken: generated.base,
    now: () => performance.now(),
  })

const gasPriceOf = (token: string) =>
  (nativePrices(market, generated.base)[market.tokenIndex.get(token) ?? -1] ?? 0) * 10_000_000

/** The solution, and how many searches it took by our own count. */
async function solve(parameters: Pair & { readonly target: bigint; readonly most: bigint }) {
  let searches = 0
  const solution = await solveInput({
    market,
    ...parameters,
    gasPrice: gasPriceOf(parameters.tokenIn),
    search: async ({ amountIn, ...pair }) => {
      searches += 1
      return route(pair, amountIn)
    },
  })
  return { solution, searches }
}

function routeOf(solution: Solution) {
  if (solution.status !== 'solved') throw new Error(solution.status)
  return solution.route
}

/** The least input for which the engine itself gives the target, by plain bisection down to 0.01 bps. */
function bisect(pair: Pair, { target, most }: { readonly target: bigint; readonly most: bigint }) {
  let [low, high] = [0n, most]
  while ((high - low) * 1_000_000n > high) {
    const middle = (low + high) / 2n
    if ((route(pair, middle)?.amountOut ?? 0n) >= target) high = middle
    else low = middle
  }
  return high
}

const s = suite('exact output solver')

s(
  'solves to the wei on single paths and within 1 bps of the least on splits [routing/bounded-probes]',
  async () => {
    let [singles, splits, farthest] = [0, 0, 0]
    for (const { in: tokenIn, out: tokenOut, amount } of trades) {
      const pair = { tokenIn, tokenOut }
      const target = route(pair, BigInt(amount))?.amountOut
      if (!target) continue
      const most = BigInt(amount) * 3n
      const { solution, searches } = await solve({ ...pair, target, most })
      const solved = routeOf(solution)
      assert.ok(solved.amountOut >= target)
      assert.is(solution.evaluations, searches)
      assert.ok(searches <= mostEvaluations, `${searches} searches`)
      if (solved.steps.every(({ shareBps }) => shareBps === 10_000)) {
        const less = route(pair, solved.amountIn - 1n)
        assert.ok((less?.amountOut ?? 0n) < target, 'one wei less gives it too')
        singles += 1
      } else {
        const least = bisect(pair, { target, most })
        const overBps = Number(((solved.amountIn - least) * 1_000_000n) / least) / 100
        farthest = Math.max(farthest, overBps)
        splits += 1
      }
    }
    assert.ok(farthest <= 1, `${farthest} bps above the least`)
    assert.ok(singles >= 8 && splits >= 8, `${singles} single paths, ${splits} splits`)
  },
)

s('finds the same input whatever the most may be', async () => {
  for (const { in: tokenIn, out: tokenOut, amount } of trades.slice(0, 8)) {
    const target = route({ tokenIn, tokenOut }, BigInt(amount))?.amountOut
    if (!target) continue
    const inputs: bigint[] = []
    for (const most of [BigInt(amount) * 2n, 10n ** 33n, 2n ** 256n - 1n]) {
      const { solution, searches } = await solve({ tokenIn, tokenOut, target, most })
      assert.ok(searches <= mostEvaluations, `${searches} searches`)
      inputs.push(routeOf(solution).amountIn)
    }
    const [first = 0n] = inputs
    for (const input of inputs) assert.ok(Math.abs(Number(input - first) / Number(first)) < 1e-4)
  }
})

s('takes the route of the size that is sold, not of the most [20/exact-shape]', async () => {
  let simpler = 0
  for (const { in: tokenIn, out: tokenOut, amount } of trades) {
    const pair = { tokenIn, tokenOut }
    const most = BigInt(amount)
    const small = route(pair, most / 10_000n)
    if (!small) continue
    const solved = routeOf((await solve({ ...pair, target: small.amountOut, most })).solution)
    assert.ok(solved.amountIn <= small.amountIn + small.amountIn / 1_000_000n)
    assert.ok(solved.gas <= small.gas * 1.2, `${solved.gas} of ${small.gas} gas`)
    if (solved.steps.length < (route(pair, most)?.steps.length ?? 0)) simpler += 1
  }
  assert.ok(simpler >= 8, `${simpler} are simpler than the route of the most`)
})

s('reaches what is almost all that a pool holds [20/exact-deep]', async () => {
  const [tokenIn, tokenOut] = ['0xin', '0xout']
  const reserve = 10n ** 24n
  const pair = { id: 'pair', type: 'v2', tokens: [tokenIn, tokenOut], feePips: 3_000 } as const
  const pool = toEnginePool({ ...pair, r0: reserve.toString(), r1: reserve.toString() })
  const lonely = createMarket([pool])
  for (const percent of [80n, 95n, 99n]) {
    const target = (reserve * percent) / 100n
    const solution = await solveInput({
      market: lonely,
      tokenIn,
      tokenOut,
      target,
      most: 1_000n * reserve,
      gasPrice: 0,
      search: async ({ amountIn, ...asked }) => route(asked, amountIn, lonely),
    })
    const { amountIn } = routeOf(solution)
    const least = (target * reserve * 1_000n) / ((reserve - target) * 997n)
    assert.ok(amountIn <= least + least / 1_000_000n, `${percent} % for ${amountIn} of ${least}`)
  }
})

s('tells what is out of reach from what has no way, within the same bound', async () => {
  const [tokenIn = '', tokenOut = ''] = generated.addresses
  const most = 10n ** 18n
  for (const target of [10n ** 30n, 2n ** 255n]) {
    const { solution, searches } = await solve({ tokenIn, tokenOut, target, most })
    assert.is(solution.status, 'unreachable')
    assert.ok(searches <= mostEvaluations)
  }
  const dust = await solve({ tokenIn, tokenOut, target: 10n, most: 1n })
  assert.is(dust.solution.status, 'unreachable')
  const nowhere = await solve({ tokenIn, tokenOut: '0xnone', target: 1n, most })
  assert.is(nowhere.solution.status, 'no_route')
})

s.run()
