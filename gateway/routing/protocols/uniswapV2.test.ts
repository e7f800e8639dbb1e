import { assert, suite } from '../../../fixtures/test.ts'
import { curveOutput } from './curve.ts'
import { createUniswapV2Pool, uniswapV2AmountOut } from './uniswapV2.ts'

const s = suite('uniswapV2')
const state = {
  id: 'pair',
  token0: 'a',
  token1: 'b',
  reserve0: 32395617847817845372109077782151n,
  reserve1: 53278841057231056811n,
  feePips: 3000,
}
const pool = createUniswapV2Pool(state)

s('equals the router formula with 997/1000', () => {
  for (let amountIn = 1000n; amountIn < 10n ** 30n; amountIn = amountIn * 7n + 3n) {
    const expected = (amountIn * 997n * state.reserve0) / (state.reserve1 * 1000n + amountIn * 997n)
    assert.is(uniswapV2AmountOut(state, { zeroForOne: false, amountIn }), expected)
  }
})
s('refuses what the pair reverts on', () => {
  assert.is(pool.swap(0, 1, 0n), undefined)
  assert.is(pool.swap(0, 1, 1n), undefined, 'no output')
  assert.is(pool.swap(0, 1, 2n ** 112n), undefined, 'reserve overflow')
  assert.is(createUniswapV2Pool({ ...state, reserve1: 0n }).swap(0, 1, 10n ** 20n), undefined)
  assert.is(createUniswapV2Pool({ ...state, reserve1: 0n }).curve(0, 1), undefined)
})
s('keeps the fee in the reserves of the next state', () => {
  const swap = pool.swap(1, 0, 10n ** 18n)
  const back = swap?.next.swap(0, 1, swap.amountOut)
  assert.ok(back && back.amountOut < (10n ** 18n * 995n) / 1000n)
})
s('draws a curve that follows the swap', () => {
  const curve = pool.curve(1, 0)
  assert.ok(curve)
  for (let amount = 10n ** 9n; amount < 10n ** 24n; amount *= 11n) {
    const swap = pool.swap(1, 0, amount)
    assert.ok(swap && curve)
    assert.ok(Math.abs(curveOutput(curve, Number(amount)) / Number(swap.amountOut) - 1) < 1e-9)
  }
})
s.run()
