import {
  decodeAbiParameters,
  encodeAbiParameters,
  getAddress,
  type Hex,
  stringToHex,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import type { Dex } from '../../../chain/dex.ts'
import { createViewNode, fakeAddress, fakeDex, fakeLog, type Told } from '../../testing/viewNode.ts'
import { camelotV2Family } from './camelotV2Chain.ts'
import { solidlyFamily } from './solidlyChain.ts'
import { tridentFamily } from './tridentChain.ts'
import { uniswapV2Family } from './uniswapV2Chain.ts'

const s = suite('pairs on the chain')
const e = (power: number) => 10n ** BigInt(power)
const [pool, other, token0, token1, box] = [1, 2, 3, 4, 5].map(fakeAddress) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
]
const blockNumber = 7n
/** What answers nothing stands before: each pool's answers are its own. */
const poolsOf = (dex: Dex) => [fakeAddress(600), pool].map((address) => ({ dex, address }))
const head = {
  id: pool,
  address: getAddress(pool),
  dex: 'd',
  tokens: [token0, token1],
  changedBlock: 7n,
  swapsSeen: 0,
}
const words = (...values: readonly (bigint | number)[]) =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values.map(BigInt),
  )
const log = (event: string, data: Hex) => fakeLog(pool, event, { data })
const pairAnswer = { ok: true, isFresh: true, reserve0: 5n, reserve1: 6n, token0, token1 }

s('of a constant product are read and follow their reserves [teeth/pair-chains]', async () => {
  const dex = fakeDex({ protocol: 'uniswap_v2', feesPips: [2_500] })
  const { deps, failures } = createViewNode([], {
    readPairs: (pairs: readonly string[]) =>
      pairs.map((each) =>
        each.toLowerCase() === pool ? pairAnswer : { ...pairAnswer, ok: false },
      ),
  })
  const pools = [other, pool].map((address) => ({ dex, address }))
  const [record, ...more] = await uniswapV2Family.load(deps, { pools, blockNumber })
  if (!record) throw new Error('there is no pair')
  assert.equal(record, {
    ...head,
    protocol: 'uniswap_v2',
    feePips: 2_500,
    reserve0: 5n,
    reserve1: 6n,
    isFresh: [true, true],
  })
  assert.equal([more, failures], [[], [`reverted ${other}`]])
  const [usual] = await uniswapV2Family.load(deps, {
    pools: [{ dex: { ...dex, feesPips: [] }, address: pool }],
    blockNumber,
  })
  assert.is(usual?.feePips, 3_000)
  assert.equal(uniswapV2Family.apply(record, log('Sync(uint112,uint112)', words(70n, 80n))), {
    ...record,
    reserve0: 70n,
    reserve1: 80n,
    changedBlock: 9n,
    swapsSeen: 1,
    isFresh: [false, false],
  })
  assert.is(
    uniswapV2Family.apply(record, log('Mint(address,uint256,uint256)', words(1n, 2n))),
    record,
  )
  const step = uniswapV2Family.encodeStep(record, { tokenIn: token0, tokenOut: token1 })
  assert.equal(step, { kind: 0, pool: getAddress(pool), data: words(2_500n) })
  assert.equal([uniswapV2Family.depth(record, 0), uniswapV2Family.held(record, 1)], [5, 6])
  const used = { ...record, isFresh: [true, false] }
  assert.equal(
    [uniswapV2Family.stepGas(used, 0), uniswapV2Family.stepGas(used, 1)],
    [90_000, 61_000],
  )
  assert.is(uniswapV2Family.takesTaxedInput, true)
})

s('come into being by an event of two tokens and an address [teeth/pair-chains]', () => {
  const topic = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`
  const event = toEventSelector('PairCreated(address,address,address,uint256)')
  const topics = [event, topic(token0), topic(token1)]
  const data = `${topic(pool)}${'0'.repeat(63)}7` as Hex
  const [creation] = uniswapV2Family.creations
  assert.equal([creation?.topic, creation?.hasTokenTopics], [event, true])
  assert.equal(creation?.read({ topics, data }), { tokens: [token0, token1], address: pool })
  assert.is(creation?.read({ topics, data: '0x' }), undefined)
  assert.is(creation?.read({ topics: topics.slice(0, 2), data }), undefined)
})

const solidlyState = {
  stable: true,
  unit0: e(6),
  unit1: e(18),
  reserve0: 5n,
  reserve1: 6n,
}
const solidlyAnswer = { ...solidlyState, ok: true, isFresh: false, feeBps: 5n, token0, token1 }

s('of Solidly are stopped and given fees by their factory [teeth/pair-chains]', async () => {
  const dex = fakeDex({ protocol: 'aerodrome_v2' })
  const [fee, paused]: readonly [Told, Told] = [
    [dex.factory, 'getFee(address,bool)(uint256)', [30n], [pool, true]],
    [dex.factory, 'isPaused()(bool)', [true]],
  ]
  const lens = {
    readSolidly: (_: Hex, pools: readonly Hex[]) =>
      pools.map((each) => ({ ...solidlyAnswer, ok: each.toLowerCase() === pool })),
  }
  const { deps, failures } = createViewNode([fee], lens)
  const pools = [pool, other].map((address) => ({ dex, address }))
  const [record, ...more] = await solidlyFamily.load(deps, { pools, blockNumber })
  if (!record) throw new Error('there is no pool')
  assert.equal(record, {
    ...head,
    ...solidlyState,
    protocol: 'aerodrome_v2',
    isPaused: false,
    feePips: 500,
    isFresh: [false, false],
  })
  assert.equal(more, [])
  assert.ok(failures.includes(`reverted ${other}`))
  const refresh = async (told: readonly Told[], dexes = [dex]) =>
    solidlyFamily.refresh?.(createViewNode(told, lens).deps, {
      records: [record],
      dexes,
      blockNumber,
    })
  assert.equal((await refresh([fee]))?.get(pool), { feePips: 3_000, isPaused: false })
  assert.equal((await refresh([fee, paused]))?.get(pool), { feePips: 3_000, isPaused: true })
  const most: Told = [dex.factory, 'getFee(address,bool)(uint256)', [10_000n], [pool, true]]
  assert.equal([(await refresh([most]))?.size, (await refresh([fee], []))?.size], [0, 0])
  const moved = solidlyFamily.apply(record, log('Sync(uint256,uint256)', words(70n, 80n)))
  assert.equal(moved, { ...record, reserve0: 70n, reserve1: 80n, changedBlock: 9n, swapsSeen: 1 })
  assert.is(solidlyFamily.apply(record, log('Fees(address,uint256,uint256)', words(1n))), record)
  const fresh = { ...record, isFresh: [true, false] }
  const gas = (stable: boolean, i: number) => solidlyFamily.stepGas({ ...fresh, stable }, i)
  assert.equal(
    [gas(true, 0), gas(true, 1), gas(false, 0), gas(false, 1)],
    [125_000, 121_000, 105_000, 101_000],
  )
  assert.equal(
    [solidlyFamily.depth(record, 0), solidlyFamily.depth({ ...record, stable: false }, 1)],
    [undefined, 6],
  )
  assert.equal(solidlyFamily.encodeStep(record, { tokenIn: token0, tokenOut: token1 }), {
    kind: 2,
    pool: getAddress(pool),
    data: '0x',
  })
})

const camelotViews = (reserves: readonly bigint[] = [5n, 6n, 300n, 500n]): readonly Told[] => [
  [pool, 'token0()(address)', [token0]],
  [pool, 'token1()(address)', [token1]],
  [pool, 'getReserves()(uint112,uint112,uint16,uint16)', reserves],
  [pool, 'stableSwap()(bool)', [false]],
  [pool, 'precisionMultiplier0()(uint256)', [e(18)]],
  [pool, 'precisionMultiplier1()(uint256)', [e(6)]],
]

s(
  'of Camelot have a fee each way, and an owner who may have a share [teeth/pair-chains]',
  async () => {
    const dex = fakeDex({ protocol: 'camelot_v2' })
    const load = async (told: readonly Told[]) => {
      const { deps } = createViewNode(told)
      return (await camelotV2Family.load(deps, { pools: poolsOf(dex), blockNumber }))[0]
    }
    const info = (receiver: Hex): Told => [
      dex.factory,
      'feeInfo()(uint256,address)',
      [40_000n, receiver],
    ]
    const record = await load([...camelotViews(), info(other)])
    if (!record) throw new Error('there is no pair')
    assert.equal(record, {
      ...head,
      protocol: 'camelot_v2',
      feePips: 3_000,
      isFresh: [false, false],
      stable: false,
      unit0: e(18),
      unit1: e(6),
      reserve0: 5n,
      reserve1: 6n,
      token0FeePercent: 300n,
      token1FeePercent: 500n,
      ownerFeeShare: 40_000n,
    })
    // Nobody is sent a share where there is nobody.
    assert.is((await load([...camelotViews(), info(zeroAddress)]))?.ownerFeeShare, 0n)
    assert.is((await load(camelotViews()))?.ownerFeeShare, 0n)
    for (const [, gone] of camelotViews())
      assert.is(await load(camelotViews().filter(([, view]) => view !== gone)), undefined, gone)
    const { apply } = camelotV2Family
    const moved = apply(record, log('Sync(uint112,uint112)', words(70n, 80n)))
    assert.equal(moved, { ...record, reserve0: 70n, reserve1: 80n, changedBlock: 9n, swapsSeen: 1 })
    assert.equal(apply(record, log('FeePercentUpdated(uint16,uint16)', words(20n, 30n))), {
      ...record,
      token0FeePercent: 20n,
      token1FeePercent: 30n,
      feePips: 200,
      changedBlock: 9n,
    })
    // A pair of another kind is read again.
    for (const event of ['SetStableSwap(bool,bool)', 'SetStableSwap(bool)'])
      assert.is(apply(record, log(event, words(1n, 1n))), undefined)
    assert.is(apply(record, log('Mint(address,uint256,uint256)', words(1n, 2n))), record)
    assert.equal([camelotV2Family.depth(record, 0), camelotV2Family.held(record, 1)], [5, 6])
    const gas = [true, false].map((stable) => camelotV2Family.stepGas({ ...record, stable }, 0))
    assert.equal(gas, [65_000, 60_000])
  },
)

const named = (name: string) => stringToHex(`Trident:${name}`, { size: 32 })
const tridentViews = (kind = named('ConstantProduct')): readonly Told[] => [
  [pool, 'token0()(address)', [token0]],
  [pool, 'token1()(address)', [token1]],
  [pool, 'swapFee()(uint256)', [30n]],
  [pool, 'poolIdentifier()(bytes32)', [kind]],
  [pool, 'bento()(address)', [box]],
  [pool, 'getReserves()(uint256,uint256)', [11n, 12n]],
  [box, 'balanceOf(address,address)(uint256)', [21n], [token0, pool]],
  [box, 'balanceOf(address,address)(uint256)', [22n], [token1, pool]],
  [box, 'totals(address)(uint128,uint128)', [31n, 41n], [token0]],
  [box, 'totals(address)(uint128,uint128)', [32n, 42n], [token1]],
  [token0, 'balanceOf(address)(uint256)', [51n], [box]],
  [token1, 'balanceOf(address)(uint256)', [52n], [box]],
  [token0, 'decimals()(uint8)', [6]],
  [token1, 'decimals()(uint8)', [18]],
]

s('of Trident are what lies in their box [teeth/pair-chains]', async () => {
  const dex = fakeDex({ protocol: 'trident', holder: getAddress(box) })
  const load = async (told: readonly Told[], own = dex) => {
    const { deps } = createViewNode(told)
    return (await tridentFamily.load(deps, { pools: poolsOf(own), blockNumber }))[0]
  }
  const held = { shares: [21n, 22n], elastics: [31n, 32n], bases: [41n, 42n], liquid: [51n, 52n] }
  const record = await load(tridentViews())
  if (!record) throw new Error('there is no pool')
  assert.equal(record, {
    ...head,
    ...held,
    protocol: 'trident',
    stable: false,
    feeBps: 30n,
    feePips: 3_000,
    bentoBox: getAddress(box),
    reserves: [11n, 12n],
    units: [e(6), e(18)],
    isFresh: [false, false],
  })
  assert.is((await load(tridentViews(named('StablePool'))))?.stable, true)
  assert.is(await load(tridentViews(named('HybridPool'))), undefined)
  assert.is(await load(tridentViews(), { ...dex, holder: other }), undefined, 'in another box')
  assert.is(await load(tridentViews(), { ...dex, holder: undefined }), undefined)
  for (const [index, [, gone]] of tridentViews().entries())
    assert.is(await load(tridentViews().filter((_, at) => at !== index)), undefined, gone)
  const { deps } = createViewNode(tridentViews())
  const fields = await tridentFamily.refresh?.(deps, {
    records: [record],
    dexes: [dex],
    blockNumber,
  })
  assert.equal(fields?.get(pool), held)
  const step = tridentFamily.encodeStep(record, { tokenIn: token0, tokenOut: token1 })
  assert.equal([step.kind, step.pool], [13, getAddress(pool)])
  assert.equal(decodeAbiParameters([{ type: 'address' }], step.data), [getAddress(box)])
  assert.is(tridentFamily.apply(record, log('Sync(uint256,uint256)', words(1n, 2n))), undefined)
  assert.equal(tridentFamily.emitters?.({ ...dex, announcer: other }), [other])
  assert.equal(tridentFamily.emitters?.(dex), [])
  const gas = [true, false].map((stable) => tridentFamily.stepGas({ ...record, stable }, 0))
  assert.equal(gas, [99_700, 79_500])
  // 21 shares of 31 / 41 each.
  assert.equal([tridentFamily.held(record, 0), tridentFamily.depth(record, 0)], [15, 15])
  assert.is(tridentFamily.depth({ ...record, stable: true }, 0), undefined)
})

s('of Trident are announced with the bytes that they were made of [teeth/pair-chains]', () => {
  const word = (value: string) => value.slice(2).padStart(64, '0')
  const [creation] = tridentFamily.creations
  const topics = ['0x1', `0x${word(other)}`, `0x${word(pool)}`]
  const data: Hex = `${words(32n, 128n)}${word(token0)}${word(token1)}`
  assert.equal(creation?.read({ topics, data }), { tokens: [token0, token1], address: pool })
  assert.is(creation?.read({ topics: topics.slice(0, 2), data }), undefined)
  assert.is(creation?.read({ topics, data: data.slice(0, -64) as Hex }), undefined)
})
s.run()
