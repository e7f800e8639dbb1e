import { ask, pair, random, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { createUniswapV2Pool } from '../protocols/pair/uniswapV2.ts'
import { findRoute } from './findRoute.ts'
import { createMarket } from './market.ts'

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

s.run()
