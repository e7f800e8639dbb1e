import { assert, suite } from '../../../fixtures/test.ts'
import {
  type AerodromeV2State,
  aerodromeV2AmountOut,
  createAerodromeV2Pool,
} from './aerodromeV2.ts'
import { curveOutput } from './curve.ts'

const s = suite('aerodromeV2')

/** States and quotes of the real contract. */
const volatile: AerodromeV2State = {
  id: 'pool',
  token0: 'a',
  token1: 'b',
  stable: false,
  unit0: 10n ** 18n,
  unit1: 10n ** 6n,
  reserve0: 10n ** 24n,
  reserve1: 10n ** 12n,
  feeBps: 30n,
}
const stable: AerodromeV2State = {
  ...volatile,
  stable: true,
  reserve1: 40000000000337n,
  feeBps: 5n,
}
const small: AerodromeV2State = {
  ...stable,
  unit0: 10n ** 8n,
  unit1: 10n ** 18n,
  reserve0: 10n ** 14n,
  reserve1: 40000000000000000000000439n,
}

s('equals the volatile pool', () => {
  const out = (zeroForOne: boolean, amountIn: bigint) =>
    aerodromeV2AmountOut(volatile, { zeroForOne, amountIn })
  assert.is(out(true, 2467591196566092n), 2460n)
  assert.is(out(false, 109749890139n), 98628632348811512492148n)
  assert.is(out(true, 88400708937322686578688n), 80996811756n)
})
s('equals the stable pool, far out of balance too', () => {
  const out = (state: AerodromeV2State, zeroForOne: boolean, amountIn: bigint) =>
    aerodromeV2AmountOut(state, { zeroForOne, amountIn })
  assert.is(out(stable, true, 3372825253415804n), 45023n)
  assert.is(out(stable, false, 9678801n), 724339819074764431n)
  assert.is(out(stable, true, 2985272099111852044189703n), 14971777649089n)
  assert.is(out(small, true, 38509182n), 5140540620543243331n)
  assert.is(out(small, false, 288001434066480994975750n), 2124821997685n)
})
s('takes the fee out of the reserves', () => {
  const swap = createAerodromeV2Pool(volatile).swap(0, 1, 10n ** 21n)
  const after =
    swap &&
    createAerodromeV2Pool({
      ...volatile,
      reserve0: volatile.reserve0 + 997n * 10n ** 18n,
      reserve1: volatile.reserve1 - swap.amountOut,
    })
  const expected = after?.swap(1, 0, 10n ** 9n)?.amountOut
  assert.ok(expected)
  assert.is(swap?.next.swap(1, 0, 10n ** 9n)?.amountOut, expected)
})
s('refuses what the pool reverts on', () => {
  for (const state of [volatile, stable]) {
    const pool = createAerodromeV2Pool(state)
    assert.is(pool.swap(0, 1, 0n), undefined)
    assert.is(pool.swap(0, 1, -1n), undefined)
    assert.is(pool.swap(0, 1, 1n), undefined, 'no output')
    assert.is(pool.swap(0, 1, 2n ** 255n), undefined, 'overflow')
    const empty = createAerodromeV2Pool({ ...state, reserve0: 0n, reserve1: 0n })
    assert.is(empty.swap(0, 1, 10n ** 20n), undefined)
    assert.is(empty.curve(0, 1), undefined)
  }
})
s('draws curves that follow the swap', () => {
  for (const state of [volatile, stable, small])
    for (const [i, j] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const pool = createAerodromeV2Pool(state)
      const curve = pool.curve(i, j)
      assert.ok(curve)
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
