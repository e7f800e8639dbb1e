import { assert, suite } from '../../../fixtures/test.ts'
import { familyOf } from './families.ts'
import type { PoolRecord } from './poolRecord.ts'

/** What a family says of a pool beside its swaps agrees with them: price both ways, depth and gas. */
const s = suite('prices of families')
const tokens = ['0xa', '0xb'] as const
const address = '0x2222222222222222222222222222222222222222' as const
const head = {
  id: address,
  address,
  dex: 'd',
  tokens,
  feePips: 3_000,
  changedBlock: 1n,
  swapsSeen: 0,
  isFresh: [false, false],
}
const e = (power: number) => 10n ** BigInt(power)
/** Of 6 and of 18 decimals, the second twice as many. */
const reserves = [3_000_000n * e(6), 6_000_000n * e(18)] as const
const [reserve0, reserve1] = reserves
const pair = { ...head, reserve0, reserve1 }
const units = { unit0: e(6), unit1: e(18) }
const curve = {
  native: [false, false],
  balances: reserves,
  rates: [e(30), e(18)],
  aPrecise: 20_000n,
  fee: 4_000_000n,
  adminFee: 5n * e(9),
}
const vault = { vault: address, isPaused: false, isMoving: false }
const v2 = {
  ...head,
  ...vault,
  poolId: address,
  balances: reserves,
  scalingFactors: [e(30), e(18)],
  swapFeePercentage: e(15),
  hasPlainPowers: false,
}
const live = [3_000_000n * e(18), 6_000_000n * e(18)]
const v3 = {
  ...head,
  ...vault,
  balancesRaw: reserves,
  scalingFactors: [e(12), 1n],
  rates: [e(18), e(18)],
  lastBalancesLiveScaled18: live,
  paysYieldFees: [false, false],
  swapFeePercentage: e(15),
  aggregateSwapFeePercentage: 0n,
  aggregateYieldFeePercentage: 0n,
  isOf2026: false,
}
const weights = [4n * e(17), 6n * e(17)]
const trident = {
  ...head,
  bentoBox: address,
  feeBps: 30n,
  units: [e(6), e(18)],
  reserves,
  shares: reserves,
  elastics: reserves.map((each) => each * 2n),
  bases: reserves.map((each) => each * 2n),
  liquid: reserves,
}
const range = {
  ...head,
  feePips1: 3_000,
  tickSpacing: 60,
  sqrtPriceX96: 3n << 96n,
  tick: 21_973,
  liquidity: e(24),
  ticks: [
    { index: -887_220, gross: e(24), net: e(24) },
    { index: 887_220, gross: e(24), net: -e(24) },
  ],
}

const pools: readonly (readonly [name: string, fee: number, record: unknown])[] = [
  ['a pair', 0.003, { ...pair, protocol: 'uniswap_v2' }],
  [
    'a volatile pair',
    0.003,
    { ...pair, ...units, protocol: 'aerodrome_v2', stable: false, isPaused: false },
  ],
  [
    'a stable pair',
    0.003,
    { ...pair, ...units, protocol: 'aerodrome_v2', stable: true, isPaused: false },
  ],
  [
    'a pair with two fees',
    0.003,
    {
      ...pair,
      ...units,
      protocol: 'camelot_v2',
      stable: false,
      token0FeePercent: 300n,
      token1FeePercent: 300n,
      ownerFeeShare: 0n,
    },
  ],
  [
    'a stable pair with two fees',
    0.003,
    {
      ...pair,
      ...units,
      protocol: 'camelot_v2',
      stable: true,
      token0FeePercent: 300n,
      token1FeePercent: 300n,
      ownerFeeShare: 0n,
    },
  ],
  ['a range', 0.003, { ...range, protocol: 'uniswap_v3' }],
  ['a range of its own fees', 0.003, { ...range, protocol: 'slipstream' }],
  ['a plain curve', 0.0004, { ...head, ...curve, protocol: 'curve_plain' }],
  [
    'a new curve',
    0.0004,
    { ...head, ...curve, protocol: 'curve_stable_ng', offpegFeeMultiplier: 0n },
  ],
  ['weights', 0.001, { ...v2, protocol: 'balancer_v2_weighted', weights, amp: 0n }],
  ['a stable vault', 0.001, { ...v2, protocol: 'balancer_v2_stable', weights: [], amp: 200_000n }],
  [
    'weights of the third vault',
    0.001,
    { ...v3, protocol: 'balancer_v3_weighted', weights, amp: 0n },
  ],
  [
    'a stable pool of the third vault',
    0.001,
    { ...v3, protocol: 'balancer_v3_stable', weights: [], amp: 200_000n },
  ],
  ['a box', 0.003, { ...trident, protocol: 'trident', stable: false }],
  ['a stable box', 0.003, { ...trident, protocol: 'trident', stable: true }],
]
const isWithin = (one: number, other: number, part: number) => Math.abs(one / other - 1) <= part

for (const [name, fee, record] of pools)
  s(`${name} [teeth/family-prices]`, () => {
    const pool = record as PoolRecord
    const family = familyOf(pool)
    const engine = family.toEnginePool(pool)
    for (const [i, j] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const price = family.midPrice(pool, i, j)
      assert.ok(isWithin(price * family.midPrice(pool, j, i), 1, 1e-5), `back: ${price}`)
      const amountIn = reserves[i] / 100_000n
      const out = engine.swap(i, j, amountIn)?.amountOut ?? 0n
      const given = Number(out) / Number(amountIn) / (1 - fee)
      assert.ok(isWithin(given, price, 1e-4), `gives ${given} at ${price}`)
      const depth = family.depth(pool, i)
      // Twice a trade over the depth is what it moves the price by, or more: a curve is flatter.
      const large = reserves[i] / 100n
      const moved = Number(engine.swap(i, j, large)?.next.swap(i, j, amountIn)?.amountOut ?? 0n)
      const move = 1 - moved / Number(amountIn) / (1 - fee) / price
      assert.ok(
        depth === undefined || move <= ((2 * Number(large)) / depth) * 1.02 + 1e-6,
        `moves ${move}`,
      )
      assert.ok(family.stepGas(pool, i) > 50_000 && Number.isInteger(family.stepGas(pool, i)))
    }
  })
s.run()
