import { assert } from '../../../../fixtures/test.ts'
import { runVectorSuite } from '../../testing/runVectorSuite.ts'
import { type CamelotV2State, camelotV2AmountOut, createCamelotV2Pool } from './camelotV2.ts'

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

runVectorSuite('camelotV2', {
  cases: {
    volatile: {
      state: volatile,
      rows: [
        [0, 1, 155612176977587236n, 201688n],
        [1, 0, 4621261n, 3544139141999637747n],
        [0, 1, 3066380594702804582402n, 3962222657n],
      ],
    },
    stable: {
      state: stable,
      rows: [
        [0, 1, 113408225773937328137n, 113570368n],
        [1, 0, 98911708069n, 97537032456470786854151n],
        [1, 0, 1064n, 1056301459666986n],
        [0, 1, 159418069475960354242563n, 159106264953n],
      ],
    },
  },
  create: createCamelotV2Pool,
  answer: (state, { i, amountIn }) => camelotV2AmountOut(state, { zeroForOne: i === 0, amountIn }),
  inputs({ reserve0, reserve1 }, { i }) {
    const least = (i === 0 ? reserve0 : reserve1) / 10n ** 6n
    return Array.from({ length: 14 }, (_, power) => least * 3n ** BigInt(power))
  },
  within: 2e-3,
  refusedAmounts: [1n << 112n],
  more(s) {
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
    s('refuses what pays nothing, and an empty pair', () => {
      for (const state of [volatile, stable]) {
        assert.is(createCamelotV2Pool(state).swap(0, 1, 1n), undefined)
        assert.is(camelotV2AmountOut(state, { zeroForOne: true, amountIn: 0n }), 0n)
        const empty = createCamelotV2Pool({ ...state, reserve0: 0n, reserve1: 0n })
        assert.is(empty.swap(0, 1, 10n ** 20n), undefined)
        assert.is(empty.curve(0, 1), undefined)
      }
    })
    s('holds what 112 bits hold of each token, and no more [teeth/camelot]', () => {
      const most = (1n << 112n) - 1n
      const room = 10n ** 20n
      for (const i of [0, 1]) {
        const [reserve0, reserve1] = i === 0 ? [most - room, 10n ** 30n] : [10n ** 30n, most - room]
        const pool = createCamelotV2Pool({ ...volatile, reserve0, reserve1 })
        assert.ok(pool.swap(i, 1 - i, room))
        assert.is(pool.swap(i, 1 - i, room + 1n), undefined)
        assert.is(pool.curve(i, 1 - i)?.x[1], Number(room))
      }
    })
    s('is rounded as the loop of the contract, which ends after 255 turns [teeth/camelot]', () => {
      const [token0FeePercent, unit1] = [0n, stable.unit0]
      for (const [reserve0, reserve1, amountIn, amountOut] of [
        [
          10_745_564_952_169_682n,
          29_222_809_357_036_616n,
          75_724_819_685_331n,
          92_090_727_157_145n,
        ],
        [153_898_674_212_322n, 231_563_885_411_391n, 66_563_260_630_266n, 66_629_340_902_226n],
        [
          610_378_589_550_861_696n,
          274_107_430_654_585_248n,
          80_771_739_223_733_456n,
          66_078_686_271_321_355n,
        ],
        [
          862_459_208_530_258_560n,
          157_816_202_358_342_304n,
          99_238_209_194_673_296n,
          41_861_835_708_575_808n,
        ],
      ] as const) {
        const state = { ...stable, unit1, token0FeePercent, reserve0, reserve1 }
        assert.is(camelotV2AmountOut(state, { zeroForOne: true, amountIn }), amountOut)
      }
    })
    s('is paid where no worth is lost, whatever the decimals [teeth/camelot]', () => {
      const [mega, wad] = [10n ** 6n, 10n ** 18n]
      for (const [unit0, unit1, reserve0, reserve1, fee, i, amountIn, amountOut, isPaid] of [
        [mega, wad, 3240n, 976387100881132n, 0n, 0, 481n, 296014858844495n, true],
        [
          wad,
          wad,
          49155224406268313n,
          4590216549n,
          300n,
          1,
          18360866196n,
          20386039721181200n,
          true,
        ],
        [mega, mega, 1n, 1n, 0n, 0, 1n, 0n, false],
        [mega, mega, 2n, 156644n, 0n, 1, 351359n, 1n, true],
        [mega, wad, 448946n, 21601902695381n, 40n, 0, 1428846n, 21306422679204n, false],
        [mega, mega, 58n, 3n, 40n, 0, 230n, 2n, true],
        [wad, mega, 1549618057n, 960795n, 0n, 1, 2757n, 13263689n, false],
      ] as const) {
        const fees = { token0FeePercent: fee, token1FeePercent: fee, ownerFeeShare: 40_000n }
        const state = { ...stable, ...fees, unit0, unit1, reserve0, reserve1 }
        const label = `${reserve0} ${reserve1} ${amountIn}`
        assert.is(camelotV2AmountOut(state, { zeroForOne: i === 0, amountIn }), amountOut, label)
        const paid = createCamelotV2Pool(state).swap(i, 1 - i, amountIn)?.amountOut
        assert.is(paid, isPaid ? amountOut : undefined, label)
      }
    })
    s('draws no curve of half a pair, nor of one that keeps all [teeth/camelot]', () => {
      for (const state of [volatile, stable]) {
        const curve = (own: Partial<CamelotV2State>) =>
          createCamelotV2Pool({ ...state, ...own }).curve(0, 1)
        for (const own of [{ reserve0: 0n }, { reserve1: 0n }, { token0FeePercent: 100_000n }])
          assert.is(curve(own), undefined)
        assert.ok(curve({ token0FeePercent: 99_000n }))
      }
      // A stable one is looked at up to four times what it holds.
      const even = { ...stable, reserve1: 10n ** 12n }
      assert.is(createCamelotV2Pool(even).curve(0, 1)?.x.at(-1), 4e24)
      const [cheap, dear] = [volatile, stable].map((state) => createCamelotV2Pool(state).gas)
      assert.equal([cheap, dear], [110_000, 140_000])
    })
    s('leaves one unit of each token, and never none [teeth/camelot]', () => {
      const left = (i: number, reserveIn: bigint, reserveOut: bigint) => {
        const [reserve0, reserve1] = i === 0 ? [reserveIn, reserveOut] : [reserveOut, reserveIn]
        return createCamelotV2Pool({ ...volatile, reserve0, reserve1 }).swap(i, 1 - i, 1_004n)
      }
      for (const i of [0, 1]) {
        assert.is(left(i, 1_000n, 2n)?.amountOut, 1n)
        assert.is(left(i, 0n, 2n), undefined)
      }
    })
    s('pays where no more than what the pair was worth stays [teeth/camelot]', () => {
      const free = { ...volatile, token0FeePercent: 0n, reserve0: 10n, reserve1: 10n }
      assert.is(createCamelotV2Pool(free).swap(0, 1, 10n)?.amountOut, 5n)
    })
  },
})
