import { assert } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { runVectorSuite, type VectorCases } from '../../testing/runVectorSuite.ts'
import {
  binPriceX128,
  createLiquidityBookPool,
  type LiquidityBookState,
  liquidityBookSwapOut,
} from './liquidityBook.ts'

type Answer = readonly [left: bigint, out: bigint, fee: bigint]
type Bins = readonly (readonly [id: number, reserveX: bigint, reserveY: bigint])[]

const parameters = {
  id: 'pair',
  tokenX: 'x',
  tokenY: 'y',
  filterPeriodSecs: 30,
  decayPeriodSecs: 600,
  reductionFactorBps: 5000,
  maxVolatilityAccumulator: 350_000,
}

function toBins(bins: Bins) {
  return bins.map(([id, reserveX, reserveY]) => ({ id, reserveX, reserveY }))
}

/** Answers of real pairs. */
const cases: VectorCases<LiquidityBookState, Answer> = {
  '2.1.1, step 1': {
    state: {
      ...parameters,
      binStepBps: 1,
      activeId: 8388608,
      baseFactor: 10000,
      variableFeeControl: 40000,
      protocolShareBps: 0,
      volatilityAccumulator: 0,
      volatilityReference: 0,
      idReference: 8388608,
      lastUpdateSecs: 1795221833,
      nowSecs: 1795221933,
      bins: toBins([
        [8388598, 0n, 818181818n],
        [8388599, 0n, 818181818n],
        [8388600, 0n, 818181818n],
        [8388601, 0n, 818181818n],
        [8388602, 0n, 818181818n],
        [8388603, 0n, 818181818n],
        [8388604, 0n, 818181818n],
        [8388605, 0n, 818181818n],
        [8388606, 0n, 818181818n],
        [8388607, 0n, 818181818n],
        [8388608, 454617454n, 818253818n],
        [8388609, 454545454n, 0n],
        [8388610, 454545454n, 0n],
        [8388611, 454545454n, 0n],
        [8388612, 454545454n, 0n],
        [8388613, 454545454n, 0n],
        [8388614, 454545454n, 0n],
        [8388615, 454545454n, 0n],
        [8388616, 454545454n, 0n],
        [8388617, 454545454n, 0n],
        [8388618, 454545454n, 0n],
      ]),
    },
    rows: [
      [0, 1, 875387967n, [0n, 875294720n, 87542n]],
      [0, 1, 144881325n, [0n, 144866836n, 14489n]],
      [1, 0, 13580244n, [0n, 13578885n, 1359n]],
      [0, 1, 6215003n, [0n, 6214381n, 622n]],
      [0, 1, 370356n, [0n, 370318n, 38n]],
      [0, 1, 213452n, [0n, 213430n, 22n]],
    ],
  },
  '2.1.1, step 25': {
    state: {
      ...parameters,
      binStepBps: 25,
      activeId: 8380668,
      baseFactor: 8000,
      variableFeeControl: 20000,
      protocolShareBps: 1000,
      volatilityAccumulator: 70000,
      volatilityReference: 0,
      idReference: 8380675,
      lastUpdateSecs: 1795222254,
      nowSecs: 1795222354,
      bins: toBins([
        [8380665, 0n, 818181818n],
        [8380666, 0n, 818181818n],
        [8380667, 0n, 818181818n],
        [8380668, 4560822180564629n, 810394154n],
        [8380669, 333205234208640448n, 0n],
        [8380670, 332333061703401352n, 0n],
        [8380671, 331470654354382122n, 0n],
        [8380672, 330617945161308194n, 0n],
        [8380673, 329774868590146988n, 0n],
        [8380674, 328941360556145875n, 0n],
        [8380675, 454873571903861966944n, 0n],
        [8380676, 454545454545454545000n, 0n],
        [8380677, 454545454545454545000n, 0n],
        [8380678, 454545454545454545000n, 0n],
        [8380679, 454545454545454545000n, 0n],
        [8380680, 454545454545454545000n, 0n],
        [8380681, 454545454545454545000n, 0n],
        [8380682, 454545454545454545000n, 0n],
        [8380683, 454545454545454545000n, 0n],
        [8380684, 454545454545454545000n, 0n],
        [8380685, 454545454545454545000n, 0n],
      ]),
    },
    rows: [
      [0, 1, 970050759697670153n, [0n, 2370125721n, 2190601482286360n]],
      [0, 1, 259808021592844964n, [0n, 636398279n, 559399146492095n]],
      [0, 1, 4645640353310524n, [0n, 11379469n, 10002644385722n]],
      [1, 0, 4027305379n, [0n, 1624444754299621533n, 10245095n]],
      [1, 0, 307517n, [0n, 125002658399390n, 663n]],
      [1, 0, 20941n, [0n, 8511965127569n, 46n]],
      [0, 1, 14256641757913626625n, [12918483791537496168n, 3264939608n, 3116505229700578n]],
      [0, 1, 176109318608520019972n, [174771160642143889515n, 3264939608n, 3116505229700578n]],
    ],
  },
  '2.2.0, step 100': {
    state: {
      ...parameters,
      binStepBps: 100,
      activeId: 8388608,
      baseFactor: 8000,
      variableFeeControl: 5000,
      protocolShareBps: 0,
      volatilityAccumulator: 0,
      volatilityReference: 0,
      idReference: 8388608,
      lastUpdateSecs: 1795223302,
      nowSecs: 1795223312,
      bins: toBins([
        [8388598, 0n, 818181818181818181000n],
        [8388599, 0n, 818181818181818181000n],
        [8388600, 0n, 818181818181818181000n],
        [8388601, 0n, 818181818181818181000n],
        [8388602, 0n, 818181818181818181000n],
        [8388603, 0n, 818181818181818181000n],
        [8388604, 0n, 818181818181818181000n],
        [8388605, 0n, 818181818181818181000n],
        [8388606, 0n, 818181818181818181000n],
        [8388607, 0n, 818181818181818181000n],
        [8388608, 1174545454545454545000n, 103941818181818181000n],
        [8388609, 454545454545454545000n, 0n],
        [8388610, 454545454545454545000n, 0n],
        [8388611, 454545454545454545000n, 0n],
        [8388612, 454545454545454545000n, 0n],
        [8388613, 454545454545454545000n, 0n],
        [8388614, 454545454545454545000n, 0n],
        [8388615, 454545454545454545000n, 0n],
        [8388616, 454545454545454545000n, 0n],
        [8388617, 454545454545454545000n, 0n],
        [8388618, 454545454545454545000n, 0n],
      ]),
    },
    rows: [
      [0, 1, 1440829000296287961098n, [0n, 1411148893139865011987n, 11668881313402571435n]],
      [0, 1, 228916142232912003084n, [0n, 225859430170978014442n, 1837535942042390307n]],
      [1, 0, 54804031212771319814n, [0n, 54365598963069149255n, 438432249702170559n]],
      [1, 0, 3430647672444229641n, [0n, 3403202491064675803n, 27445181379553838n]],
      [0, 1, 146234763833960779n, [0n, 145064885723289092n, 1169878110671687n]],
      [0, 1, 6786884766808066n, [0n, 6732589688673601n, 54295078134465n]],
    ],
  },
}

runVectorSuite('liquidityBook', {
  cases,
  create: createLiquidityBookPool,
  within: 1e-5,
  answer(state, { i, amountIn }): Answer | undefined {
    const swap = liquidityBookSwapOut(state, { swapForY: i === 0, amountIn })
    return swap && [swap.amountInLeft, swap.amountOut, swap.fee]
  },
  inputs(_, { i, pool }) {
    const curve = pool.curve(i, 1 - i)
    const all = curve?.x[curve.count] ?? 0
    return [0.9, 0.3, 0.01].map((part) => BigInt(Math.floor(all * part)))
  },
  // More than all bins take, and more than a bin can count.
  refusedAmounts: [10n ** 30n, 2n ** 130n],
  more(s) {
    const { state } = cases['2.1.1, step 25'] ?? {}
    if (!state) throw new Error('there is such a pair')
    const activeId = 1 << 23
    const bins = toBins([[activeId, 10n ** 12n, 10n ** 12n]])
    const one = { ...state, activeId, idReference: activeId, bins }
    s('leaves in a bin what was paid, less the share of the protocol [teeth/book-settled]', () => {
      for (const swapForY of [true, false]) {
        const swap = liquidityBookSwapOut(one, { swapForY, amountIn: 10n ** 6n })
        const { amountOut = 0n, fee = 0n, next } = swap ?? {}
        assert.ok(amountOut > 0n && fee > 10n)
        const [held, given] = [10n ** 12n + 10n ** 6n - fee / 10n, 10n ** 12n - amountOut]
        const [reserveX, reserveY] = swapForY ? [held, given] : [given, held]
        assert.equal(next?.bins, [{ id: activeId, reserveX, reserveY }])
      }
    })
    s('prices a bin by powers of its step, the base inverted first', () => {
      const base = ((1n << 256n) - 1n) / ((1n << 128n) + (25n << 128n) / 10_000n)
      const square = (base * base) >> 128n
      const powers = [1n << 128n, base, square, (base * square) >> 128n]
      for (const [distance, power] of powers.entries()) {
        assert.is(binPriceX128(activeId - distance, 25), power)
        const inverted = distance === 0 ? power : ((1n << 256n) - 1n) / power
        assert.is(binPriceX128(activeId + distance, 25), inverted)
      }
      for (const distance of [-600_000, -524_288, 600_000])
        near(Number(binPriceX128(activeId + distance, 1)) / 2 ** 128, 1.0001 ** distance)
    })
    s('has no price further away than the contract can count', () => {
      for (const sign of [1, -1]) {
        const price = (distance: number) => () => binPriceX128(activeId + sign * distance, 1)
        assert.throws(price(900_000), /underflow/)
        assert.throws(price((1 << 20) - 1), /underflow/)
        assert.throws(price(1 << 20), /exponent out of bounds/)
      }
    })
    /** At a price of one, with a deep bin: its fee on 1e18 is the fee itself. */
    const deep = {
      ...one,
      binStepBps: 1,
      baseFactor: 0,
      variableFeeControl: 1,
      nowSecs: state.lastUpdateSecs,
      bins: toBins([[activeId, 10n ** 30n, 10n ** 30n]]),
    }
    const swapDeep = (own: Partial<LiquidityBookState>, amountIn = 10n ** 18n) =>
      liquidityBookSwapOut({ ...deep, ...own }, { swapForY: true, amountIn })
    s('takes a base fee, and one that grows with the square of volatility', () => {
      for (const [volatilityReference, baseFactor, fee] of [
        [0, 0, 0n],
        [0, 7, 7n * 10n ** 10n],
        [1, 0, 1n],
        [10, 0, 1n],
        [11, 0, 2n],
        [1_000, 0, 10_000n],
        [1_000, 3, 30_000_010_000n],
        // No more than the pair's greatest.
        [350_001, 0, 1_225_000_000n],
      ] as const)
        assert.is(swapDeep({ volatilityReference, baseFactor })?.fee, fee, `${volatilityReference}`)
      assert.is(
        swapDeep({ volatilityReference: 20, binStepBps: 3, variableFeeControl: 5 })?.fee,
        180n,
      )
      // Each bin from the reference on counts ten thousand, up or down.
      for (const idReference of [activeId - 3, activeId + 3]) {
        const { fee, next } = swapDeep({ idReference }) ?? {}
        assert.equal([fee, next?.volatilityAccumulator], [9_000_000n, 30_000])
      }
      // A bin of a unit takes a unit of the smallest fee.
      const last = swapDeep({ volatilityReference: 1, bins: toBins([[activeId, 0n, 1n]]) }, 2n)
      assert.equal([last?.amountOut, last?.fee, last?.amountInLeft], [1n, 1n, 0n])
      // Of a unit the smallest fee takes all.
      const dust = swapDeep({ volatilityReference: 1 }, 1n)
      assert.equal([dust?.amountOut, dust?.fee, dust?.amountInLeft], [0n, 1n, 0n])
    })
    s('holds volatility for a while, lets it fade, and forgets it', () => {
      const idReference = activeId - 2
      const own = { idReference, volatilityReference: 5, volatilityAccumulator: 70_001 }
      for (const [age, reference, id] of [
        [0, 5, idReference],
        [29, 5, idReference],
        [30, 35_000, activeId],
        [599, 35_000, activeId],
        [600, 0, activeId],
      ] as const) {
        const nowSecs = state.lastUpdateSecs + age
        const { next } = swapDeep({ ...own, nowSecs }) ?? {}
        assert.equal(
          [next?.volatilityReference, next?.idReference, next?.lastUpdateSecs],
          [reference, id, nowSecs],
        )
      }
    })
    s('counts in 128 bits', () => {
      const most = (1n << 128n) - 1n
      assert.is(liquidityBookSwapOut(one, { swapForY: true, amountIn: most + 1n }), undefined)
      const { amountInLeft = 0n, amountOut } =
        liquidityBookSwapOut(one, { swapForY: true, amountIn: most }) ?? {}
      assert.equal([amountInLeft > 0n, amountOut], [true, 10n ** 12n])
    })
    s('empties bins to the unit, half of what is paid being fee', () => {
      const half = {
        ...deep,
        baseFactor: 50_000_000,
        variableFeeControl: 0,
        protocolShareBps: 2_500,
        bins: toBins([
          [activeId - 2, 0n, 1n],
          [activeId - 1, 0n, 0n],
          [activeId, 3n, 100n],
          [activeId + 1, 0n, 0n],
          [activeId + 2, 1n, 0n],
        ]),
      }
      const pool = createLiquidityBookPool(half)
      const first = liquidityBookSwapOut(half, { swapForY: true, amountIn: 200n })
      assert.equal(
        [first?.amountInLeft, first?.amountOut, first?.fee, first?.next.activeId],
        [0n, 100n, 100n, activeId],
      )
      // A quarter of the fee is the protocol's.
      assert.equal(first?.next.bins[2], { id: activeId, reserveX: 178n, reserveY: 0n })
      assert.equal(
        first?.next.bins.filter((_, k) => k !== 2),
        half.bins.filter((_, k) => k !== 2),
      )
      // The last unit is two bins below, and takes two units and their fee.
      const all = liquidityBookSwapOut(half, { swapForY: true, amountIn: 204n })
      assert.equal(
        [all?.amountInLeft, all?.amountOut, all?.fee, all?.next.activeId],
        [0n, 101n, 102n, activeId - 2],
      )
      assert.is(all?.next.volatilityAccumulator, 20_000)
      assert.equal([pool.swap(0, 1, 204n)?.amountOut, pool.swap(0, 1, 205n)], [101n, undefined])
      // Upwards the bin above takes as much: prices are a little higher there.
      assert.equal([pool.swap(1, 0, 10n)?.amountOut, pool.swap(1, 0, 11n)], [4n, undefined])
      assert.equal([pool.swap(0, 1, 1n), pool.swap(0, 1, 2n)?.amountOut], [undefined, 1n])
      const counts = [0, 1].map((i) => pool.curve(i, 1 - i)?.count)
      assert.equal([counts, pool.gas, pool.tokens], [[2, 2], 150_000, ['x', 'y']])
      near(pool.curve(0, 1)?.y[1], 100, 1e-7)
      near(pool.curve(0, 1)?.x[1], 200, 1e-7)
    })
    s('pays much for a single unit where it is worth much', () => {
      const dear = activeId + 100_000
      const bins = toBins([[dear, 10n ** 12n, 10n ** 12n]])
      const pool = createLiquidityBookPool({ ...deep, activeId: dear, idReference: dear, bins })
      const price = binPriceX128(dear, 1)
      assert.is(pool.swap(0, 1, 1n)?.amountOut, price >> 128n)
      assert.is(pool.swap(0, 1, -1n), undefined)
    })
  },
})
