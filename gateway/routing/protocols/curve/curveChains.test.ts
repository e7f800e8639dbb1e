import { decodeAbiParameters, getAddress, toEventSelector } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import {
  changeTold,
  createViewNode,
  fakeAddress,
  fakeDex,
  fakeLog,
  moveTold,
  partOf,
  type Told,
} from '../../testing/viewNode.ts'
import { curvePlainAmountOut } from './curvePlain.ts'
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
const other = fakeAddress(9)
const beside = [pool, other].map((address) => ({ dex, address }))
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
  const feeOf = async (fee: bigint) => {
    const node = createViewNode(changeTold(plain, 'fee', [fee]))
    const parameters = { records: record ? [record] : [], dexes: [dex], blockNumber }
    return (await curvePlainFamily.refresh?.(node.deps, parameters))?.get(pool)?.fee
  }
  assert.equal([await feeOf(e(10) - 1n), await feeOf(e(10))], [e(10) - 1n, undefined])
})

const count = async (told: readonly Told[]) =>
  (await curvePlainFamily.load(createViewNode(told).deps, { pools, blockNumber })).length
const dy = 'get_dy'

/** Four coins of 18 decimals, each with more of it than the one before, and a fifth that nobody counts. */
const coins = [usd, token, native, fakeAddress(5), fakeAddress(6)]
const many = {
  id: pool,
  tokens: coins.slice(0, 4),
  ...moving,
  balances: [1n, 2n, 3n, 4n].map((times) => times * e(24)),
  rates: Array(4).fill(e(18)) as bigint[],
}
const ofMany = (told: (j: number) => bigint): readonly Told[] => [
  ...changeTold(changeTold(changeTold(plain, 'coins'), 'balances'), dy).filter(
    ([to]) => to === pool,
  ),
  ...coins.flatMap((coin, k): readonly Told[] => [
    [pool, 'coins(uint256)(address)', [coin], [BigInt(k)]],
    [pool, 'balances(uint256)(uint256)', [many.balances[k] ?? e(24)], [BigInt(k)]],
    [coin, 'decimals()(uint256)', [18n]],
  ]),
  ...[1, 2, 3].map(
    (j): Told => [
      pool,
      'get_dy(int128,int128,uint256)(uint256)',
      [told(j)],
      [0n, BigInt(j), e(21)],
    ],
  ),
]
s('plain ones have four coins at most, each priced as we do [teeth/curve-chains]', async () => {
  const own = (j: number) => curvePlainAmountOut(many, { i: 0, j, amountIn: e(21) }) ?? 0n
  const { deps } = createViewNode([...ofMany(own), ...moveTold(ofMany(own), pool, other)])
  const [record, twin] = await curvePlainFamily.load(deps, { pools: beside, blockNumber })
  assert.equal([record?.tokens.length, record?.balances], [4, many.balances])
  assert.equal(twin, { ...record, id: other, address: getAddress(other) })
  for (const lie of [1, 2, 3])
    assert.is(await count(ofMany((j) => (j === lie ? 2n * own(j) : own(j)))), 0)
})

s('what plain ones say is as near as they round [teeth/curve-chains]', async () => {
  const state = { ...many, balances, rates: [e(30), e(18)] }
  const own = curvePlainAmountOut(state, { i: 0, j: 1, amountIn: 1_000n * e(6) }) ?? 0n
  // Two units and a ten thousandth of what is said, either way.
  const offs = [-1n, 0n, 1n, 2n]
  const least = offs
    .map((off) => ((own - 2n) * 10_000n) / 10_001n + off)
    .find((told) => told + told / 10_000n + 2n >= own)
  const most = offs
    .map((off) => ((own + 2n) * 10_000n) / 9_999n + off)
    .findLast((told) => told - told / 10_000n - 2n <= own)
  if (least === undefined || most === undefined) throw new Error('there is no bound')
  const counts = []
  for (const told of [least - 1n, least, most, most + 1n])
    counts.push(await count(changeTold(plain, dy, [told])))
  assert.equal(counts, [0, 1, 1, 0])
  // A pool that has next to nothing is asked about one unit.
  const little = changeTold(
    changeTold(changeTold(plain, 'balances', [500n]), 'decimals', [18n]),
    dy,
  )
  const said: Told = [pool, 'get_dy(int128,int128,uint256)(uint256)', [1_000n], [0n, 1n, 1n]]
  assert.equal([await count(little), await count([...little, said])], [1, 0])
})

s(
  'plain ones that are none, or price otherwise than we, are left out [teeth/curve-chains]',
  async () => {
    const base: Told = [pool, 'base_pool()(address)', [fakeAddress(9)]]
    const less = (wei: bigint) => [9_996n * e(17) - wei]
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
      changeTold(changeTold(plain, 'decimals'), dy),
      plain.filter(([, view, , args]) => !view.startsWith('balances') || args?.[0] !== 1n),
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
    // A million of 36 decimals, priced by a thousand of them.
    const long = plain.flatMap((one): readonly Told[] => {
      const [to, view, , args] = one
      if (view.startsWith('balances') && args?.[0] === 0n) return [[to, view, [e(42)], args]]
      return view.startsWith(dy) ? [[to, view, [9_996n * e(17)], [0n, 1n, e(39)]]] : [one]
    })
    assert.is(await count(changeTold(long, 'decimals', [36n])), 1)
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
  const words = (...types: readonly string[]) => `get_balances()(${types.join()})`
  const [word, four] = ['uint256', [32n, 2n, 5n, 6n]] as const
  for (const told of [
    changeTold(ng, 'get_balances', [64n, ...four.slice(1)], words(word, word, word, word)),
    changeTold(ng, 'get_balances', four.slice(0, 3), words(word, word, word)),
    changeTold(ng, 'A_precise'),
    changeTold(ng, 'fee'),
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
  assert.is(curveStableNgFamily.asksOracles, true)
  const both = createViewNode([...ng, ...moveTold(ng, pool, other)])
  const [, twin] = await curveStableNgFamily.load(both.deps, { pools: beside, blockNumber })
  assert.equal(twin, { ...record, id: other, address: getAddress(other) })
})
s('NG pools have two to eight coins, native currency too [teeth/curve-chains]', async () => {
  const load = async (count: number) => {
    const all = Array.from({ length: count }, (_, k) => (k === 1 ? native : fakeAddress(20 + k)))
    const amounts = all.map((_, k) => BigInt(k + 1)).slice(0, 8)
    const listed = changeTold(
      changeTold(changeTold(ng, 'get_balances', [amounts]), 'stored_rates', [amounts]),
      'coins',
    )
    const told: readonly Told[] = [
      ...listed,
      ...all.map((coin, k): Told => [pool, 'coins(uint256)(address)', [coin], [BigInt(k)]]),
    ]
    const { deps } = createViewNode(told)
    return (await curveStableNgFamily.load(deps, { pools, blockNumber }))[0]
  }
  const { tokens, native: isNative, balances: held } = (await load(8)) ?? {}
  assert.equal([tokens?.length, tokens?.[1], held?.[7]], [8, weth, 8n])
  assert.equal(isNative, [false, true, ...Array(6).fill(false)])
  assert.is((await load(9))?.tokens.length, 8)
  assert.is(await load(1), undefined)
})

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
    const types = [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bool' }] as const
    const words = decodeAbiParameters(types, step.data)
    assert.equal([step.kind, step.pool, words], [6, getAddress(pool), [1n, 0n, name === 'plain']])
    const [tokenIn = '', tokenOut = ''] = pooled.tokens
    const back = own.encodeStep(pooled, { tokenIn, tokenOut })
    assert.equal(decodeAbiParameters(types, back.data), [0n, 1n, name === 'plain'])
    assert.equal(own.toEnginePool(pooled).tokens, pooled.tokens)
    assert.is(own.stepGas(pooled, 0), gas)
    assert.equal(
      [own.depth(pooled, 0), own.held(pooled, 0), own.held(pooled, 1)],
      [undefined, 1e12, 1e24],
    )
    assert.is(own.takesTaxedInput, false)
  })
s.run()
