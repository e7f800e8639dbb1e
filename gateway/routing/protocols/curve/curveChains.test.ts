import { decodeAbiParameters, getAddress, type Hex, toEventSelector } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import {
  changeTold,
  createViewNode,
  fakeAddress,
  fakeDex,
  fakeLog,
  partOf,
  type Told,
} from '../../testing/viewNode.ts'
import { curvePlainFamily } from './curvePlainChain.ts'
import { curveStableNgFamily } from './curveStableNgChain.ts'

const s = suite('Curve pools on the chain')
const e = (power: number) => 10n ** BigInt(power)
const [pool, usd, token, native, weth] = [
  fakeAddress(1),
  fakeAddress(2),
  fakeAddress(3),
  '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  '0x4200000000000000000000000000000000000006',
] as const
const dex = fakeDex({ protocol: 'curve_plain' })
const blockNumber = 7n
/** What answers nothing stands before: each pool's answers are its own. */
const pools = [fakeAddress(600), pool].map((address) => ({ dex, address }))
const balances = [1_000_000n * e(6), 1_000_000n * e(18)]

/** A million dollars of 6 decimals and a million of the native currency. */
const plain: readonly Told[] = [
  [pool, 'coins(uint256)(address)', [usd], [0n]],
  [pool, 'coins(uint256)(address)', [native], [1n]],
  [pool, 'balances(uint256)(uint256)', [balances[0]], [0n]],
  [pool, 'balances(uint256)(uint256)', [balances[1]], [1n]],
  [pool, 'A_precise()(uint256)', [20_000n]],
  [pool, 'fee()(uint256)', [4_000_000n]],
  [pool, 'admin_fee()(uint256)', [5n * e(9)]],
  [usd, 'decimals()(uint256)', [6n]],
  // A thousandth of the first balance, less 4 basis points.
  [pool, 'get_dy(int128,int128,uint256)(uint256)', [9_996n * e(17)], [0n, 1n, 1_000n * e(6)]],
]
const moving = { balances, aPrecise: 20_000n, fee: 4_000_000n, adminFee: 5n * e(9), feePips: 400 }

s('plain ones are read by their coins, with what moves [teeth/curve-chains]', async () => {
  const { deps } = createViewNode(plain)
  const [record, ...more] = await curvePlainFamily.load(deps, { pools, blockNumber })
  assert.equal(more, [])
  assert.equal(record, {
    id: pool,
    address: getAddress(pool),
    dex: 'd',
    tokens: [usd, weth],
    changedBlock: 7n,
    swapsSeen: 0,
    protocol: 'curve_plain',
    ...moving,
    rates: [e(30), e(18)],
    isFresh: [false, false],
    native: [false, true],
  })
  const fields = await curvePlainFamily.refresh?.(deps, {
    records: record ? [{ ...record, id: 'gone', address: fakeAddress(600) }, record] : [],
    dexes: [dex],
    blockNumber,
  })
  assert.equal(fields?.get(pool), moving)
})

s(
  'plain ones that are none, or price otherwise than we, are left out [teeth/curve-chains]',
  async () => {
    const base: Told = [pool, 'base_pool()(address)', [fakeAddress(9)]]
    const dy = 'get_dy'
    const less = (wei: bigint) => [9_996n * e(17) - wei]
    const count = async (told: readonly Told[]) =>
      (await curvePlainFamily.load(createViewNode(told).deps, { pools, blockNumber })).length
    for (const told of [
      [...plain, base],
      plain.filter(([, , , args]) => args?.[0] !== 1n),
      changeTold(plain, 'A_precise', [0n]),
      changeTold(plain, 'A_precise'),
      changeTold(plain, 'fee', [e(10)]),
      changeTold(plain, 'fee'),
      changeTold(plain, 'admin_fee'),
      changeTold(plain, 'decimals'),
      changeTold(plain, 'decimals', [37n]),
      // As if its first coin had been of 7 decimals when the pool was made.
      changeTold(plain, dy, [9_996n * e(16)]),
      changeTold(plain, dy),
      changeTold(plain, dy, less(2n * e(17))),
    ])
      assert.is(await count(told), 0)
    assert.is(
      await count(changeTold(plain, dy, less(5n * e(16)))),
      1,
      'half a basis point is rounding',
    )
    assert.is(await count(changeTold(plain, 'fee', [0n])), 0, 'it is not priced without a fee')
  },
)

const ng: readonly Told[] = [
  [pool, 'coins(uint256)(address)', [token], [0n]],
  [pool, 'coins(uint256)(address)', [usd], [1n]],
  [pool, 'get_balances()(uint256[])', [balances]],
  [pool, 'stored_rates()(uint256[])', [[e(30), 11n * e(17)]]],
  [pool, 'A_precise()(uint256)', [20_000n]],
  [pool, 'fee()(uint256)', [4_000_000n]],
  [pool, 'offpeg_fee_multiplier()(uint256)', [2n * e(10)]],
  [pool, 'admin_fee()(uint256)', [7n]],
  [dex.factory, 'get_pool_asset_types(address)(uint8[])', [[0, 3]], [pool]],
]
const ngMoving = {
  balances,
  rates: [e(30), 11n * e(17)],
  aPrecise: 20_000n,
  fee: 4_000_000n,
  offpegFeeMultiplier: 2n * e(10),
  adminFee: 7n,
  feePips: 400,
}

s('NG pools are read with the code that tells their rates [teeth/curve-chains]', async () => {
  const load = async (told: readonly Told[]) => {
    const { deps } = createViewNode(told)
    return (await curveStableNgFamily.load(deps, { pools, blockNumber }))[0]
  }
  const record = await load(ng)
  assert.equal(record, {
    id: pool,
    address: getAddress(pool),
    dex: 'd',
    tokens: [token, usd],
    changedBlock: 7n,
    swapsSeen: 0,
    protocol: 'curve_stable_ng',
    ...ngMoving,
    parts: [partOf(usd)],
    isFresh: [false, false],
    native: [false, false],
  })
  const types = 'get_pool_asset_types'
  // Oracles are named by no view: the pool stands for them, and for all where nobody tells.
  assert.equal((await load(changeTold(ng, types, [[1, 0]])))?.parts, [partOf(pool)])
  assert.equal((await load(changeTold(ng, types, [[0, 0]])))?.parts, [])
  assert.equal((await load(changeTold(ng, types, [[2, 1]])))?.parts, [partOf(token), partOf(pool)])
  assert.equal((await load(changeTold(ng, types, [[0]])))?.parts, [partOf(pool)])
  assert.equal((await load(changeTold(ng, types)))?.parts, [partOf(pool)])
  assert.is((await load(changeTold(ng, 'admin_fee')))?.adminFee, 5n * e(9))
  for (const told of [
    changeTold(ng, 'get_balances', [[1n, 2n, 3n]]),
    changeTold(ng, 'stored_rates', [[1n]]),
    changeTold(ng, 'offpeg_fee_multiplier'),
    changeTold(ng, 'fee', [e(10)]),
    ng.filter(([, , , args]) => args?.[0] !== 1n),
  ])
    assert.is(await load(told), undefined)
  const { deps } = createViewNode(ng)
  const fields = await curveStableNgFamily.refresh?.(deps, {
    records: record ? [{ ...record, id: 'gone', address: fakeAddress(600) }, record] : [],
    dexes: [dex],
    blockNumber,
  })
  assert.equal(fields?.get(pool), ngMoving)
})

s(
  'a factory lists its pools, each once, unless they are too many [teeth/curve-chains]',
  async () => {
    const list = async (told: readonly Told[]) =>
      (await curvePlainFamily.list?.(createViewNode(told).deps, { dex, blockNumber }))?.map(
        ({ address }) => address,
      )
    const count = (n: bigint): Told => [dex.factory, 'pool_count()(uint256)', [n]]
    const entry = (n: bigint, address: Hex): Told => [
      dex.factory,
      'pool_list(uint256)(address)',
      [address],
      [n],
    ]
    const none = fakeAddress(0).replace(/fa0000$/, '000000') as Hex
    const told = [count(4n), entry(0n, pool), entry(1n, none), entry(2n, pool), entry(3n, usd)]
    assert.equal(await list(told), [pool, usd])
    assert.equal(await list([count(1_001n)]), undefined)
    assert.equal(await list([count(1_000n), entry(999n, pool)]), [pool])
    assert.equal(await list([]), [])
  },
)

const log = (event: string) => fakeLog(pool, event)

for (const [name, family, told, gas] of [
  ['plain', curvePlainFamily, plain, 104_000],
  ['NG', curveStableNgFamily, ng, 106_000],
] as const)
  s(`events of ${name} pools are counted, and steps name coins by their places`, async () => {
    const { deps } = createViewNode(told)
    const [record] = await family.load(deps, { pools, blockNumber })
    if (!record) throw new Error('there is no pool')
    // Both families take their own records: one that fits either is what both share.
    const own = family as typeof curvePlainFamily
    const pooled = record as Parameters<typeof own.apply>[0]
    for (const [event, swaps] of [
      ['TokenExchange(address,int128,uint256,int128,uint256)', 1],
      ['TokenExchangeUnderlying(address,int128,uint256,int128,uint256)', 1],
      ['AddLiquidity(address,uint256[2],uint256[2],uint256,uint256)', 0],
      ['RemoveLiquidityOne(address,uint256,uint256,uint256)', 0],
    ] as const) {
      assert.ok(family.topics.includes(toEventSelector(event)), event)
      const { swapsSeen, changedBlock } = own.apply(pooled, log(event)) ?? {}
      assert.equal([swapsSeen, changedBlock], [swaps, 9n], event)
    }
    const step = own.encodeStep(pooled, {
      tokenIn: pooled.tokens[1] ?? '',
      tokenOut: pooled.tokens[0] ?? '',
    })
    const words = decodeAbiParameters(
      [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bool' }],
      step.data,
    )
    assert.equal([step.kind, step.pool, words], [6, getAddress(pool), [1n, 0n, name === 'plain']])
    assert.is(own.stepGas(pooled, 0), gas)
    assert.equal([own.depth(pooled, 0), own.held(pooled, 1)], [undefined, 1e24])
    assert.is(own.takesTaxedInput, false)
  })
s.run()
