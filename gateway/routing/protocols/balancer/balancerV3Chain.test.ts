import { decodeAbiParameters, getAddress, type Hex, pad, zeroAddress } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { proveEvents } from '../../testing/proveEvents.ts'
import { createSampleLens } from '../../testing/sampleLens.ts'
import {
  changeTold,
  createViewNode,
  fakeAddress,
  fakeDex,
  fakeLog,
  partOf,
  type Told,
} from '../../testing/viewNode.ts'
import { balancerV3StableFamily, balancerV3WeightedFamily } from './balancerV3Chain.ts'
import { balancerV3QuotedFamily } from './balancerV3QuotedChain.ts'

const s = suite('pools of the third vault')
const e = (power: number) => 10n ** BigInt(power)
const [pool, usd, token, provider] = [1, 2, 3, 4].map(fakeAddress) as [Hex, Hex, Hex, Hex]
const vaultV3 = '0xbA1333333333a1BA1108E8412f11850A5C319bA9'
const blockNumber = 7n
const head = {
  id: pool,
  address: getAddress(pool),
  dex: 'd',
  changedBlock: 7n,
  swapsSeen: 0,
}
const log = (address: string, event: string, ...topics: readonly Hex[]) =>
  fakeLog(address, event, { topics })
const dex = fakeDex({ protocol: 'balancer_v3_weighted' })
/** What answers nothing stands before: each pool's answers are its own. */
const pools = [fakeAddress(600), pool].map((address) => ({ dex, address }))
const balances = [5n * e(6), 6n * e(18)]
const infoView =
  'getPoolTokenInfo(address)(address[],(uint8,address,bool)[],uint256[],uint256[])' as const
const configView =
  'getPoolConfig(address)(((bool,bool,bool,bool),uint256,uint256,uint256,uint40,uint32,bool,bool,bool,bool))' as const
const hooksView =
  'getHooksConfig(address)((bool,bool,bool,bool,bool,bool,bool,bool,bool,bool,address))' as const
const config = ({ isInitialized = true, isPaused = false, inRecovery = false } = {}) => [
  [
    [false, false, false, false],
    3n * e(15),
    5n * e(17),
    e(17),
    0,
    0,
    true,
    isInitialized,
    isPaused,
    inRecovery,
  ],
]
/** By the place of what a hook does: 3 its own fee, 4 before and 5 after a swap. */
const hookedBy = (by: Hex, ...acts: readonly number[]) => [
  [...Array.from({ length: 10 }, (_, k) => acts.includes(k)), by],
]
const hooks = (...acts: readonly number[]) => hookedBy(provider, ...acts)
const v3: readonly Told[] = [
  [
    vaultV3,
    infoView,
    [
      [usd, token],
      [
        [0, zeroAddress, false],
        [1, provider, true],
      ],
      balances,
      [5n * e(18), 7n * e(18)],
    ],
    [pool],
  ],
  [
    vaultV3,
    'getPoolTokenRates(address)(uint256[],uint256[])',
    [
      [e(12), 1n],
      [e(18), 2n * e(18)],
    ],
    [pool],
  ],
  [vaultV3, configView, config(), [pool]],
  [vaultV3, hooksView, hooks(0, 1, 2, 6, 7, 8, 9), [pool]],
  [pool, 'version()(string)', ['{"name":"StablePool","version":3,"deployment": "20260107-v3"}']],
  [pool, 'getAmplificationParameter()(uint256,bool,uint256)', [200_000n, false, 1_000n]],
  [pool, 'getNormalizedWeights()(uint256[])', [[2n * e(17), 8n * e(17)]]],
]

s(
  'of the third vault are read by it, with what rates and recovery mean [teeth/balancer-v3]',
  async () => {
    const load = async (told: readonly Told[], family = balancerV3StableFamily) => {
      const node = createViewNode(told)
      const loaded = await family.load(node.deps, { pools, blockNumber })
      assert.ok(loaded.every(Boolean))
      return { record: loaded[0], ...node }
    }
    const { record, declined, failures } = await load(v3)
    if (!record) throw new Error('there is no pool')
    assert.equal(record, {
      ...head,
      tokens: [usd, token],
      protocol: 'balancer_v3_stable',
      vault: vaultV3,
      amp: 200_000n,
      weights: [],
      balancesRaw: balances,
      lastBalancesLiveScaled18: [5n * e(18), 7n * e(18)],
      scalingFactors: [e(12), 1n],
      rates: [e(18), 2n * e(18)],
      paysYieldFees: [false, true],
      feePips: 3_000,
      swapFeePercentage: 3n * e(15),
      aggregateSwapFeePercentage: 5n * e(17),
      aggregateYieldFeePercentage: e(17),
      isPaused: false,
      isOf2026: true,
      isMoving: true,
      parts: [partOf(provider)],
      isFresh: [false, false],
    })
    assert.equal([declined, failures.some((one) => one.startsWith('unopened'))], [[], false])
    const weighted = (await load(v3, balancerV3WeightedFamily)).record
    assert.equal([weighted?.weights, weighted?.amp], [[2n * e(17), 8n * e(17)], 0n])
    const recovering = (await load(changeTold(v3, 'getPoolConfig', config({ inRecovery: true }))))
      .record
    assert.equal(
      [recovering?.paysYieldFees, recovering?.aggregateSwapFeePercentage],
      [[false, false], 0n],
    )
    const paused = (await load(changeTold(v3, 'getPoolConfig', config({ isPaused: true })))).record
    const swap = (own: typeof record | undefined) =>
      own && balancerV3StableFamily.toEnginePool(own).swap(0, 1, 10n ** 4n)
    assert.ok(paused?.isPaused && swap(record) && !swap(paused))
    const year = async (version?: string) =>
      (await load(changeTold(v3, 'version', version === undefined ? undefined : [version]))).record
        ?.isOf2026
    assert.equal(
      [await year('{"deployment":"20251231"}'), await year('none'), await year()],
      [false, false, false],
    )
    // What acts on swaps does not follow from the state; what is not open yet may open.
    for (const place of [3, 4, 5]) {
      const hooked = await load(changeTold(v3, 'getHooksConfig', hooks(place)))
      assert.equal([hooked.record, hooked.declined], [undefined, [pool]])
    }
    const closed = await load(changeTold(v3, 'getPoolConfig', config({ isInitialized: false })))
    assert.equal([closed.record, closed.failures.at(-1)], [undefined, `unopened ${pool}`])
    for (const view of [
      'getPoolTokenInfo',
      'getPoolTokenRates',
      'getPoolConfig',
      'getHooksConfig',
      'getAmplificationParameter',
    ])
      assert.is((await load(changeTold(v3, view))).record, undefined, view)
    // What has no rates moves while its amplification does.
    const unrated = changeTold(v3, 'getPoolTokenInfo', [
      [usd, token],
      [usd, token].map(() => [0, zeroAddress, false]),
      balances,
      balances,
    ])
    const amplified = (moves: boolean) =>
      load(changeTold(unrated, 'getAmplificationParameter', [200_000n, moves, 1n]))
    assert.equal(
      [(await amplified(false)).record?.isMoving, (await amplified(true)).record?.isMoving],
      [false, true],
    )
    const { deps } = createViewNode(v3)
    const refresh = async (isMoving: boolean, dexes = [dex]) =>
      balancerV3StableFamily.refresh?.(deps, {
        records: [{ ...record, isMoving }],
        dexes,
        blockNumber,
      })
    assert.equal((await refresh(true))?.get(pool), {
      rates: [e(18), 2n * e(18)],
      amp: 200_000n,
      isMoving: true,
    })
    assert.equal([(await refresh(false))?.size, (await refresh(true, []))?.size], [0, 0])
  },
)

s(
  'of the third vault are named by its events, and stepped through it [teeth/balancer-v3]',
  async () => {
    const { deps } = createViewNode(v3)
    const [record] = await balancerV3WeightedFamily.load(deps, { pools, blockNumber })
    if (!record) throw new Error('there is no pool')
    const swap = 'Swap(address,address,address,uint256,uint256,uint256,uint256)'
    const { poolIdOf, nameInLogs } = balancerV3WeightedFamily
    assert.equal(
      [
        poolIdOf?.(log(vaultV3, swap, pad(pool))),
        poolIdOf?.(log(vaultV3, swap)),
        poolIdOf?.(log(vaultV3, 'Other(address)', pad(pool))),
      ],
      [pool, undefined, undefined],
    )
    assert.equal(nameInLogs?.(record), { name: pad(getAddress(pool)), by: [vaultV3] })
    const step = balancerV3WeightedFamily.encodeStep(record, { tokenIn: usd, tokenOut: token })
    assert.equal([step.kind, step.pool], [5, vaultV3])
    assert.equal(decodeAbiParameters([{ type: 'address' }], step.data), [getAddress(pool)])
    assert.is(balancerV3WeightedFamily.stepGas(record, 0), 205_000)
    assert.equal(
      [
        balancerV3StableFamily.depth({ ...record, weights: [] }, 0),
        balancerV3WeightedFamily.depth(record, 1),
      ],
      [undefined, 2.4e18],
    )
    assert.is(balancerV3WeightedFamily.held(record, 1), 6e18)
    const { apply, midPrice, find, takesTaxedInput } = balancerV3WeightedFamily
    const heard = [pool, vaultV3, provider].map((by) => apply(record, log(by, swap, pad(pool))))
    assert.equal(heard, [undefined, undefined, record])
    // A fifth of 5 against four fifths of 12 that are told as 6.
    const settled = { ...record, paysYieldFees: [false, false] }
    near(midPrice(settled, 0, 1), (6e18 * 0.2) / (5e6 * 0.8), 1e-5)
    assert.is(midPrice({ ...record, balancesRaw: [0n, 0n] }, 0, 1), 0)
    assert.equal(await find(deps, { dex, a: [usd], b: [token], blockNumber }), [])
    assert.is(takesTaxedInput, false)
  },
)

s('of 2026 keep a least balance of each token [teeth/balancer-v3]', async () => {
  const { deps } = createViewNode(v3)
  const [read] = await balancerV3WeightedFamily.load(deps, { pools, blockNumber })
  if (!read) throw new Error('there is no pool')
  const record = { ...read, weights: [8n * e(17), 2n * e(17)], swapFeePercentage: 0n }
  const sell = (
    isOf2026: boolean,
    held: readonly [bigint, bigint],
    amountIn: bigint,
    rate = e(18),
  ) =>
    balancerV3WeightedFamily
      .toEnginePool({ ...record, isOf2026, balancesRaw: held, rates: [rate, e(18)] })
      .swap(0, 1, amountIn)?.amountOut
  // Three tenths more of the first buy some two thirds of the second.
  const buy = (isOf2026: boolean, held: bigint) => sell(isOf2026, [e(12), held], 3n * e(11))
  const heldOf = (left: bigint) =>
    Array.from({ length: 40 }, (_, k) => 2_856_080n + BigInt(k)).find(
      (held) => held - (buy(false, held) ?? 0n) === left,
    ) ?? 0n
  const [least, less] = [heldOf(1_000_000n), heldOf(999_999n)]
  assert.ok(least > 0n && less > 0n)
  assert.ok(buy(true, least))
  assert.is(buy(true, less), undefined)
  // Of six decimals it is one unit: nine of a rate of a tenth are less.
  const [few, rate] = [[9n, e(24)] as const, e(17)]
  assert.ok(sell(false, few, 2n, rate))
  assert.is(sell(true, few, 2n, rate), undefined)
})

s('that are quoted are what the vault says, with who has a say [teeth/balancer-v3]', async () => {
  const [quoter, hook] = [fakeAddress(31), fakeAddress(33)]
  const { sample } = createSampleLens({ heldOf: () => 0n, quote: () => 9n })
  const load = async (told: readonly Told[]) => {
    const node = createViewNode(told, { sample })
    const own = pools.map((one) => ({ ...one, dex: { ...dex, quoter } }))
    return (await balancerV3QuotedFamily.load(node.deps, { pools: own, blockNumber }))[0]
  }
  const partsFor = async (told: readonly Told[]) =>
    (await load(told))?.parts?.map(({ address }) => address)
  const record = await load(changeTold(v3, 'getHooksConfig', hookedBy(hook, 4)))
  assert.equal(
    [record?.tokens, record?.held, record?.feePips, record?.quoter],
    [[usd, token], balances, 3_000, getAddress(quoter)],
  )
  assert.equal(record?.parts, [partOf(provider), partOf(hook)])
  const own = changeTold(v3, 'getHooksConfig', hookedBy(pool, 4))
  assert.equal(await partsFor(own), [provider], 'a hook of its own is the pool')
  const idle = changeTold(v3, 'getHooksConfig', hookedBy(hook, 0))
  assert.equal(await partsFor(idle), [provider])
  assert.equal(await partsFor(changeTold(v3, 'getHooksConfig')), [provider])
  assert.is(await load(changeTold(v3, 'getPoolTokenInfo')), undefined)
})

s('of the third vault are followed by its events [teeth/balancer-v3]', () => {
  const followed = [
    'Swap(address,address,address,uint256,uint256,uint256,uint256)',
    'LiquidityAdded(address,address,uint8,uint256,uint256[],uint256[])',
    'LiquidityRemoved(address,address,uint8,uint256,uint256[],uint256[])',
    'SwapFeePercentageChanged(address,uint256)',
    'AggregateSwapFeePercentageChanged(address,uint256)',
    'AggregateYieldFeePercentageChanged(address,uint256)',
    'PoolPausedStateChanged(address,bool)',
    'PoolRecoveryModeStateChanged(address,bool)',
    'PoolInitialized(address)',
  ]
  const amplified = [...followed, 'AmpUpdateStarted(uint256,uint256,uint256,uint256)']
  const made = ['PoolCreated(address)']
  proveEvents(balancerV3WeightedFamily, amplified, made)
  proveEvents(balancerV3StableFamily, amplified, made)
  proveEvents(balancerV3QuotedFamily, followed, made)
  assert.equal(balancerV3StableFamily.emitters?.(dex), [vaultV3])
})

s(
  'factories of the third vault list what they made, the oldest and the latest [teeth/balancer-v3]',
  async () => {
    const list = async (told: readonly Told[], own = dex) =>
      (
        await balancerV3QuotedFamily.list?.(createViewNode(told).deps, { dex: own, blockNumber })
      )?.map(({ address }) => address.toLowerCase())
    const count = (n: bigint): Told => [dex.factory, 'getPoolCount()(uint256)', [n]]
    const range = (start: bigint, size: bigint, found: readonly Hex[]): Told => [
      dex.factory,
      'getPoolsInRange(uint256,uint256)(address[])',
      [found],
      [start, size],
    ]
    assert.equal(await list([count(61n), range(0n, 60n, [pool]), range(60n, 1n, [token, pool])]), [
      pool,
      token,
    ])
    const long = [
      count(4_000n),
      range(1_440n, 60n, [pool]),
      range(2_500n, 60n, [usd]),
      range(3_940n, 60n, [token]),
    ]
    assert.equal(await list(long), [pool, usd, token])
    assert.equal(
      await list([...long, range(1_500n, 60n, [provider])]),
      [pool, usd, token],
      'not between',
    )
    // Of three thousand all are listed, of one more the middle one is not.
    const [whole, more] = [count(3_000n), count(3_001n)]
    const parts = [
      range(1_440n, 60n, [pool]),
      range(1_500n, 60n, [usd]),
      range(1_501n, 60n, [token]),
    ]
    assert.equal(await list([whole, ...parts]), [pool, usd])
    assert.equal(await list([more, ...parts]), [pool, token])
    assert.is(await list([]), undefined)
    const earlier: Told = [provider, 'getPoolCount()(uint256)', [0n]]
    assert.equal(await list([earlier], { ...dex, earlierFactories: [provider] }), [])
  },
)
s.run()
