import { encodeAbiParameters, getAddress, type Hex, pad, toEventSelector } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { fakeAddress, fakeLog } from '../../testing/viewNode.ts'
import { algebraIntegralFamily } from './algebraChain.ts'
import { addRange, applyConcentratedLog, isPositionMissing } from './concentratedLogs.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'
import { pancakeV3Family, slipstreamFamily, uniswapV3Family } from './uniswapV3Chain.ts'
import { type ManagedRecord, uniswapV4Family } from './uniswapV4Chain.ts'

const s = suite('events of ranges')
const pool = fakeAddress(1)
const tick = (index: number, net: bigint, gross = net < 0n ? -net : net) => ({ index, gross, net })
const ticks = [tick(-120, 50n), tick(-60, 50n), tick(60, -70n), tick(120, -30n)]
const record: ConcentratedRecord = {
  id: pool,
  address: getAddress(pool),
  dex: 'd',
  protocol: 'uniswap_v3',
  tokens: [fakeAddress(2), fakeAddress(3)],
  feePips: 500,
  feePips1: 500,
  changedBlock: 1n,
  swapsSeen: 4,
  isFresh: [true, true],
  tickSpacing: 60,
  sqrtPriceX96: 1n << 96n,
  tick: 0,
  liquidity: 100n,
  ticks,
}
const word = (value: bigint | number): Hex =>
  `0x${BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')}`
const wordsOf = (...values: readonly (bigint | number)[]): Hex =>
  `0x${values.map((value) => word(value).slice(2)).join('')}`
const log = (event: string, data: Hex, ...topics: readonly (bigint | number)[]) =>
  fakeLog(pool, event, { data, topics: topics.map(word) })
const swapEvent = 'Swap(address,address,int256,int256,uint160,uint128,int24)'
const swap = (amounts: readonly [bigint, bigint], [liquidity, at]: readonly [bigint, number]) =>
  log(swapEvent, wordsOf(...amounts, 7n << 90n, liquidity, at), 1, 2)
const mint = (lower: number, upper: number, amount: bigint) =>
  log(
    'Mint(address,address,int24,int24,uint128,uint256,uint256)',
    wordsOf(5n, amount, 1n, 1n),
    1,
    lower,
    upper,
  )
const burn = (lower: number, upper: number, amount: bigint) =>
  log('Burn(address,int24,int24,uint128,uint256,uint256)', wordsOf(amount, 1n, 1n), 1, lower, upper)
const apply = (event: ReturnType<typeof log>, own: Partial<ConcentratedRecord> = {}) =>
  applyConcentratedLog({ ...record, ...own }, event)

s('a swap moves price, liquidity and tick, and pays for what was fresh [teeth/range-logs]', () => {
  assert.equal(apply(swap([-5n, 6n], [100n, -60])), {
    ...record,
    sqrtPriceX96: 7n << 90n,
    liquidity: 100n,
    tick: -60,
    isFresh: [true, false],
    swapsSeen: 5,
    changedBlock: 9n,
  })
  assert.equal(apply(swap([5n, -6n], [100n, 0]))?.isFresh, [false, true])
  assert.equal(apply(swap([0n, 0n], [100n, 0]))?.isFresh, [true, true], 'nobody paid')
  assert.equal(apply(swap([-5n, 6n], [100n, 0]), { isFresh: [false, true] })?.isFresh, [
    false,
    false,
  ])
  // PancakeSwap's has two words more.
  const longer = log(
    'Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)',
    wordsOf(1n, -1n, 8n, 100n, 59, 3n, 4n),
  )
  const { sqrtPriceX96, tick: moved } = apply(longer) ?? {}
  assert.equal([sqrtPriceX96, moved], [8n, 59])
})
s('a swap tells of positions that were missed [teeth/range-logs]', () => {
  const missed = (liquidity: bigint, at: number, own: Partial<ConcentratedRecord> = {}) =>
    apply(swap([1n, -1n], [liquidity, at]), own) === undefined
  // Up over the tick at 60 there are 70 less, over the one at 120 nothing is left.
  assert.equal([missed(30n, 60), missed(30n, 119), missed(0n, 120)], [false, false, false])
  assert.equal([missed(100n, 59), missed(50n, -61), missed(0n, -121)], [false, false, false])
  assert.equal([missed(31n, 60), missed(100n, 60), missed(100n, -61)], [true, true, true])
  // Where nothing is crossed nothing has changed.
  assert.equal([missed(99n, 0), missed(100n, 0)], [true, false])
  // Of a pool whose liquidity never was what its ticks say nothing is told.
  assert.equal(
    [missed(99n, 60, { liquidity: 90n }), missed(20n, 60, { liquidity: 90n })],
    [false, false],
  )
  const [here, there] = [record, { tick: 60, liquidity: 30n }]
  assert.equal(
    [isPositionMissing(here, there), isPositionMissing({ ...there, ticks }, here)],
    [false, false],
    'either way',
  )
  // From a tick on it is already crossed.
  const onTick = { tick: 60, liquidity: 30n, ticks }
  assert.equal(
    [30n, 29n].map((liquidity) => isPositionMissing(onTick, { tick: 119, liquidity })),
    [false, true],
  )
})
s(
  'a position adds to both its ticks, and to the liquidity that it is around [teeth/range-logs]',
  () => {
    const grown = apply(mint(-60, 60, 8n))
    assert.equal([grown?.liquidity, grown?.changedBlock, grown?.swapsSeen], [108n, 9n, 4])
    assert.equal(grown?.ticks, [
      tick(-120, 50n),
      tick(-60, 58n),
      { index: 60, gross: 78n, net: -78n },
      tick(120, -30n),
    ])
    // From its lower tick on, and up to the one below its upper tick.
    const liquidityAt = (at: number) =>
      addRange({ tick: at, liquidity: 100n, ticks }, { lower: -60, upper: 60, delta: 8n }).liquidity
    assert.equal([-61, -60, 59, 60].map(liquidityAt), [100n, 108n, 108n, 100n])
    const ends = apply(mint(-240, 240, 8n))?.ticks
    assert.equal([ends?.[0], ends?.at(-1), ends?.length], [tick(-240, 8n), tick(240, -8n), 6])
    const between = apply(mint(0, 180, 8n))?.ticks.map(({ index }) => index)
    assert.equal(between, [-120, -60, 0, 60, 120, 180])
  },
)
s(
  'a position that goes takes its ticks with it, if nobody else has them [teeth/range-logs]',
  () => {
    const less = apply(burn(-120, 120, 30n))
    assert.is(less?.liquidity, 70n)
    assert.equal(less?.ticks, [tick(-120, 20n), tick(-60, 50n), tick(60, -70n)])
    // A tick stays whose positions balance each other.
    const both = apply(mint(60, 180, 70n))
    assert.equal(both?.ticks[2], { index: 60, gross: 140n, net: 0n })
    assert.is(apply(burn(-120, 120, 0n))?.changedBlock, 1n, 'fees alone change nothing')
    const least = apply(burn(-120, 120, 29n), { ticks: [tick(-120, 30n), tick(120, -30n)] })?.ticks
    assert.equal(least, [tick(-120, 1n), tick(120, -1n)])
    const nameless = { ...burn(-120, 120, 3n), topics: burn(0, 0, 1n).topics.slice(0, 3) }
    assert.is(applyConcentratedLog(record, nameless), record)
  },
)
s('fees and first prices are as they are told, and others are not heard [teeth/range-logs]', () => {
  const changed = { ...record, changedBlock: 9n }
  assert.equal(apply(log('Fee(uint16,uint16)', wordsOf(700, 800))), {
    ...changed,
    feePips: 700,
    feePips1: 800,
  })
  assert.equal(apply(log('Fee(uint16)', wordsOf(900))), { ...changed, feePips: 900, feePips1: 900 })
  assert.equal(apply(log('Initialize(uint160,int24)', wordsOf(5n, -887_272))), {
    ...changed,
    sqrtPriceX96: 5n,
    tick: -887_272,
  })
  assert.is(applyConcentratedLog(record, log('Collect()', '0x')), record)
})
s('a plugin of Algebra Integral has its pool read again [teeth/range-logs]', () => {
  const own = { ...record, protocol: 'algebra_integral' } as const
  const after = (event: string) => algebraIntegralFamily.apply(own, log(event, wordsOf(5)))
  assert.equal([after('Plugin(address)'), after('PluginConfig(uint8)')], [undefined, undefined])
  assert.is(after('Fee(uint16)')?.feePips, 5)
})
s('each fork has its own gas, and asks for the events it has [teeth/range-logs]', () => {
  const gas = [uniswapV3Family, pancakeV3Family, slipstreamFamily, algebraIntegralFamily].map(
    (family) => [
      family.stepGas({ ...record, isFresh: [false, true] }, 0),
      family.stepGas({ ...record, isFresh: [false, true] }, 1),
    ],
  )
  assert.equal(gas, [
    [64_400, 79_800],
    [80_400, 95_800],
    [68_400, 83_800],
    [68_400, 83_800],
  ])
  const longer = toEventSelector(
    'Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)',
  )
  assert.equal(
    [pancakeV3Family.topics.includes(longer), uniswapV3Family.topics.includes(longer)],
    [true, false],
  )
  for (const event of [swapEvent, 'Initialize(uint160,int24)'])
    assert.ok(uniswapV3Family.topics.includes(toEventSelector(event)))
  const [price, depth] = [uniswapV3Family.midPrice, uniswapV3Family.depth]
  const four = { ...record, sqrtPriceX96: 2n << 96n }
  assert.equal([price(four, 0, 1), price(four, 1, 0)], [4, 0.25])
  assert.is(price({ ...record, sqrtPriceX96: 3n << 96n }, 0, 1), 9)
  assert.equal([depth(four, 0), depth(four, 1)], [50, 200])
  assert.is(depth({ ...four, liquidity: -1n }, 0), undefined)
})

const managed: ManagedRecord = {
  ...record,
  id: pad('0x7'),
  protocol: 'uniswap_v4',
  key: {
    currency0: fakeAddress(2),
    currency1: fakeAddress(3),
    fee: 500,
    tickSpacing: 60,
    hooks: fakeAddress(0),
  },
  lpFeePips: 500,
  protocolFeePips: [0, 0],
}
const applyManaged = (event: ReturnType<typeof log>) => uniswapV4Family.apply(managed, event)
const managedSwap = 'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)'
const modify = 'ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)'

s('inside a manager payments are negative, and fees come packed [teeth/managed-logs]', () => {
  const changed = { ...managed, changedBlock: 9n }
  assert.equal(applyManaged(log(managedSwap, wordsOf(-5n, 6n, 9n, 30n, 60, 500), 7)), {
    ...changed,
    sqrtPriceX96: 9n,
    liquidity: 30n,
    tick: 60,
    isFresh: [false, true],
    swapsSeen: 5,
  })
  assert.is(applyManaged(log(managedSwap, wordsOf(-5n, 6n, 9n, 31n, 60, 500), 7)), undefined)
  const grown = applyManaged(log(modify, wordsOf(-60, 60, 8n, 0), 7))
  assert.equal([grown?.liquidity, grown?.changedBlock, grown?.ticks[1]?.net], [108n, 9n, 58n])
  const less = applyManaged(log(modify, wordsOf(-60, 60, -8n, 0), 7))
  assert.equal([less?.liquidity, less?.ticks[1]?.net], [92n, 42n])
  assert.is(applyManaged(log(modify, wordsOf(-60, 60, 0n, 0), 7)), managed)
  // Twelve bits each: selling currency 0 first.
  const fees = applyManaged(
    log('ProtocolFeeUpdated(bytes32,uint24)', wordsOf((1_000 << 12) | 50), 7),
  )
  assert.equal(fees, { ...changed, protocolFeePips: [50, 1_000] })
  assert.is(applyManaged(log('Donate(bytes32)', '0x', 7)), managed)
})
s('are named by their id there, and made with their key [teeth/managed-logs]', () => {
  const named = [managedSwap, modify, 'Donate(bytes32)'].map((event) =>
    uniswapV4Family.poolIdOf?.(log(event, '0x', 7)),
  )
  assert.equal(named, [pad('0x7'), pad('0x7'), undefined])
  const event = 'Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)'
  const hooks = fakeAddress(8)
  const data = encodeAbiParameters(
    ['uint24', 'int24', 'address', 'uint160', 'int24'].map((type) => ({ type })),
    [3_000, 60, hooks, 5n, 1],
  )
  const [creation] = uniswapV4Family.creations
  const [token0, token1] = managed.tokens as [Hex, Hex]
  const made = log(event, data, 7, BigInt(token0), BigInt(token1))
  assert.equal(creation?.read(made), {
    tokens: [token0, token1],
    address: getAddress(pool),
    id: pad('0x7'),
    key: {
      currency0: getAddress(token0),
      currency1: getAddress(token1),
      fee: 3_000,
      tickSpacing: 60,
      hooks: getAddress(hooks),
    },
  })
  assert.is(creation?.read({ ...made, topics: made.topics.slice(0, 3) }), undefined)
  assert.equal([creation?.topic, creation?.keyedTokensAt], [toEventSelector(event), 2])
  const gas = (own: Partial<ManagedRecord>, i: number) =>
    uniswapV4Family.stepGas({ ...managed, isFresh: [true, false], ...own }, i)
  assert.equal([gas({}, 0), gas({}, 1), gas({ quoter: pool }, 1)], [92_100, 75_000, 165_000])
})
s.run()
