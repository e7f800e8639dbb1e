import { encodeAbiParameters, getAddress, type Hex, zeroAddress } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import type { Dex } from '../../../chain/dex.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import { findThrough, lookup } from '../../testing/findThrough.ts'
import { near } from '../../testing/near.ts'
import { proveEvents } from '../../testing/proveEvents.ts'
import {
  changeTold,
  createViewNode,
  fakeAddress,
  fakeDex,
  fakeLog,
  type Told,
} from '../../testing/viewNode.ts'
import type { PoolFamily } from '../family/poolFamily.ts'
import { camelotV2Family } from './camelotV2Chain.ts'
import { solidlyFamily } from './solidlyChain.ts'
import { uniswapV2Family } from './uniswapV2Chain.ts'

const s = suite('pairs on the chain')
const e = (power: number) => 10n ** BigInt(power)
const [pool, other, token0, token1] = [1, 2, 3, 4].map(fakeAddress) as [Hex, Hex, Hex, Hex]
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
/** What a pair with reserves of 5 and 6 is like. */
function proveSides<record extends PoolHead>(family: PoolFamily<record>, pair: record) {
  const { midPrice, depth, held, toEnginePool } = family
  near(midPrice(pair, 0, 1), 6 / 5)
  near(midPrice(pair, 1, 0), 5 / 6)
  assert.equal([depth(pair, 0), depth(pair, 1)], [5, 6])
  assert.equal([held(pair, 0), held(pair, 1)], [5, 6])
  assert.equal(toEnginePool(pair).tokens, [token0, token1])
}
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
  proveSides(uniswapV2Family, record)
  const used = { ...record, isFresh: [true, false] }
  assert.equal(
    [uniswapV2Family.stepGas(used, 0), uniswapV2Family.stepGas(used, 1)],
    [90_000, 61_000],
  )
  assert.is(uniswapV2Family.takesTaxedInput, true)
})

s('come into being by an event of two tokens and an address [teeth/pair-chains]', () => {
  const topic = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`
  const topics = ['0x1', topic(token0), topic(token1)]
  const data = `${topic(pool)}${'0'.repeat(63)}7` as Hex
  const [creation] = uniswapV2Family.creations
  for (const { creations } of [uniswapV2Family, solidlyFamily, camelotV2Family]) {
    assert.is(creations[0]?.hasTokenTopics, true)
    assert.equal(creations[0]?.read({ topics, data }), { tokens: [token0, token1], address: pool })
  }
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
      records: [{ ...record, id: other, address: other }, record],
      dexes,
      blockNumber,
    })
  assert.equal([...((await refresh([fee])) ?? [])], [[pool, { feePips: 3_000, isPaused: false }]])
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
  assert.is(solidlyFamily.depth(record, 0), undefined)
  proveSides(solidlyFamily, { ...record, stable: false })
  assert.equal([solidlyFamily.takesTaxedInput, solidlyFamily.movesApart], [true, true])
  const sell = (isPaused: boolean) =>
    solidlyFamily
      .toEnginePool({ ...record, stable: false, reserve0: e(9), reserve1: e(9), isPaused })
      .swap(0, 1, 100_000n)?.amountOut
  // Of 100,000 less half a promille, and what it moves.
  assert.equal([sell(false), sell(true)], [99_940n, undefined])
  assert.equal(solidlyFamily.encodeStep(record, { tokenIn: token0, tokenOut: token1 }), {
    kind: 2,
    pool: getAddress(pool),
    data: '0x',
  })
})

s('of Solidly answer to the factory of their own row [teeth/pair-chains]', async () => {
  const dex = fakeDex({ protocol: 'aerodrome_v2' })
  const second = { ...dex, name: 'second', factory: fakeAddress(0xfffe) }
  const asked: string[][] = []
  const { deps } = createViewNode(
    [
      [second.factory, 'isPaused()(bool)', [true]],
      [dex.factory, 'getFee(address,bool)(uint256)', [1n], [pool, true]],
      [second.factory, 'getFee(address,bool)(uint256)', [2n], [other, true]],
    ],
    {
      readSolidly: (factory: Hex, pools: readonly Hex[]) => {
        asked.push([factory, ...pools].map((each) => each.toLowerCase()))
        return pools.map(() => solidlyAnswer)
      },
    },
  )
  const dexes = [dex, second]
  const pools = [
    { dex, address: pool },
    { dex: second, address: other },
  ]
  const records = await solidlyFamily.load(deps, { pools, blockNumber })
  assert.equal(asked, [
    [dex.factory, pool],
    [second.factory, other],
  ])
  assert.equal(
    records.map(({ isPaused }) => isPaused),
    [false, true],
  )
  const fields = await solidlyFamily.refresh?.(deps, { records, dexes, blockNumber })
  assert.equal(
    [fields?.get(pool), fields?.get(other)],
    [
      { feePips: 100, isPaused: false },
      { feePips: 200, isPaused: true },
    ],
  )
})

for (const [name, family, view, answer] of [
  ['a constant product', uniswapV2Family, 'readPairs', pairAnswer],
  ['Solidly', solidlyFamily, 'readSolidly', solidlyAnswer],
] as const)
  s(
    `of ${name} are read by five hundred, without those that fail [teeth/pair-chains]`,
    async () => {
      const dex = fakeDex({ protocol: 'uniswap_v2' })
      const sizes: number[] = []
      const read = (...args: readonly unknown[]) => {
        const pairs = args.at(-1) as readonly Hex[]
        sizes.push(pairs.length)
        if (pairs.includes(getAddress(other))) throw new Error('out of gas')
        return pairs.map(() => answer)
      }
      const { deps, failures } = createViewNode([], { [view]: read, readCalls: () => [] })
      const load = async (addresses: readonly Hex[]) => {
        const pools = addresses.map((address) => ({ dex, address }))
        return (await family.load(deps, { pools, blockNumber })).map(({ id }) => id)
      }
      const many = Array.from({ length: 501 }, (_, n) => fakeAddress(1_000 + n))
      assert.equal([(await load(many)).length, sizes], [501, [500, 1]])
      assert.equal(await load([other, pool]), [pool])
      assert.ok(failures.includes(`unreadable ${other}`))
    },
  )

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
    const half: Told = [dex.factory, 'feeInfo()(uint256)', [40_000n]]
    assert.is((await load([...camelotViews(), half]))?.ownerFeeShare, 0n)
    assert.is((await load(changeTold(camelotViews(), 'stableSwap', [true])))?.stable, true)
    // Nobody takes all of what is sold.
    const taking = (...fees: readonly number[]) => {
      const types = ['uint112', 'uint112', ...fees.map(() => 'uint24')].join()
      return load(
        changeTold(camelotViews(), 'getReserves', [5n, 6n, ...fees], `getReserves()(${types})`),
      )
    }
    assert.is((await taking(99_999, 99_999))?.token1FeePercent, 99_999n)
    for (const fees of [[100_000, 500], [500, 100_000], [500], []])
      assert.is(await taking(...fees), undefined)
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
    proveSides(camelotV2Family, record)
    assert.is(camelotV2Family.depth({ ...record, stable: true }, 0), undefined)
    assert.is(camelotV2Family.takesTaxedInput, true)
    // Of two factories each has its own receiver.
    const second = { ...dex, factory: fakeAddress(0xfffe) }
    const { deps } = createViewNode([
      ...camelotViews(),
      [second.factory, 'feeInfo()(uint256,address)', [40_000n, other]],
    ])
    const pools = [dex, second].map((own) => ({ dex: own, address: pool }))
    const both = await camelotV2Family.load(deps, { pools, blockNumber })
    assert.equal(
      both.map(({ ownerFeeShare }) => ownerFeeShare),
      [0n, 40_000n],
    )
    const gas = [true, false].map((stable) => camelotV2Family.stepGas({ ...record, stable }, 0))
    assert.equal(gas, [65_000, 60_000])
  },
)

s('are looked up as their factories know them [teeth/pair-chains]', async () => {
  const byPair = lookup('getPair(address,address)', 0)
  assert.equal(await findThrough(uniswapV2Family), [byPair])
  assert.equal(await findThrough(camelotV2Family), [byPair])
  const byKind = lookup('getPool(address,address,bool)', 0, 1)
  assert.equal(await findThrough(solidlyFamily), [byKind])
})
s('are followed by the events of their contracts [teeth/pair-chains]', () => {
  const sync = 'Sync(uint112,uint112)'
  const made = ['PairCreated(address,address,address,uint256)']
  proveEvents(uniswapV2Family, [sync], made)
  const kinds = ['SetStableSwap(bool,bool)', 'SetStableSwap(bool)']
  proveEvents(camelotV2Family, [sync, 'FeePercentUpdated(uint16,uint16)', ...kinds], made)
  const pooled = ['PoolCreated(address,address,bool,address,uint256)']
  proveEvents(solidlyFamily, ['Sync(uint256,uint256)'], pooled)
})
s.run()
