import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { sqrtRatioAtTick } from '../maths/tickMath.ts'
import { createAlgebraIntegralPool } from './algebraIntegral.ts'
import { createUniswapV3Pool } from './uniswapV3.ts'

const s = suite('algebraIntegral')
const liquidity = 10n ** 18n
const state = {
  id: 'p',
  token0: 'a',
  token1: 'b',
  feePips: 1_000,
  sqrtPriceX96: sqrtRatioAtTick(150_000),
  tick: 150_000,
  liquidity,
  ticks: [
    [-600, liquidity],
    [300_000, -liquidity],
  ],
} as const

s('goes from one linked tick to the next, at the one fee of its pool', () => {
  const pool = createAlgebraIntegralPool(state)
  assert.equal([pool.id, pool.tokens, pool.gas], ['p', ['a', 'b'], 120_000])
  // A step to the end of the liquidity: by the whitepaper of Uniswap v3, with a fee of a thousandth.
  const [low, here, high] = [-600, 150_000, 300_000].map((tick) => 1.0001 ** (tick / 2)) as [
    number,
    number,
    number,
  ]
  const down = pool.swap(0, 1, 10n ** 30n)
  near(Number(down?.amountIn), ((1 / low - 1 / here) * 1e18) / 0.999)
  near(Number(down?.amountOut), (here - low) * 1e18)
  const up = pool.swap(1, 0, 10n ** 30n)
  near(Number(up?.amountIn), ((high - here) * 1e18) / 0.999)
  near(Number(up?.amountOut), (1 / here - 1 / high) * 1e18)
  assert.is(down?.next.swap(0, 1, 1n), undefined)
  for (const [i, drained] of [down, up].entries()) {
    const curve = pool.curve(i, 1 - i)
    near(curve?.x[1], Number(drained?.amountIn))
    near(curve?.y[1], Number(drained?.amountOut))
  }
})
s('rounds no step at the words of a table, as pools with one do', () => {
  const outputs = (pool: ReturnType<typeof createAlgebraIntegralPool>) =>
    Array.from({ length: 20 }, (_, k) => {
      const amountIn = BigInt(k + 1) * 700_000_000_000_007n
      return pool.swap(0, 1, amountIn)?.amountOut
    })
  const linked = outputs(createAlgebraIntegralPool(state))
  assert.not.equal(linked, outputs(createUniswapV3Pool({ ...state, tickSpacing: 60 })))
  assert.equal(linked, outputs(createUniswapV3Pool({ ...state, tickSpacing: 6_000 })))
})
s('goes on where the swap ended', () => {
  const first = createAlgebraIntegralPool(state).swap(0, 1, 10n ** 15n)
  const back = first?.next.swap(1, 0, first.amountOut)
  assert.ok(back && back.amountOut < 10n ** 15n && back.amountOut > 997n * 10n ** 12n)
})
s.run()
