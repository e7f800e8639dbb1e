import { encodeAbiParameters, pad } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { type BalancerV2Record, balancerV2WeightedFamily } from './balancer/balancerV2Chain.ts'
import { type BalancerV3Record, balancerV3StableFamily } from './balancer/balancerV3Chain.ts'
import {
  type ManagedRecord,
  managedSwapTopic,
  uniswapV4Family,
} from './concentrated/uniswapV4Chain.ts'
import { poolIdOf } from './families.ts'

const s = suite('events of strangers')
const stranger = '0x00000000000000000000000000000000000000ee'
const manager = '0x00000000000000000000000000000000000000aa'
const pool = '0x00000000000000000000000000000000000000bb'
const vault = '0x00000000000000000000000000000000000000cc'
const tokens = [
  '0x0000000000000000000000000000000000000001',
  '0x0000000000000000000000000000000000000002',
] as const
const head = {
  dex: 'd',
  tokens,
  feePips: 3000,
  changedBlock: 1n,
  isFresh: [false, false],
  swapsSeen: 0,
}
const managed: ManagedRecord = {
  ...head,
  id: pad('0x1'),
  protocol: 'uniswap_v4',
  address: manager,
  key: {
    currency0: tokens[0],
    currency1: tokens[1],
    fee: 3000,
    tickSpacing: 60,
    hooks: pad('0x', { size: 20 }),
  },
  tickSpacing: 60,
  lpFeePips: 3000,
  protocolFeePips: [0, 0],
  sqrtPriceX96: 1n << 96n,
  tick: 0,
  liquidity: 10n ** 18n,
  ticks: [],
}
const data = encodeAbiParameters(
  [
    { type: 'int128' },
    { type: 'int128' },
    { type: 'uint160' },
    { type: 'uint128' },
    { type: 'int24' },
    { type: 'uint24' },
  ],
  [-10n, 9n, 1n << 95n, 5n, -13864, 3000],
)
const block = { blockNumber: 2n, blockHash: '0x2', logIndex: 0 }
const swap = { ...block, data, topics: [managedSwapTopic, managed.id, pad(stranger)] }

s('move no pool inside a manager, whatever id they name', () => {
  const forged = { ...swap, address: stranger }
  assert.is(poolIdOf(forged), managed.id)
  assert.is(uniswapV4Family.apply(managed, forged), managed)
  const told = uniswapV4Family.apply(managed, { ...swap, address: manager })
  assert.is(told?.sqrtPriceX96, 1n << 95n)
  assert.is(told?.tick, -13864)
})
s('move no pool behind a vault', () => {
  const behind = {
    ...head,
    id: pool,
    address: pool,
    vault,
    isPaused: false,
    isMoving: false,
    hasPlainPowers: false,
    scalingFactors: [1n, 1n],
    swapFeePercentage: 0n,
    weights: [],
    amp: 1000n,
  } as const
  const v2: BalancerV2Record = {
    ...behind,
    protocol: 'balancer_v2_weighted',
    poolId: pad(pool),
    balances: [1n, 1n],
  }
  const v3: BalancerV3Record = {
    ...behind,
    protocol: 'balancer_v3_stable',
    isOf2026: false,
    balancesRaw: [1n, 1n],
    lastBalancesLiveScaled18: [1n, 1n],
    rates: [1n, 1n],
    paysYieldFees: [false, false],
    aggregateSwapFeePercentage: 0n,
    aggregateYieldFeePercentage: 0n,
  }
  for (const topic of [balancerV2WeightedFamily.topics[0], balancerV3StableFamily.topics[0]]) {
    const forged = { ...block, data, address: stranger, topics: [topic ?? '', pad(pool)] } as const
    assert.is(balancerV2WeightedFamily.apply(v2, forged), v2)
    assert.is(balancerV3StableFamily.apply(v3, forged), v3)
  }
  // The pool's own word asks for another read.
  const own = { ...block, data, address: pool, topics: [] }
  assert.is(balancerV2WeightedFamily.apply(v2, own), undefined)
  assert.is(balancerV3StableFamily.apply(v3, own), undefined)
})
s.run()
