import { assert, suite } from '../../fixtures/test.ts'
import { generateMarket, generateTrades } from '../bench/routing/generateMarket.ts'
import { toEnginePool } from '../bench/routing/readPools.ts'
import { findRoute } from './engine/findRoute.ts'
import { createMarket } from './engine/market.ts'
import { nativePrices } from './engine/nativePrice.ts'
import type { EnginePool } from './protocols/maths/enginePool.ts'
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

type Stepped = {
  readonly risesAt: bigint
  readonly endsAt?: bigint
  readonly most?: bigint
  /** What selling the target back brings. */
  readonly back?: () => bigint | undefined
  /** What a search of so much takes of it; undefined: it finds no route. */
  readonly takes?: (asked: bigint) => bigint | undefined
}
/** A pool gives ten thousand for anything, one more from an input on, and refuses above another. */
async function solveStepped({
  risesAt,
  endsAt = 20_000n,
  most = 10n ** 9n,
  back = () => 10_000n,
  takes = (asked) => asked,
}: Stepped) {
  const [tried, searched]: [bigint[], bigint[]] = [[], []]
  const outputOf = (amountIn: bigint) => (amountIn >= risesAt ? 10_001n : 10_000n)
  const ends = { tokenIn: 'in', tokenOut: 'out' }
  const pool: EnginePool = {
    id: 'stepped',
    tokens: ['in', 'out'],
    gas: 1,
    curve: () => undefined,
    swap(_i, _j, amountIn) {
      tried.push(amountIn)
      if (amountIn > endsAt) return undefined
      return { amountIn, amountOut: outputOf(amountIn), next: pool }
    },
  }
  const solution = await solveInput({
    market: createMarket([pool]),
    ...ends,
    target: 10_001n,
    most,
    gasPrice: 0,
    async search({ tokenIn, amountIn: asked }) {
      if (tokenIn === 'out') {
        const amountOut = back()
        if (amountOut === undefined) return undefined
        return { amountIn: asked, amountOut, gas: 1, steps: [] }
      }
      searched.push(asked)
      const amountIn = takes(asked)
      if (amountIn === undefined) return undefined
      const amounts = { amountIn, amountOut: outputOf(amountIn) }
      const step = { ...ends, ...amounts, poolId: 'stepped', share: 1n << 64n }
      return { ...amounts, gas: 1, steps: [{ ...step, path: 0, shareBps: 10_000 }] }
    },
  })
  return { solution, tried, searched }
}

s(
  'tries a route at a hundredth more than its price says, four times [teeth/solve-input]',
  async () => {
    const four = await solveStepped({ risesAt: 10_414n, endsAt: 10_414n })
    assert.equal(four.tried.slice(0, 4), [10_102n, 10_205n, 10_309n, 10_414n])
    assert.equal(four.searched, [10_000n, 10_414n])
    assert.equal([routeOf(four.solution).amountIn, four.solution.evaluations], [10_414n, 3])
    // What takes a fifth is searched for at a greater size.
    const five = await solveStepped({ risesAt: 10_520n })
    assert.equal(five.tried.slice(0, 5), [10_102n, 10_205n, 10_309n, 10_414n, 10_205n])
    assert.equal(five.searched, [10_000n, 10_102n, 10_520n])
    assert.equal([routeOf(five.solution).amountIn, five.solution.evaluations], [10_520n, 4])
  },
)

s('tries a route with no more than the most, and with that once [teeth/solve-input]', async () => {
  const most = 10_205n
  const enough = await solveStepped({ risesAt: most, most })
  assert.is(routeOf(enough.solution).amountIn, most)
  const { solution, tried, searched } = await solveStepped({ risesAt: most + 1n, most })
  assert.equal(
    [tried, searched],
    [
      [10_102n, most, most],
      [10_000n, 10_102n, most],
    ],
  )
  if (solution.status !== 'unreachable') throw new Error(solution.status)
  assert.equal([solution.isLimit, solution.evaluations], [true, 4])
  assert.equal([solution.shown.amountIn, solution.shown.amountOut], [most, 10_000n])
})

s('searches again where it takes a ten-thousandth more or less [teeth/solve-input]', async () => {
  const searchedFor = async (start: bigint, risesAt: bigint) =>
    (await solveStepped({ back: () => start, risesAt })).searched
  for (const [start, risesAt] of [
    [10_000n, 10_001n],
    [9_999n, 10_000n],
    [10_001n, 10_000n],
  ] as const)
    assert.equal(await searchedFor(start, risesAt), [start])
  for (const [start, risesAt] of [
    [9_998n, 9_999n],
    [10_000n, 10_002n],
    [10_000n, 5_000n],
  ] as const)
    assert.equal(await searchedFor(start, risesAt), [start, risesAt])
})

s(
  'starts from the most, or what it takes, where nothing else tells [teeth/solve-input]',
  async () => {
    const alone = await solveStepped({ most: 100n, risesAt: 100n, back: () => undefined })
    assert.equal([routeOf(alone.solution).amountIn, alone.searched], [100n, [100n]])
    const part = await solveStepped({
      most: 100n,
      risesAt: 60n,
      back: () => 50n,
      takes: (asked) => (asked === 50n ? undefined : 60n),
    })
    assert.equal([routeOf(part.solution).amountIn, part.searched], [60n, [50n, 100n, 60n]])
  },
)

s(
  'doubles what it sells where that gives little more, while it may [teeth/solve-input]',
  async () => {
    const solveGrowing = async (own: { readonly most: bigint; readonly mostSearches?: number }) => {
      const searched: bigint[] = []
      const solution = await solveInput({
        market,
        tokenIn: 'in',
        tokenOut: 'out',
        target: 10_000n,
        gasPrice: 0,
        ...own,
        async search({ tokenIn, tokenOut, amountIn }) {
          if (tokenIn === 'out') return { amountIn, amountOut: 1_000n, gas: 1, steps: [] }
          searched.push(amountIn)
          const amountOut = 9_000n + BigInt(searched.length)
          // No market has its pool, so that nothing else is tried of it.
          const step = { poolId: 'gone', tokenIn, tokenOut, amountIn, amountOut, share: 1n << 64n }
          return { amountIn, amountOut, gas: 1, steps: [{ ...step, path: 0, shareBps: 10_000 }] }
        },
      })
      return { solution, searched }
    }
    const few = await solveGrowing({ most: 10n ** 9n, mostSearches: 6 })
    assert.equal(few.searched, [1_000n, 1_122n, 2_244n, 4_488n, 8_976n])
    assert.equal(few.solution, { status: 'no_route', evaluations: 6 })
    const all = await solveGrowing({ most: 10n ** 9n })
    assert.equal([all.searched.length, all.solution.evaluations], [15, 16])
    const { searched, solution } = await solveGrowing({ most: 5_000n })
    assert.equal(searched, [1_000n, 1_122n, 2_244n, 4_488n, 5_000n, 5_000n])
    assert.equal([solution.status, solution.evaluations], ['unreachable', 7])
  },
)

s('gives a token for itself, as much as the most [teeth/solve-input]', async () => {
  const wrap = (target: bigint) =>
    solveInput({
      market,
      tokenIn: 'in',
      tokenOut: 'in',
      target,
      most: 5n,
      gasPrice: 0,
      search: async ({ amountIn }) => ({ amountIn, amountOut: amountIn, gas: 0, steps: [] }),
    })
  const route = { amountIn: 5n, amountOut: 5n, gas: 0, steps: [] }
  assert.equal(await wrap(5n), { status: 'solved', route, evaluations: 2 })
  const beyond = { status: 'unreachable', shown: route, isLimit: true, evaluations: 3 }
  assert.equal(await wrap(6n), beyond)
})

s.run()
