import { decodeAbiParameters, getAddress, type Hex, pad, zeroAddress } from 'viem'
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
const hooks = (...acts: readonly number[]) => [
  [...Array.from({ length: 10 }, (_, k) => acts.includes(k)), provider],
]
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
      const [record] = await family.load(node.deps, { pools, blockNumber })
      return { record, ...node }
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
    const { deps } = createViewNode(v3)
    const refresh = async (isMoving: boolean) =>
      balancerV3StableFamily.refresh?.(deps, {
        records: [{ ...record, isMoving }],
        dexes: [dex],
        blockNumber,
      })
    assert.equal((await refresh(true))?.get(pool), {
      rates: [e(18), 2n * e(18)],
      amp: 200_000n,
      isMoving: true,
    })
    assert.is((await refresh(false))?.size, 0)
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
  },
)

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
    assert.is(await list([]), undefined)
    const earlier: Told = [provider, 'getPoolCount()(uint256)', [0n]]
    assert.equal(await list([earlier], { ...dex, earlierFactories: [provider] }), [])
  },
)
s.run()
