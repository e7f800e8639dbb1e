import { ask, pair, random, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { createUniswapV2Pool } from '../protocols/pair/uniswapV2.ts'
import { evenPool as even } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { boundOutput } from './boundOutput.ts'
import { findRoute } from './findRoute.ts'
import { createMarket } from './market.ts'
import { frameBetween } from './searchFrame.ts'

const s = suite('boundOutput')

/** Pools between a, b and d, with stale prices among them. */
function smallMarket(seed: number): EnginePool[] {
  const next = random(seed)
  const pairs = ['a/d', 'a/b', 'b/d', 'a/d', 'b/d'] as const
  return pairs.map((tokens, index) => {
    const [token0 = '', token1 = ''] = tokens.split('/')
    const reserve0 = BigInt(Math.floor(1e6 + 1e9 * next() ** 2))
    const reserve1 = BigInt(Math.floor(Number(reserve0) * (0.97 + 0.06 * next())))
    return {
      ...createUniswapV2Pool({
        id: `p${index}`,
        token0,
        token1,
        reserve0,
        reserve1,
        feePips: 3000,
      }),
      gas: 1,
    }
  })
}

const parts = 12

/** Every way to put amountIn, in twelfths, on the pools; the b that arrives is split in twelfths too. */
function bruteForce(pools: readonly EnginePool[], amountIn: bigint, gasPrice: number): number {
  const out = (k: number, amount: bigint) => {
    if (amount === 0n) return { amount: 0n, gas: 0 }
    const swap = (pools[k] as EnginePool).swap(0, 1, amount)
    return { amount: swap?.amountOut ?? 0n, gas: 1 }
  }
  const part = (amount: bigint, share: number) => (amount * BigInt(share)) / BigInt(parts)
  let best = 0
  for (let one = 0; one <= parts; one++)
    for (let two = 0; one + two <= parts; two++) {
      const direct = [out(0, part(amountIn, one)), out(3, part(amountIn, two))]
      const middle = out(1, part(amountIn, parts - one - two))
      for (let three = 0; three <= parts; three++) {
        const rest = part(middle.amount, parts - three)
        const ends = [out(2, part(middle.amount, three)), out(4, rest)]
        const all = [...direct, middle, ...ends]
        const gross = [...direct, ...ends].reduce((sum, { amount }) => sum + Number(amount), 0)
        best = Math.max(best, gross - gasPrice * all.reduce((sum, { gas }) => sum + gas, 0))
      }
    }
  return best
}

for (const gasPrice of [0, 2_000, 50_000])
  s(`holds against every split of small graphs, gas at ${gasPrice}`, () => {
    for (let seed = 1; seed <= 60; seed++) {
      const pools = smallMarket(seed)
      const amountIn = BigInt(Math.floor(10 ** (5 + 4 * random(seed)())))
      const route = findRoute(
        createMarket([
          ...pools,
          // Prices gas: 10^12 units of the native token are worth one d.
          createUniswapV2Pool({
            id: 'native',
            token0: 'd',
            token1: 'native',
            reserve0: 10n ** 21n,
            reserve1: 10n ** 33n,
            feePips: 0,
          }),
        ]),
        {
          tokenIn: 'a',
          tokenOut: 'd',
          amountIn,
          maxHops: 2,
          maxSteps: 16,
          gasPriceWei: BigInt(gasPrice) * 10n ** 12n,
          nativeToken: 'native',
          maxWork: 1e9,
          deadlineMs: 1000,
          now: () => performance.now(),
        },
      )
      assert.ok(route?.gapBps !== undefined)
      if (!route || route.gapBps === undefined) continue
      const net = Number(route.amountOut) - gasPrice * route.gas
      const best = bruteForce(pools, amountIn, gasPrice)
      if (net > 0) {
        const bound = net / (1 - route.gapBps / 1e4)
        assert.ok(bound >= best * (1 - 1e-9), `seed ${seed}: bound ${bound} under ${best}`)
      }
      // A choice of pools is a local one: it may cost the gas of one swap against the best.
      const tolerance = 1e-4 * Math.abs(best) + 20 + gasPrice * 1.1
      assert.ok(net >= best - tolerance, `seed ${seed}: ${net} under ${best}`)
    }
  })

/** Best output of any single path, of whatever length. */
function bestPath(pools: readonly EnginePool[], amountIn: bigint, maxHops: number): bigint {
  const follow = (token: string, amount: bigint, seen: readonly string[], hops: number): bigint => {
    if (token === 'd') return amount
    if (hops === 0) return 0n
    let best = 0n
    for (const pool of pools) {
      const i = pool.tokens.indexOf(token)
      const j = 1 - i
      const next = pool.tokens[j]
      if (i < 0 || next === undefined || seen.includes(next)) continue
      const output = pool.swap(i, j, amount)?.amountOut ?? 0n
      if (output === 0n) continue
      const reached = follow(next, output, [...seen, next], hops - 1)
      if (reached > best) best = reached
    }
    return best
  }
  return follow('a', amountIn, ['a'], maxHops)
}

s('holds against paths longer than the search goes', () => {
  let isLonger = 0
  for (let seed = 1; seed <= 120; seed++) {
    const pools = randomMarket(seed, 9, 'abcefd')
    const amountIn = 10n ** BigInt(18 + (seed % 4))
    for (const maxHops of [1, 2]) {
      const route = ask(createMarket(pools), { amountIn, maxHops })
      if (!route || route.gapBps === undefined) continue
      const best = bestPath(pools, amountIn, 5)
      const bound = Number(route.amountOut) / (1 - route.gapBps / 1e4)
      assert.ok(bound >= Number(best) * (1 - 1e-9), `seed ${seed}: bound ${bound} under ${best}`)
      if (best > bestPath(pools, amountIn, maxHops)) isLonger++
    }
  }
  assert.ok(isLonger > 10, 'longer paths were better in some')
})

/** Ways from a to d by hubs, with pools among them whose prices are stale by a tenth. */
function staleMarket(seed: number): EnginePool[] {
  const next = random(seed)
  const worth = [...'abcdefghijkl'].map(() => 0.2 + 2 * next())
  const pairs = [...'ab,bd,ac,cd,bc,be,ce,bf,df,cg,dg,bh,ch,bi,ci,di,ej,bj,fk,ck,gl,bl'.split(',')]
  return pairs.flatMap((tokens, index) =>
    [1, 0.9 + 0.2 * next(), 1].map((drift, copy) => {
      const [one = '', other = ''] = tokens
      const [worthOne = 1, worthOther = 1] = [one, other].map(
        (token) => worth[token.charCodeAt(0) - 97],
      )
      const size = drift === 1 ? 1e6 * (0.1 + next()) : 100 * next()
      const reserves = [Math.ceil(size / worthOne), Math.ceil((drift * size) / worthOther)] as const
      return pair(`p${index}-${copy}`, `${one}/${other}`, reserves)
    }),
  )
}

s('says something where pools are stale [20/gap-real]', () => {
  const gaps = Array.from({ length: 40 }, (_, seed) => {
    const amountIn = 10n ** BigInt(20 + (seed % 4))
    return ask(createMarket(staleMarket(seed + 1)), { amountIn, maxSteps: 48 })?.gapBps ?? 1e4
  }).sort((one, other) => one - other)
  const [half = 1e4, most = 1e4] = [gaps[20], gaps[38]]
  assert.ok(half < 1 && most < 30, `p50 ${half}, p95 ${most} bps`)
})

s('counts no arbitrage of what hangs on the market by one token [20/gap-real]', () => {
  const way = [pair('p', 'a/b', [100_000, 100_000]), pair('q', 'b/d', [100_000, 100_000])]
  const apart = [pair('r', 'b/x', [90_000, 10_000]), pair('s', 'b/x', [10_000, 90_000])]
  const gapBps = ask(createMarket([...way, ...apart]))?.gapBps ?? 1e4
  assert.ok(gapBps < 0.001, `${gapBps} bps`)
})

/** The bound on what 100,000 a bring at some prices, where d is worth one. */
function boundAt(
  pools: readonly EnginePool[],
  { gasPrice = 0, ...told }: Readonly<Record<string, number>>,
) {
  const market = createMarket(pools)
  const numberOf = (token: string) => market.tokenIndex.get(token) ?? -1
  const [tokenIn, tokenOut, maxHops] = [numberOf('a'), numberOf('d'), 4]
  const prices = new Float64Array(market.tokens.length)
  for (const [token, price] of Object.entries({ ...told, d: 1 })) prices[numberOf(token)] = price
  const frame = frameBetween(market, { tokenIn, tokenOut, maxHops, gasPrice })
  const { bound } = boundOutput(market, frame, { prices, amountIn: 1e5 })
  return { bound, work: frame.effort.spent }
}
const boundOf = (...args: Parameters<typeof boundAt>) => boundAt(...args).bound
/** By a constant product of equal reserves at a rate of one, at a price. */
const earned = (depth: number, price: number) => depth * (1 - Math.sqrt(price)) ** 2

s('is what the input is worth, and what each pool earns at most [teeth/bounds]', () => {
  const pools = [even('x', 'a/d'), even('y', 'a/d', { depth: 3e6 })]
  for (const a of [0.8, 0.9, 0.97]) near(boundOf(pools, { a }), a * 1e5 + earned(4e6, a), 1e-10)
  // Where no pool earns, it is the worth alone; a hair more for what sums lose.
  const bare = boundOf(pools, { a: 1 })
  assert.ok(bare > 1e5 && bare < 1e5 * (1 + 2e-11), `${bare}`)
})

s(
  'takes off gas: all of a pool that earns less, and the least of each crossing [teeth/bounds]',
  () => {
    const a = 0.81
    const [large, small] = [earned(3e6, a), earned(1e6, a)]
    const pools = [even('x', 'a/d', { gas: 2 }), even('y', 'a/d', { depth: 3e6, gas: 2 })]
    const bound = (gas: number) => boundOf(pools, { a, gasPrice: gas / 2 })
    near(bound(small / 2), a * 1e5 + large + small - small, 1e-10)
    near(bound(small * 2), a * 1e5 + large - small * 2, 1e-10)
    // Whichever is gone through costs more than it earns: the least of that is lost.
    near(bound(large + 100), a * 1e5 - 100, 1e-10)
    // Each of two crossings has its cheapest.
    const chain = [
      even('ab', 'a/b', { gas: 7 }),
      even('ab2', 'a/b', { gas: 5 }),
      even('bd', 'b/d', { gas: 11 }),
    ]
    near(boundOf(chain, { a: 1, b: 1, gasPrice: 10 }), 1e5 - 50 - 110, 1e-10)
  },
)

s('counts no pool that is on no way, or leads back [teeth/bounds]', () => {
  const way = [even('ad', 'a/d')]
  const apart = [even('bx', 'b/x'), even('da', 'd/a'), even('ab', 'a/b')]
  // x would earn, and d for a; b hangs on the market by a alone.
  const prices = { a: 0.9, b: 0.2, x: 5 }
  near(boundOf([...way, ...apart], prices), 0.9e5 + earned(1e6, 0.9), 1e-10)
})

s('gives a token that nobody priced what it sells for at most [teeth/bounds]', () => {
  const pools = [even('ab', 'a/b'), even('bc', 'b/c'), even('cd', 'c/d')]
  near(boundOf(pools, { a: 0.9 }), 0.9e5 + earned(1e6, 0.9), 1e-10)
  // Priced too low it would be free to whoever sells it.
  near(
    boundOf(pools, { a: 0.9, b: 1, c: 0.5 }),
    0.9e5 + earned(1e6, 0.9) + 1e6 * (1 - Math.sqrt(0.5)) ** 2,
    1e-10,
  )
})

s('counts the pairs of the market, and the pools of those that pay', () => {
  const pools = [even('ad', 'a/d'), even('ad2', 'a/d'), even('ab', 'a/b'), even('bd', 'b/d')]
  // Three pairs each way; b sells for no more than it costs.
  assert.is(boundAt(pools, { a: 0.9, b: 1 }).work, 6 + 2 + 1)
})

s('takes off the least gas of each distance, wherever it is crossed', () => {
  // c is as far from d as a is: who goes by it crosses from there.
  const pools = [
    even('ab', 'a/b', { gas: 7 }),
    even('bd', 'b/d', { gas: 11 }),
    even('ac', 'a/c', { gas: 1 }),
    even('cb', 'c/b', { gas: 3 }),
    even('bc', 'b/c', { gas: 5 }),
  ]
  near(boundOf(pools, { a: 1, b: 1, c: 1, gasPrice: 10 }), 1e5 - 30 - 110, 1e-10)
})

s.run()
