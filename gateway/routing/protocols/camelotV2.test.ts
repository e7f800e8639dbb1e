import { assert, suite } from '../../../fixtures/test.ts'
import { type CamelotV2State, camelotV2AmountOut, createCamelotV2Pool } from './camelotV2.ts'
import { curveOutput } from './curve.ts'

const s = suite('camelotV2')

/** States and quotes of the real contract. */
const volatile: CamelotV2State = {
  id: 'pair',
  token0: 'a',
  token1: 'b',
  stable: false,
  unit0: 10n ** 18n,
  unit1: 10n ** 6n,
  reserve0: 10n ** 24n,
  reserve1: 1300000000887n,
  token0FeePercent: 300n,
  token1FeePercent: 300n,
  ownerFeeShare: 0n,
}
const stable: CamelotV2State = { ...volatile, stable: true, reserve1: 1300000000434n }

s('equals the volatile pair', () => {
  const out = (zeroForOne: boolean, amountIn: bigint) =>
    camelotV2AmountOut(volatile, { zeroForOne, amountIn })
  assert.is(out(true, 155612176977587236n), 201688n)
  assert.is(out(false, 4621261n), 3544139141999637747n)
  assert.is(out(true, 3066380594702804582402n), 3962222657n)
})
s('equals the stable pair', () => {
  const out = (zeroForOne: boolean, amountIn: bigint) =>
    camelotV2AmountOut(stable, { zeroForOne, amountIn })
  assert.is(out(true, 113408225773937328137n), 113570368n)
  assert.is(out(false, 98911708069n), 97537032456470786854151n)
  assert.is(out(false, 1064n), 1056301459666986n)
  assert.is(out(true, 159418069475960354242563n), 159106264953n)
})
s('takes the fee of the token that goes in', () => {
  for (const state of [volatile, stable]) {
    const amountIn = 10n ** 20n
    const plain = camelotV2AmountOut(state, { zeroForOne: true, amountIn })
    const out = (fees: Partial<CamelotV2State>) =>
      camelotV2AmountOut({ ...state, ...fees }, { zeroForOne: true, amountIn })
    assert.is(out({ token1FeePercent: 2000n }), plain)
    const dear = out({ token0FeePercent: 2000n })
    assert.ok(plain && dear && dear < plain)
  }
})
s('sends the share of the owner out of a stable pair only', () => {
  for (const state of [volatile, stable]) {
    const amountIn = 10n ** 20n
    const amountOut = camelotV2AmountOut(state, { zeroForOne: true, amountIn }) ?? 0n
    const swap = createCamelotV2Pool({ ...state, ownerFeeShare: 40_000n }).swap(0, 1, amountIn)
    assert.is(swap?.amountOut, amountOut)
    const sentAway = state.stable ? (amountIn * 3n * 4n) / 10_000n : 0n
    const after = createCamelotV2Pool({
      ...state,
      reserve0: state.reserve0 + amountIn - sentAway,
      reserve1: state.reserve1 - amountOut,
    })
    const expected = after.swap(1, 0, 12345678n)?.amountOut
    assert.ok(expected)
    assert.is(swap?.next.swap(1, 0, 12345678n)?.amountOut, expected)
  }
})
s('refuses what the pair reverts on', () => {
  for (const state of [volatile, stable]) {
    const pool = createCamelotV2Pool(state)
    assert.is(pool.swap(0, 1, 0n), undefined)
    assert.is(pool.swap(0, 1, 1n), undefined, 'no output')
    assert.is(pool.swap(0, 1, 2n ** 112n), undefined, 'reserve overflow')
    const empty = createCamelotV2Pool({ ...state, reserve0: 0n, reserve1: 0n })
    assert.is(empty.swap(0, 1, 10n ** 20n), undefined)
    assert.is(empty.curve(0, 1), undefined)
  }
})
s('draws curves that follow the swap', () => {
  for (const state of [volatile, stable])
    for (const [i, j] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const pool = createCamelotV2Pool(state)
      const curve = pool.curve(i, j)
      const reserve = i === 0 ? state.reserve0 : state.reserve1
      for (let amount = reserve / 10n ** 6n; amount < reserve * 2n; amount *= 3n) {
        const swap = pool.swap(i, j, amount)
        assert.ok(swap && curve)
        const error = curveOutput(curve, Number(amount)) / Number(swap.amountOut) - 1
        assert.ok(Math.abs(error) < 2e-3, `${amount}: ${error}`)
      }
    }
})
s.run()
