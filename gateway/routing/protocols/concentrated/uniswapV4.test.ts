import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { curveOutput } from '../maths/curve.ts'
import { createUniswapV4Pool, type UniswapV4State, uniswapV4FeePips } from './uniswapV4.ts'

const s = suite('uniswapV4')
const state = {
  id: 'p',
  tokens: ['a', 'b'],
  tickSpacing: 60,
  lpFeePips: 3000,
  protocolFeePips: [1000, 0],
  sqrtPriceX96: 1n << 96n,
  tick: 0,
  liquidity: 10n ** 18n,
  ticks: [
    [-600, 10n ** 18n],
    [600, -(10n ** 18n)],
  ],
} as const

s('adds the protocol fee of the direction, the pool fee on what is left', () => {
  assert.is(uniswapV4FeePips(state, true), 3997)
  assert.is(uniswapV4FeePips(state, false), 3000)
})
s('takes what its liquidity allows and no more', () => {
  const swap = createUniswapV4Pool(state).swap(0, 1, 10n ** 30n)
  assert.ok(swap && swap.amountIn < 10n ** 17n && swap.amountOut > 0n)
  const beyond = swap?.next.swap(0, 1, 1n)
  assert.is(beyond, undefined)
})
s('refuses amounts that the manager cannot count, and nothing at all', () => {
  const whole = [
    [-887_220, 1n << 127n],
    [887_220, -(1n << 127n)],
  ] as const
  const deep = createUniswapV4Pool({ ...state, ticks: whole, liquidity: 1n << 127n })
  assert.is(deep.swap(0, 1, 1n << 200n), undefined)
  assert.is(createUniswapV4Pool(state).swap(0, 1, 0n), undefined)
})
s('counts 127 bits of each currency, in and out', () => {
  const [end, whole] = [1n << 127n, [-887_220, 887_220]] as const
  const pool = (liquidity: bigint, from: number, own: Partial<UniswapV4State> = {}) =>
    createUniswapV4Pool({
      ...state,
      lpFeePips: 0,
      protocolFeePips: [0, 0],
      ticks: [
        [from, liquidity],
        [whole[1], -liquidity],
      ],
      liquidity,
      ...own,
    })
  for (const i of [0, 1]) {
    const deep = pool(end, whole[0])
    assert.is(deep.swap(i, 1 - i, end - 1n)?.amountIn, end - 1n)
    assert.is(deep.swap(i, 1 - i, end), undefined)
  }
  // From a price of four to one of one, all the liquidity there is comes out.
  const high = { sqrtPriceX96: 2n << 96n, tick: 13_863 }
  assert.is(pool(end - 1n, 0, high).swap(0, 1, end - 1n)?.amountOut, end - 1n)
  assert.is(pool(end, 0, high).swap(0, 1, end - 1n), undefined)
})
s('draws a curve of each direction with its own fee', () => {
  const range = [
    [6_000, 10n ** 18n],
    [12_000, -(10n ** 18n)],
  ] as const
  const pool = createUniswapV4Pool(state)
  assert.equal([pool.id, pool.tokens, pool.gas], ['p', ['a', 'b'], 130_000])
  for (const [i, fee] of [
    [0, 0.003997],
    [1, 0.003],
  ] as const) {
    const amountIn = 10n ** 15n
    const { amountOut = 0n, next } = pool.swap(i, 1 - i, amountIn) ?? {}
    const curve = pool.curve(i, 1 - i)
    near(curve && curveOutput(curve, 1e15), Number(amountOut))
    // Of liquidity at a price of one: x L / (x + L).
    near(Number(amountOut), 1 / (1 / (1e15 * (1 - fee)) + 1 / 1e18), 1e-9)
    const high = createUniswapV4Pool({
      ...state,
      sqrtPriceX96: 97n << 90n,
      tick: 8_316,
      ticks: range,
    })
    const uneven = high.curve(i, 1 - i)
    near(uneven && curveOutput(uneven, 1e15), Number(high.swap(i, 1 - i, amountIn)?.amountOut))
    const back = next?.swap(1 - i, i, amountOut)?.amountOut
    assert.ok(back && back < amountIn && back > (amountIn * 99n) / 100n)
  }
})
s.run()
