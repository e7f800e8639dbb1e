import { encodeAbiParameters, getAddress, type Hex, pad, toEventSelector, zeroAddress } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { proveEvents } from '../../testing/proveEvents.ts'
import {
  changeTold,
  createViewNode,
  fakeAddress,
  fakeDex,
  fakeLog,
  nodeSecs,
  partOf,
  type Told,
} from '../../testing/viewNode.ts'
import { balancerV2StableFamily, balancerV2WeightedFamily } from './balancerV2Chain.ts'

const s = suite('pools of the second vault')
const e = (power: number) => 10n ** BigInt(power)
const [pool, usd, token, provider] = [1, 2, 3, 4].map(fakeAddress) as [Hex, Hex, Hex, Hex]
const vaultV2 = '0xBA12222222228d8Ba445958a75a0704d566BF2C8'
const blockNumber = 7n
const head = {
  id: pool,
  address: getAddress(pool),
  dex: 'd',
  changedBlock: 7n,
  swapsSeen: 0,
}
const log = (address: string, event: string, data: Hex = '0x', ...topics: readonly Hex[]) =>
  fakeLog(address, event, { data, topics })
const dex = fakeDex({ protocol: 'balancer_v2_weighted' })
/** What answers nothing stands before: each pool's answers are its own. */
const pools = [fakeAddress(600), pool].map((address) => ({ dex, address }))
const poolId = `${pool}${'0'.repeat(22)}07` as Hex
const balances = [5n * e(6), 6n * e(18)]
const v2: readonly Told[] = [
  [pool, 'getPoolId()(bytes32)', [poolId]],
  [pool, 'getVault()(address)', [vaultV2]],
  [pool, 'getScalingFactors()(uint256[])', [[e(30), e(18)]]],
  [pool, 'getSwapFeePercentage()(uint256)', [3n * e(15)]],
  [pool, 'getPausedState()(bool,uint256,uint256)', [true, 0n, 0n]],
  [pool, 'getNormalizedWeights()(uint256[])', [[2n * e(17), 8n * e(17)]]],
  [
    vaultV2,
    'getPoolTokens(bytes32)(address[],uint256[],uint256)',
    [[usd, token], balances, 1n],
    [poolId],
  ],
]
const loadV2 = async (told: readonly Told[], family = balancerV2WeightedFamily) => {
  const loaded = await family.load(createViewNode(told).deps, { pools, blockNumber })
  assert.ok(loaded.every(Boolean))
  return loaded[0]
}

s('of the second vault are read by it and by the pool [teeth/balancer-v2]', async () => {
  const record = await loadV2(v2)
  assert.equal(record, {
    ...head,
    tokens: [usd, token],
    protocol: 'balancer_v2_weighted',
    vault: vaultV2,
    poolId,
    amp: 0n,
    weights: [2n * e(17), 8n * e(17)],
    feePips: 3_000,
    swapFeePercentage: 3n * e(15),
    isPaused: true,
    hasPlainPowers: false,
    balances,
    scalingFactors: [e(30), e(18)],
    isMoving: false,
    parts: [],
    isFresh: [false, false],
  })
  for (const told of [
    changeTold(v2, 'getVault', [provider]),
    changeTold(v2, 'getPoolId'),
    changeTold(v2, 'getSwapFeePercentage'),
    changeTold(v2, 'getPausedState'),
    changeTold(v2, 'getPoolTokens'),
    changeTold(v2, 'getNormalizedWeights'),
    changeTold(v2, 'getNormalizedWeights', [[]]),
    changeTold(v2, 'getNormalizedWeights', [[1n, 2n, 3n]]),
    changeTold(v2, 'getScalingFactors', [[e(30)]]),
    changeTold(v2, 'getScalingFactors'),
  ])
    assert.is(await loadV2(told), undefined)
  // Of the first version the tokens' decimals are taken, where the pool's own invariant agrees.
  const invariantOf = (amount: number) => BigInt(Math.round(5 ** 0.2 * amount ** 0.8 * 1e12)) * e(6)
  const invariant = invariantOf(6)
  const first = (value: bigint, decimals: readonly number[] = [18]): readonly Told[] => [
    ...changeTold(v2, 'getScalingFactors'),
    [usd, 'decimals()(uint8)', [6]],
    ...decimals.map((count): Told => [token, 'decimals()(uint8)', [count]]),
    [pool, 'getInvariant()(uint256)', [value]],
  ]
  const old = await loadV2(first(invariant))
  assert.equal([old?.hasPlainPowers, old?.scalingFactors], [true, [e(30), e(18)]])
  assert.is(await loadV2(first((invariant * 100_001n) / 100_000n)), undefined)
  assert.is(await loadV2(changeTold(first(invariant), 'getInvariant')), undefined)
  assert.is(await loadV2(first(invariant, [19])), undefined)
  // Of a token that does not say its decimals none are guessed, 18 or 17.
  for (const amount of [6, 60]) assert.is(await loadV2(first(invariantOf(amount), [])), undefined)
  // Who names its factors is of no first version.
  assert.is((await loadV2([...v2, ...first(invariant)]))?.hasPlainPowers, false)
})

const stable: readonly Told[] = [
  ...changeTold(
    changeTold(changeTold(v2, 'getNormalizedWeights'), 'getPoolTokens'),
    'getScalingFactors',
  ),
  // The pool's own token stands among them.
  [
    vaultV2,
    'getPoolTokens(bytes32)(address[],uint256[],uint256)',
    [[usd, pool, token], [5n, 2n ** 111n, 6n], 1n],
    [poolId],
  ],
  [pool, 'getScalingFactors()(uint256[])', [[e(30), e(18), 2n * e(18)]]],
  [pool, 'getAmplificationParameter()(uint256,bool,uint256)', [200_000n, false, 1_000n]],
  [pool, 'getRateProviders()(address[])', [[zeroAddress, zeroAddress, provider]]],
  [provider, 'getRate()(uint256)', [3n * e(18)]],
]
const cache = (expires: number, of = token): Told => [
  pool,
  'getTokenRateCache(address)(uint256,uint256,uint256,uint256)',
  [2n * e(18), 0n, 0n, BigInt(expires)],
  [of],
]

s('whose rates are out of date have those of the next swap [teeth/balancer-v2]', async () => {
  const load = (expires: number, told = stable) =>
    loadV2([...told, cache(expires)], balancerV2StableFamily)
  const record = await load(nodeSecs + 1)
  assert.equal(
    [record?.tokens, record?.balances, record?.scalingFactors],
    [
      [usd, token],
      [5n, 6n],
      [e(30), 2n * e(18)],
    ],
  )
  assert.equal([record?.amp, record?.weights, record?.isFresh], [200_000n, [], [false, false]])
  assert.equal([record?.isMoving, record?.parts], [true, [partOf(provider)]])
  assert.equal((await load(nodeSecs))?.scalingFactors, [e(30), 3n * e(18)], 'by the next second')
  const still = changeTold(stable, 'getRateProviders', [[zeroAddress, zeroAddress, zeroAddress]])
  assert.is((await load(nodeSecs, still))?.isMoving, false)
  const name = 'getAmplificationParameter'
  assert.is((await load(nodeSecs, changeTold(still, name, [7n, true, 1n])))?.isMoving, true)
  assert.is(await load(nodeSecs, changeTold(stable, name, [0n, false, 1n])), undefined)
  assert.is((await load(nodeSecs, changeTold(stable, name, [1n, false, 1n])))?.amp, 1n)
  const factorsOf = async (told: readonly Told[]) =>
    (await loadV2(told, balancerV2StableFamily))?.scalingFactors
  // A rate that nobody tells, or that no factor follows from, is not renewed.
  const kept = [e(30), 2n * e(18)]
  assert.equal(await factorsOf(stable), kept)
  assert.equal(await factorsOf([...changeTold(stable, 'getRate'), cache(nodeSecs)]), kept)
  const scaled = (...factors: readonly bigint[]) =>
    changeTold(stable, 'getScalingFactors', [factors])
  assert.equal(await factorsOf([...scaled(e(30), e(18), 7n), cache(nodeSecs)]), [e(30), 7n])
  // A token without decimals has the greatest of them.
  const both = changeTold(scaled(2n * e(36), e(18), 2n * e(18)), 'getRateProviders', [
    [provider, zeroAddress, provider],
  ])
  const caches = [cache(nodeSecs), cache(nodeSecs, usd)]
  assert.equal(await factorsOf([...both, ...caches]), [3n * e(36), 3n * e(18)])
  // Only what moves is read again.
  const { deps } = createViewNode([...stable, cache(nodeSecs)])
  const refresh = async (isMoving: boolean, dexes = [dex]) =>
    balancerV2StableFamily.refresh?.(deps, {
      records: record ? [{ ...record, isMoving }] : [],
      dexes,
      blockNumber,
    })
  assert.equal((await refresh(true))?.get(pool), {
    scalingFactors: [e(30), 3n * e(18)],
    amp: 200_000n,
    isMoving: true,
  })
  assert.equal([(await refresh(false))?.size, (await refresh(true, []))?.size], [0, 0])
})

s('of the second vault follow its events of their id [teeth/balancer-v2]', async () => {
  const record = await loadV2(v2)
  if (!record) throw new Error('there is no pool')
  const { apply, poolIdOf } = balancerV2WeightedFamily
  const swap = 'Swap(bytes32,address,address,uint256,uint256)'
  const two = [{ type: 'uint256' }, { type: 'uint256' }] as const
  const bought = encodeAbiParameters(two, [70n, 80n])
  const sold = log(vaultV2, swap, bought, poolId, pad(usd), pad(token))
  const changed = { ...record, changedBlock: 9n }
  assert.equal(apply(record, sold), {
    ...changed,
    balances: [5n * e(6) + 70n, 6n * e(18) - 80n],
    swapsSeen: 1,
  })
  const joined = 'PoolBalanceChanged(bytes32,address,address[],int256[],uint256[])'
  const lists = encodeAbiParameters(
    [{ type: 'address[]' }, { type: 'int256[]' }, { type: 'uint256[]' }],
    [
      [token, pool, usd],
      [-9n, 5n, 30n],
      [1n, 0n, 4n],
    ],
  )
  assert.equal(apply(record, log(vaultV2, joined, lists, poolId)), {
    ...changed,
    balances: [5n * e(6) + 26n, 6n * e(18) - 10n],
  })
  const alone = encodeAbiParameters(
    [{ type: 'address[]' }, { type: 'int256[]' }, { type: 'uint256[]' }],
    [[token], [7n], [0n]],
  )
  assert.equal(apply(record, log(vaultV2, joined, alone, poolId))?.balances, [
    5n * e(6),
    6n * e(18) + 7n,
  ])
  const managed = 'PoolBalanceManaged(bytes32,address,address,int256,int256)'
  assert.is(apply(record, log(vaultV2, managed, bought, poolId)), undefined)
  for (const event of [swap, joined, managed])
    assert.is(poolIdOf?.(log(vaultV2, event, '0x', poolId)), pool)
  assert.is(poolIdOf?.(log(vaultV2, 'Other(bytes32)', '0x', poolId)), undefined)
  assert.is(poolIdOf?.(log(vaultV2, swap)), undefined)
  const step = balancerV2WeightedFamily.encodeStep(record, { tokenIn: usd, tokenOut: token })
  assert.equal(step, { kind: 4, pool: vaultV2, data: poolId })
  const [creation] = balancerV2WeightedFamily.creations
  const made = log(provider, 'PoolCreated(address)', '0x', pad(pool))
  assert.equal(creation?.read(made), { address: pool, tokens: [] })
  assert.is(creation?.read({ ...made, topics: made.topics.slice(0, 1) }), undefined)
  assert.equal(
    [balancerV2WeightedFamily.stepGas(record, 0), balancerV2StableFamily.stepGas(record, 0)],
    [88_000, 131_000],
  )
  // Towards the lesser weight: 2 * 5 * 0.8 / (0.2 + 0.8), and 2 * 6 * 0.2.
  assert.equal(
    [0, 1].map((i) => balancerV2WeightedFamily.depth(record, i)),
    [8e6, 2.4e18],
  )
})
s(
  'of the second vault have the price of their weights, or of a small swap [teeth/balancer-v2]',
  async () => {
    const record = await loadV2(v2)
    if (!record) throw new Error('there is no pool')
    const { midPrice, toEnginePool, nameInLogs, emitters } = balancerV2WeightedFamily
    // A fifth of 5 dollars against four fifths of 6 tokens.
    near(midPrice(record, 0, 1), (6e18 * 0.2) / (5e6 * 0.8))
    near(midPrice(record, 1, 0), (5e6 * 0.8) / (6e18 * 0.2))
    const stable = { ...record, weights: [], amp: 200_000n, isPaused: false }
    near(balancerV2StableFamily.midPrice({ ...stable, balances: [e(12), e(24)] }, 0, 1), 1e12, 1e-6)
    assert.is(balancerV2StableFamily.midPrice({ ...stable, balances: [0n, 0n] }, 0, 1), 0)
    assert.is(toEnginePool(record).swap(0, 1, 1_000n), undefined, 'paused')
    assert.ok(toEnginePool({ ...record, isPaused: false }).swap(0, 1, 1_000n))
    assert.equal(nameInLogs?.(record), { name: poolId, by: [vaultV2] })
    assert.equal(emitters?.(dex), [vaultV2])
    const { held, find, takesTaxedInput } = balancerV2WeightedFamily
    assert.equal([held(record, 1), takesTaxedInput], [6e18, false])
    const { deps } = createViewNode([])
    assert.equal(await find(deps, { dex, a: [usd], b: [token], blockNumber }), [])
  },
)

s('of the second vault are listed by who made them [teeth/balancer-v2]', async () => {
  const [late, later] = [fakeAddress(7), fakeAddress(8)]
  const own = { ...dex, earlierFactories: [provider], knownPools: [pool, usd, late] }
  const made = (factory: Hex, address: Hex, isOwn: boolean): Told => [
    factory,
    'isPoolFromFactory(address)(bool)',
    [isOwn],
    [address],
  ]
  const told = [
    made(dex.factory, pool, true),
    made(dex.factory, usd, false),
    made(provider, late, true),
  ]
  const created = {
    address: dex.factory,
    topics: [toEventSelector('PoolCreated(address)')],
    data: '0x',
  } as const
  const { deps } = createViewNode(told, {}, [
    { ...created, topics: [...created.topics, pad(later)] },
    created,
    { ...created, topics: [...created.topics, pad(pool)] },
  ])
  const listed = await balancerV2WeightedFamily.list?.(deps, { dex: own, blockNumber })
  assert.equal(listed?.map(({ address }) => address).toSorted(), [pool, late, later].toSorted())
  assert.ok(listed?.every((each) => each.dex === own))
  // Anybody has pools made: of many the oldest and the newest count.
  const logs = Array.from({ length: 3_001 }, (_, n) => ({
    ...created,
    topics: [...created.topics, pad(fakeAddress(1_000 + n))],
  }))
  const listOf = async (count: number) => {
    const node = createViewNode([], {}, logs.slice(0, count))
    return balancerV2WeightedFamily.list?.(node.deps, { dex, blockNumber })
  }
  const many = (await listOf(3_001))?.map(({ address }) => address) ?? []
  assert.equal([many.length, many.includes(fakeAddress(2_500))], [3_000, false])
  assert.is((await listOf(3_000))?.length, 3_000)
})

s('of the second vault are followed by its events and theirs [teeth/balancer-v2]', () => {
  const followed = [
    'Swap(bytes32,address,address,uint256,uint256)',
    'PoolBalanceChanged(bytes32,address,address[],int256[],uint256[])',
    'PoolBalanceManaged(bytes32,address,address,int256,int256)',
    'SwapFeePercentageChanged(uint256)',
    'PausedStateChanged(bool)',
    'AmpUpdateStarted(uint256,uint256,uint256,uint256)',
    'TokenRateCacheUpdated(uint256,uint256)',
    'TokenRateProviderSet(uint256,address,uint256)',
  ]
  for (const family of [balancerV2WeightedFamily, balancerV2StableFamily])
    proveEvents(family, followed, ['PoolCreated(address)'])
})
s.run()
