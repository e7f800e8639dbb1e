import { assert } from '../../../../fixtures/test.ts'
import { runVectorSuite } from '../../testing/runVectorSuite.ts'
import {
  type AerodromeV2State,
  aerodromeV2AmountOut,
  createAerodromeV2Pool,
} from './aerodromeV2.ts'

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

runVectorSuite('aerodromeV2', {
  cases: {
    volatile: {
      state: volatile,
      rows: [
        [0, 1, 2467591196566092n, 2460n],
        [1, 0, 109749890139n, 98628632348811512492148n],
        [0, 1, 88400708937322686578688n, 80996811756n],
      ],
    },
    'stable, far out of balance': {
      state: stable,
      rows: [
        [0, 1, 3372825253415804n, 45023n],
        [1, 0, 9678801n, 724339819074764431n],
        [0, 1, 2985272099111852044189703n, 14971777649089n],
      ],
    },
    'stable, tokens of 8 and 18 decimals': {
      state: small,
      rows: [
        [0, 1, 38509182n, 5140540620543243331n],
        [1, 0, 288001434066480994975750n, 2124821997685n],
      ],
    },
  },
  create: createAerodromeV2Pool,
  answer: (state, { i, amountIn }) =>
    aerodromeV2AmountOut(state, { zeroForOne: i === 0, amountIn }),
  inputs({ reserve0, reserve1 }, { i }) {
    const least = (i === 0 ? reserve0 : reserve1) / 10n ** 6n
    return Array.from({ length: 14 }, (_, power) => least * 3n ** BigInt(power))
  },
  within: 2e-3,
  refusedAmounts: [1n << 255n],
  more(s) {
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
    s('refuses what pays nothing, and an empty pool', () => {
      for (const state of [volatile, stable]) {
        assert.is(createAerodromeV2Pool(state).swap(0, 1, 1n), undefined)
        const empty = createAerodromeV2Pool({ ...state, reserve0: 0n, reserve1: 0n })
        assert.is(empty.swap(0, 1, 10n ** 20n), undefined)
        assert.is(empty.curve(0, 1), undefined)
      }
    })
  },
})
