import { assert } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
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
    s('pays a single unit, nothing for nothing, and less than there is', () => {
      const pool = createAerodromeV2Pool(volatile)
      assert.is(pool.swap(0, 1, 1_100_000_000_000n)?.amountOut, 1n)
      for (const state of [volatile, stable]) {
        assert.is(aerodromeV2AmountOut(state, { zeroForOne: true, amountIn: 0n }), 0n)
        assert.is(aerodromeV2AmountOut(state, { zeroForOne: true, amountIn: -1n }), undefined)
      }
      for (const i of [0, 1])
        for (const [reserveIn, expected] of [
          [1_000n, 1n],
          [0n, undefined],
        ] as const) {
          const [reserve0, reserve1] = i === 0 ? [reserveIn, 2n] : [2n, reserveIn]
          const lean = createAerodromeV2Pool({ ...volatile, reserve0, reserve1 })
          assert.is(lean.swap(i, 1 - i, 1_004n)?.amountOut, expected)
        }
    })
    s('pays where no more than what the pool was worth stays', () => {
      const free = { ...volatile, feeBps: 0n, reserve0: 10n, reserve1: 10n }
      assert.is(createAerodromeV2Pool(free).swap(0, 1, 10n)?.amountOut, 5n)
    })
    s('draws no curve of half a pool, nor of one that keeps all', () => {
      for (const state of [volatile, stable]) {
        const curve = (own: Partial<AerodromeV2State>) =>
          createAerodromeV2Pool({ ...state, ...own }).curve(0, 1)
        for (const own of [{ reserve0: 0n }, { reserve1: 0n }, { feeBps: 10_000n }])
          assert.is(curve(own), undefined)
        assert.ok(curve({ feeBps: 9_900n }))
      }
      // A stable one is looked at up to four times what it holds.
      const even = { ...stable, reserve1: 10n ** 12n }
      assert.is(createAerodromeV2Pool(even).curve(0, 1)?.x.at(-1), 4e24)
      const gas = [volatile, stable].map((state) => createAerodromeV2Pool(state).gas)
      assert.equal(gas, [120_000, 150_000])
    })
    s('is rounded as the loop of the contract, and paid where no worth is lost', () => {
      const [mega, wad] = [10n ** 6n, 10n ** 18n]
      for (const [unit0, unit1, reserve0, reserve1, feeBps, i, amountIn, amountOut, isPaid] of [
        [
          wad,
          wad,
          5431219204800132961n,
          4817984947489441n,
          5n,
          0,
          5440463377006592n,
          14442357567708n,
          true,
        ],
        [wad, mega, 7721818966109262631n, 267525n, 5n, 1, 7173n, 68001002269590467n, true],
        [mega, wad, 1319254n, 2770432456n, 0n, 1, 63n, 0n, false],
        [mega, mega, 1n, 89n, 0n, 0, 4n, 41n, true],
        [mega, mega, 3587927n, 2n, 5n, 0, 13878186n, 1n, true],
        [wad, wad, 6121064260609n, 407056209206469011457n, 0n, 0, 5n, 110846737n, true],
        [wad, wad, 744467247309841921n, 7361574641726432257n, 0n, 0, 3n, 9n, true],
        [mega, mega, 3n, 353n, 5n, 1, 898n, 2n, true],
        [mega, mega, 2n, 2126326n, 0n, 0, 2n, undefined, false],
        [wad, mega, 125109040781714048257n, 182n, 5n, 1, 297n, 34493924408861100929n, false],
        [
          wad,
          wad,
          421116730368001n,
          547035958588301721601n,
          0n,
          0,
          505432275712n,
          218679354027095529n,
          true,
        ],
      ] as const) {
        const state = { ...stable, unit0, unit1, reserve0, reserve1, feeBps }
        const label = `${reserve0} ${reserve1} ${amountIn}`
        assert.is(aerodromeV2AmountOut(state, { zeroForOne: i === 0, amountIn }), amountOut, label)
        const paid = createAerodromeV2Pool(state).swap(i, 1 - i, amountIn)?.amountOut
        assert.is(paid, isPaid ? amountOut : undefined, label)
      }
    })
    s('draws a volatile pool as it is, without an end', () => {
      const curve = createAerodromeV2Pool(volatile).curve(0, 1)
      assert.is(curve?.x[1], Number.POSITIVE_INFINITY)
      near(curve?.y[1], 1e12)
      near(curve?.a[0], 0.997e-12)
      near(curve?.b[0], 0.997e-24)
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
