import { getAddress, type Hex } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import type { LoadParameters } from '../../reads/poolRef.ts'
import { proveEvents } from '../../testing/proveEvents.ts'
import { openRanges, rangeAnswer, rangeTokens, ticksOf } from '../../testing/rangeLens.ts'
import { fakeAddress, fakeDex } from '../../testing/viewNode.ts'
import { algebraIntegralFamily, camelotV3Family } from './algebraChain.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'
import {
  pancakeV3Family,
  ramsesV2Family,
  slipstreamFamily,
  uniswapV3Family,
} from './uniswapV3Chain.ts'

const s = suite('pools of ticks, round by round')
const dex = fakeDex({ protocol: 'uniswap_v3' })
const blockNumber = 7n
const [pool, other] = [fakeAddress(1), fakeAddress(2)]
const firstTick = -8_388_608
const record: ConcentratedRecord = {
  id: pool,
  address: getAddress(pool),
  dex: 'd',
  tokens: rangeTokens,
  changedBlock: 7n,
  swapsSeen: 0,
  protocol: 'uniswap_v3',
  feePips: 500,
  feePips1: 600,
  isFresh: [false, true],
  tickSpacing: 60,
  sqrtPriceX96: 1n << 96n,
  tick: -3,
  liquidity: 7n,
  ticks: [
    { index: -60, gross: 9n, net: 7n },
    { index: 60, gross: 7n, net: -7n },
  ],
}

const poolsOf = (...addresses: readonly Hex[]) => addresses.map((address) => ({ dex, address }))

const manyOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ dex, address: fakeAddress(100 + n) }))
const first = fakeAddress(100)

async function load(
  count: number,
  say: Parameters<typeof openRanges>[0],
  how: Pick<LoadParameters, 'isBrief' | 'isThrifty'> = {},
) {
  const { deps, calls, failures } = openRanges(say)
  const pools = manyOf(count)
  const records = await uniswapV3Family.load(deps, {
    pools,
    blockNumber,
    ...how,
  })
  return { records, failures, sizes: calls.map(({ length }) => length) }
}

s('are read from the first tick to the last, each way packed [teeth/range-rounds]', async () => {
  const { deps, calls, failures } = openRanges(() => ({}))
  const read = await uniswapV3Family.load(deps, { pools: poolsOf(pool), blockNumber })
  assert.equal(read, [record])
  assert.equal(
    calls.map((requests) => requests.map(({ from, shape }) => [from, shape])),
    [[[firstTick, 0]]],
  )
  assert.equal(failures, [])
})
s(
  'are continued where a call ended, with the state of its first part [teeth/range-rounds]',
  async () => {
    const { deps, calls } = openRanges(({ from }) =>
      from === firstTick
        ? { done: false, next: 12, ticks: ticksOf([-60, 9n, 7n]) }
        : { liquidity: 99n, ticks: ticksOf([60, 7n, -7n]) },
    )
    const read = await uniswapV3Family.load(deps, { pools: poolsOf(pool), blockNumber })
    assert.equal(read, [record])
    assert.equal(
      calls.flat().map(({ from }) => from),
      [firstTick, 12],
    )
  },
)
s(
  'are told in part where they never end, and not at all where nothing is read [teeth/range-rounds]',
  async () => {
    const endless = openRanges(({ from }, round) => ({
      done: false,
      next: from + 1,
      ticks: ticksOf([round, 1n, 1n]),
    }))
    const [part] = await uniswapV3Family.load(endless.deps, { pools: poolsOf(pool), blockNumber })
    assert.equal([part?.isPart, part?.ticks.length, endless.calls.length], [true, 12, 12])
    assert.equal(endless.failures, [`endless ${pool}`])
    // Its ticks take more gas than a whole call has.
    const stuck = openRanges(({ from }) => ({ done: false, next: from, tickSpacing: 0, ticks: [] }))
    assert.equal(await uniswapV3Family.load(stuck.deps, { pools: poolsOf(pool), blockNumber }), [])
    assert.equal([stuck.calls.length, stuck.failures], [1, []])
    const none = openRanges(({ pool: asked }) => ({ ok: asked.toLowerCase() !== pool }))
    const read = await uniswapV3Family.load(none.deps, { pools: poolsOf(pool, other), blockNumber })
    assert.equal([read.map(({ id }) => id), none.failures], [[other], [`reverted ${pool}`]])
  },
)
s(
  'travel alone where they are few, and together where nobody waits for one [teeth/range-rounds]',
  async () => {
    const sizes = async (count: number, isBrief: boolean) => {
      const { deps, calls } = openRanges(() => ({}))
      const pools = poolsOf(...Array.from({ length: count }, (_, n) => fakeAddress(100 + n)))
      const read = await uniswapV3Family.load(deps, { pools, blockNumber, isBrief })
      assert.is(read.length, count)
      return calls.map((requests) => requests.length)
    }
    assert.equal(await sizes(3, false), [1, 1, 1])
    assert.equal(await sizes(6, true), [4, 2])
    assert.equal(await sizes(17, false), [17])
    assert.equal(await sizes(41, false), [40, 1])
  },
)

s('are asked for one by one up to sixteen [teeth/range-rounds]', async () => {
  const { sizes } = await load(16, () => ({}))
  assert.equal(sizes, Array(16).fill(1))
})
s(
  'that a call did not reach are asked for again, in smaller ones [teeth/range-rounds]',
  async () => {
    const unreached = { done: false, tickSpacing: 0, sqrtPriceX96: 0n, ticks: [] }
    const late = new Set([0, 1, 2, 3, 4].map((n) => fakeAddress(100 + n)))
    for (const [isBrief, rest] of [
      [false, [1, 1, 1, 1, 1]],
      [true, [4, 1]],
    ] as const) {
      const say = (
        { pool, from }: { readonly pool: string; readonly from: number },
        round: number,
      ) => (round === 1 && late.has(pool.toLowerCase() as Hex) ? { ...unreached, next: from } : {})
      const { records, sizes, failures } = await load(17, say, { isBrief })
      assert.equal(sizes, [17, ...rest])
      assert.equal([records.length, failures], [17, []])
      assert.ok(records.every(({ tickSpacing, ticks }) => tickSpacing === 60 && ticks.length === 2))
    }
  },
)
s('travel together until all are read, where calls are few [nodes/thrifty-ranges]', async () => {
  const reached = new Set(Array.from({ length: 30 }, (_, n) => fakeAddress(100 + n)))
  const { records, sizes } = await load(
    100,
    ({ pool, from }, round) =>
      round === 1 && !reached.has(pool.toLowerCase() as Hex)
        ? { done: false, tickSpacing: 0, sqrtPriceX96: 0n, ticks: [], next: from }
        : {},
    { isBrief: true, isThrifty: true },
  )
  assert.equal([records.length, sizes], [100, [80, 20, 50]])
})
s('have ticks of any width, as their contract packs them [teeth/range-rounds]', async () => {
  const wide = [
    [-887_271, 2n ** 127n + 9n, 2n ** 126n],
    [61, 2n ** 128n - 1n, -(2n ** 127n)],
  ] as const
  const { records } = await load(1, () => ({ tickSpacing: 1, ticks: ticksOf(...wide) }))
  assert.equal(
    records[0]?.ticks,
    wide.map(([index, gross, net]) => ({ index, gross, net })),
  )
  // What says nothing of itself is none, whatever else it says.
  assert.equal((await load(1, () => ({ tickSpacing: 0 }))).records, [])
})
s('that nobody could read are told from those that are none [teeth/range-rounds]', async () => {
  const { records, failures } = await load(2, ({ pool }) => {
    if (pool === getAddress(first)) throw new Error('out of gas')
    return { ok: false }
  })
  assert.equal(records, [])
  assert.equal(failures.toSorted(), [`reverted ${fakeAddress(101)}`, `unreadable ${first}`])
})

const events = {
  shared: [
    'Initialize(uint160,int24)',
    'Swap(address,address,int256,int256,uint160,uint128,int24)',
    'Mint(address,address,int24,int24,uint128,uint256,uint256)',
    'Burn(address,int24,int24,uint128,uint256,uint256)',
  ],
  pancake: ['Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)'],
  integral: ['Fee(uint16)', 'Plugin(address)', 'PluginConfig(uint8)'],
}
const byFee = ['PoolCreated(address,address,uint24,int24,address)']
const byPair = ['Pool(address,address,address)']
s('follow the events of their contracts, and swap as they do [teeth/range-rounds]', async () => {
  for (const [family, own, made] of [
    [uniswapV3Family, [], byFee],
    [pancakeV3Family, events.pancake, byFee],
    [ramsesV2Family, [], byFee],
    [slipstreamFamily, [], ['PoolCreated(address,address,int24,address)']],
    [camelotV3Family, ['Fee(uint16,uint16)'], byPair],
    [algebraIntegralFamily, events.integral, byPair],
  ] as const) {
    proveEvents(family, [...events.shared, ...own], made)
    const [record] = (await load(1, () => ({}))).records
    if (!record) throw new Error('there is no pool')
    const tokens = [rangeAnswer.token0, rangeAnswer.token1]
    assert.equal(family.toEnginePool(record).tokens, tokens)
    const step = family.encodeStep(record, { tokenIn: tokens[0] ?? '', tokenOut: tokens[1] ?? '' })
    assert.equal(step, { kind: 1, pool: getAddress(first), data: '0x' })
    assert.equal([family.crossingGas, family.takesTaxedInput], [20_000, false])
    assert.is(family.depth({ ...record, liquidity: 0n }, 0), 0, 'nothing moves it')
  }
})
s.run()
