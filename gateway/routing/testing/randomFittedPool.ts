import { createBalancerV2StablePool } from '../protocols/balancer/balancerV2Stable.ts'
import { createBalancerV2WeightedPool } from '../protocols/balancer/balancerV2Weighted.ts'
import { createBalancerV3StablePool } from '../protocols/balancer/balancerV3Stable.ts'
import { createBalancerV3WeightedPool } from '../protocols/balancer/balancerV3Weighted.ts'
import { createCurvePlainPool } from '../protocols/curve/curvePlain.ts'
import { createCurveStableNgPool } from '../protocols/curve/curveStableNg.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { createAerodromeV2Pool } from '../protocols/pair/aerodromeV2.ts'
import { createCamelotV2Pool } from '../protocols/pair/camelotV2.ts'
import { createTridentPool } from '../protocols/pair/trident.ts'

const one = 10n ** 18n

/** What the families have in common: two tokens of some decimals, more of one than of the other. */
type Kind = {
  readonly balances: readonly [bigint, bigint]
  readonly units: readonly [bigint, bigint]
  /** Of 18 decimals. */
  readonly fee: bigint
  readonly amp: bigint
  readonly weights: readonly [bigint, bigint]
}
const identity = { id: 'pool', tokens: ['a', 'b'] }

const stablePair = ({ balances, units }: Kind) => ({
  ...identity,
  token0: 'a',
  token1: 'b',
  stable: true,
  reserve0: balances[0],
  reserve1: balances[1],
  unit0: units[0],
  unit1: units[1],
})
const curve = ({ balances, units, fee, amp }: Kind) => ({
  ...identity,
  balances,
  rates: units.map((unit) => one ** 2n / unit),
  aPrecise: 100n * amp,
  fee: fee / 10n ** 8n,
  adminFee: 5n * 10n ** 9n,
})
const vaultV2 = ({ balances, units, fee }: Kind) => ({
  ...identity,
  balances,
  cash: balances,
  scalingFactors: units.map((unit) => one ** 2n / unit),
  swapFeePercentage: fee,
  isPaused: false,
})
const vaultV3 = ({ balances, units, fee }: Kind) => ({
  ...identity,
  balancesRaw: balances,
  scalingFactors: units.map((unit) => one / unit),
  rates: [one, one],
  lastBalancesLiveScaled18: balances.map((balance, k) => (balance * one) / (units[k] ?? one)),
  paysYieldFees: [false, false],
  swapFeePercentage: fee,
  aggregateSwapFeePercentage: one / 2n,
  aggregateYieldFeePercentage: 0n,
})
const makers: Readonly<Record<string, (kind: Kind) => EnginePool>> = {
  aerodrome: (kind) =>
    createAerodromeV2Pool({ ...stablePair(kind), feeBps: kind.fee / 10n ** 14n }),
  camelot: (kind) =>
    createCamelotV2Pool({
      ...stablePair(kind),
      token0FeePercent: kind.fee / 10n ** 13n,
      token1FeePercent: kind.fee / 10n ** 13n,
      ownerFeeShare: 40_000n,
    }),
  trident: ({ balances, units, fee }) =>
    createTridentPool({
      ...identity,
      stable: true,
      feeBps: fee / 10n ** 14n,
      units,
      reserves: balances,
      shares: balances,
      elastics: balances,
      bases: balances,
      liquid: balances,
    }),
  plain: (kind) => createCurvePlainPool(curve(kind)),
  ng: (kind) => createCurveStableNgPool({ ...curve(kind), offpegFeeMultiplier: 2n * 10n ** 10n }),
  'balancer v2 weighted': (kind) =>
    createBalancerV2WeightedPool({ ...vaultV2(kind), weights: kind.weights }),
  'balancer v2 stable': (kind) =>
    createBalancerV2StablePool({ ...vaultV2(kind), amp: 1_000n * kind.amp }),
  'balancer v3 weighted': (kind) =>
    createBalancerV3WeightedPool({ ...vaultV3(kind), weights: kind.weights }),
  'balancer v3 stable': (kind) =>
    createBalancerV3StablePool({
      ...vaultV3(kind),
      amp: 1_000n * kind.amp,
      limitsImbalance: false,
    }),
}
/** Families whose curve is fitted between exact trades. */
export const fittedFamilies = Object.keys(makers)

/** A pool of a family: decimals, size, balance, amplification, weights and fee all drawn. */
export function randomFittedPool(family: string, random: () => number): EnginePool {
  const pick = <value>(values: readonly value[]) =>
    values[Math.floor(random() * values.length)] as value
  const units = [10n ** pick([6n, 8n, 18n]), 10n ** pick([6n, 8n, 18n])] as const
  const whole = 10 ** (2 + 5 * random())
  const lean = 10 ** (pick([0.1, 0.5, 1.5, 3]) * (2 * random() - 1))
  const raw = (tokens: number, unit: bigint) =>
    (BigInt(Math.ceil(tokens * 1e6)) * unit) / 1_000_000n
  const weight = (one * BigInt(1 + Math.floor(98 * random()))) / 100n
  return (makers[family] as (kind: Kind) => EnginePool)({
    units,
    balances: [raw(whole, units[0]), raw(whole * lean, units[1])],
    fee: pick([1n, 5n, 30n, 100n]) * 10n ** 14n,
    amp: pick([10n, 100n, 500n, 2_000n]),
    weights: [weight, one - weight],
  })
}
