import { assert, suite } from '../../../../fixtures/test.ts'
import { createUniswapV4Pool, uniswapV4FeePips } from './uniswapV4.ts'

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
s.run()
