import { encodeAbiParameters, getAddress, type Hex, pad, toHex, zeroAddress } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import type { LoadParameters, PoolKey } from '../../reads/poolRef.ts'
import { near } from '../../testing/near.ts'
import { proveEvents } from '../../testing/proveEvents.ts'
import { managedAnswer, openManagers, rangeTokens, ticksOf } from '../../testing/rangeLens.ts'
import {
  codeHashOf,
  createViewNode,
  fakeAddress,
  fakeDex,
  fakeLog,
} from '../../testing/viewNode.ts'
import { uniswapV4Family } from './uniswapV4Chain.ts'

const s = suite('pools inside a manager')
const [manager, second] = [20, 21].map(fakeAddress) as [Hex, Hex]
const [token0, token1] = rangeTokens
const weth = '0x4200000000000000000000000000000000000006'
const blockNumber = 7n
const dex = fakeDex({ protocol: 'uniswap_v4', factory: manager })
const key: PoolKey = {
  currency0: token0,
  currency1: token1,
  fee: 500,
  tickSpacing: 60,
  hooks: zeroAddress,
}
const idAt = (n: number) => pad(toHex(n + 1))
const poolsOf = (count: number, address = manager) =>
  Array.from({ length: count }, (_, n) => ({ dex, address, id: idAt(n), key }))

type Say = Parameters<typeof openManagers>[0]
type How = Pick<LoadParameters, 'isBrief' | 'isThrifty'>
async function load(pools: ReturnType<typeof poolsOf>, say?: Say, how: How = {}) {
  const node = openManagers(say)
  const questions: string[] = []
  const deps = {
    ...node.deps,
    noteFailure: ({ data }: { readonly data: Hex }, failure: string) =>
      questions.push(`${failure} ${data}`),
  }
  const records = await uniswapV4Family.load(deps, {
    pools,
    blockNumber,
    ...how,
  })
  const sizes = node.calls.map(([, requests]) => requests.length)
  return { records, questions, sizes, ...node }
}
/** An id where those who note failures look for it. */
const questionOf = (id: Hex) => `0x00000000${id.slice(2)}`

const native: PoolKey = { ...key, currency0: zeroAddress }
const ticks = [
  { index: -60, gross: 9n, net: 7n },
  { index: 60, gross: 7n, net: -7n },
]
function openManager(...say: Parameters<typeof openManagers>) {
  const node = openManagers(...say)
  const load = async (own: Partial<PoolKey> = {}, row = {}) => {
    const ref = {
      dex: { ...dex, ...row },
      address: manager,
      id: idAt(6),
      key: { ...native, ...own },
    }
    return (await uniswapV4Family.load(node.deps, { pools: [ref], blockNumber }))[0]
  }
  return { ...node, load }
}

s(
  'inside a manager are known by their key, native currency as its wrapped token [teeth/managed-pools]',
  async () => {
    const { load, calls } = openManager()
    assert.equal(await load(), {
      id: idAt(6),
      address: getAddress(manager),
      dex: 'd',
      tokens: [weth, token1],
      changedBlock: 7n,
      swapsSeen: 0,
      protocol: 'uniswap_v4',
      key: native,
      feePips: 500,
      lpFeePips: 500,
      protocolFeePips: [7, 9],
      isFresh: [true, false],
      tickSpacing: 60,
      sqrtPriceX96: 1n << 96n,
      tick: -3,
      liquidity: 7n,
      ticks: ticks,
    })
    const requests = [{ id: idAt(6), tickSpacing: 60, fromWord: -32_768 }]
    assert.equal(calls, [[manager, requests]])
  },
)
s(
  'are continued inside a manager, too, and told in part without end [teeth/managed-pools]',
  async () => {
    const two = openManager(({ fromWord }) =>
      fromWord === 5
        ? { ticks: managedAnswer.ticks.slice(2) }
        : { done: false, nextWord: 5, ticks: managedAnswer.ticks.slice(0, 2) },
    )
    assert.equal((await two.load())?.ticks, ticks)
    const endless = openManager((_, round) => ({ done: false, nextWord: round }))
    const part = await endless.load()
    assert.equal([part?.isPart, part?.ticks.length, endless.calls.length], [true, 16, 8])
    assert.equal(endless.failures, [`endless ${manager}`])
    const unopened = openManager(() => ({ sqrtPriceX96: 0n }))
    assert.is(await unopened.load(), undefined)
    assert.is(await openManager(() => ({ ok: false })).load(), undefined)
  },
)
s(
  'with hooks that act on swaps are asked of a quoter, or declined [teeth/managed-pools]',
  async () => {
    const quoter = fakeAddress(21)
    // Bits 7, 6, 3 and 2: before and after swaps, and both returning amounts.
    for (const bit of [7, 6, 3, 2]) {
      const hooks = getAddress(pad(`0x${(0xab0000 | (1 << bit)).toString(16)}`, { size: 20 }))
      const asked = await openManager().load({ hooks }, { quoter })
      const lower = hooks.toLowerCase()
      assert.equal(
        [asked?.quoter, asked?.parts],
        [quoter, [{ address: lower, codeHash: codeHashOf(lower) }]],
      )
      const mute = openManager()
      assert.equal([await mute.load({ hooks }), mute.declined], [undefined, [manager]])
    }
    const dynamic = openManager()
    assert.equal([await dynamic.load({ fee: 0x80_0000 }), dynamic.declined], [undefined, [manager]])
    assert.is((await openManager().load({ fee: 0x80_0000 }, { quoter }))?.quoter, quoter)
    const idle = getAddress(pad('0xab0033', { size: 20 }))
    const left = await openManager().load({ hooks: idle }, { quoter })
    assert.equal([left?.quoter, left?.parts], [undefined, undefined], 'swaps are left alone')
  },
)
s('are asked for one by one while they are few, else by twenty [teeth/managed-pools]', async () => {
  const sizesOf = async (count: number, how?: How) =>
    (await load(poolsOf(count), undefined, how)).sizes
  assert.equal(await sizesOf(16), Array(16).fill(1))
  assert.equal(await sizesOf(17), [17])
  assert.equal(await sizesOf(21), [20, 1])
  assert.equal(await sizesOf(6, { isBrief: true }), [4, 2])
  assert.equal(await sizesOf(41, { isThrifty: true }), [40, 1])
})
s('are asked of their own manager [teeth/managed-pools]', async () => {
  const both = poolsOf(10).flatMap((pool) => [pool, { ...pool, address: second }])
  const { calls, records } = await load(both)
  assert.equal(
    calls.map(([of, requests]) => [of, requests.length]),
    [
      [manager, 10],
      [second, 10],
    ],
  )
  assert.is(records.length, 20)
})
s(
  'that a call did not reach are asked for again, in smaller ones [teeth/managed-pools]',
  async () => {
    const late = new Set([0, 1, 2, 3, 4].map(idAt))
    for (const [isBrief, rest] of [
      [false, [1, 1, 1, 1, 1]],
      [true, [4, 1]],
    ] as const) {
      const say: Say = ({ id, fromWord }, round) =>
        round === 1 && late.has(id)
          ? { done: false, nextWord: fromWord, sqrtPriceX96: 0n, ticks: [] }
          : {}
      const { records, sizes, questions } = await load(poolsOf(17), say, { isBrief })
      assert.equal([sizes, questions], [[17, ...rest], []])
      assert.is(records.length, 17)
      assert.ok(records.every(({ sqrtPriceX96 }) => sqrtPriceX96 === 1n << 96n))
    }
  },
)
s('whose ticks take more than a call are given up after two [teeth/managed-pools]', async () => {
  const stuck = { done: false, sqrtPriceX96: 0n, ticks: [] }
  const { records, sizes, questions } = await load(poolsOf(1), ({ fromWord }) => ({
    ...stuck,
    nextWord: fromWord,
  }))
  assert.equal([records, sizes], [[], [1, 1]])
  assert.equal(questions, [`endless ${questionOf(idAt(0))}`])
  // The least price is one.
  assert.is((await load(poolsOf(1), () => ({ sqrtPriceX96: 1n }))).records.length, 1)
})
s('have ticks of any width, as their manager packs them [teeth/managed-pools]', async () => {
  const wide = [
    [-887_271, 2n ** 127n + 9n, 2n ** 126n],
    [61, 2n ** 128n - 1n, -(2n ** 127n)],
  ] as const
  const { records } = await load(poolsOf(1), () => ({ ticks: ticksOf(...wide) }))
  assert.equal(
    records[0]?.ticks,
    wide.map(([index, gross, net]) => ({ index, gross, net })),
  )
})
s('that nobody could read are told by their id [teeth/managed-pools]', async () => {
  const { records, questions } = await load(poolsOf(3), ({ id }) => {
    if (id === idAt(0)) throw new Error('out of gas')
    return { ok: id !== idAt(1) }
  })
  assert.equal(
    records.map(({ id }) => id),
    [idAt(2)],
  )
  assert.equal(questions, [`unreadable ${questionOf(idAt(0))}`])
})
s('are none without a key [teeth/managed-pools]', async () => {
  const { deps, declined } = openManagers()
  const pools = [{ dex, address: manager, id: idAt(0) }]
  assert.equal(await uniswapV4Family.load(deps, { pools, blockNumber }), [])
  assert.equal(declined, [manager])
})

s('are looked up by keys of all tiers, native currency too [teeth/managed-pools]', async () => {
  const asked: unknown[] = []
  const found = { id: idAt(6), currency0: token0, currency1: token1, fee: 500, tickSpacing: 10 }
  const node = createViewNode([], {
    findManaged: (_: Hex, a: readonly Hex[], b: readonly Hex[], tiers: unknown) => {
      asked.push([a.map((one) => one.toLowerCase()), b.map((one) => one.toLowerCase()), tiers])
      return [found, found]
    },
  })
  const row = { ...dex, feesPips: [500, 3_000], poolKeys: [10] }
  const find = (a: readonly Hex[]) =>
    uniswapV4Family.find(node.deps, { dex: row, a, b: [token1], blockNumber })
  const pools = await find([weth, token0])
  await find([token0])
  const tiers = [
    { fee: 500, tickSpacing: 10 },
    { fee: 3_000, tickSpacing: 1 },
  ]
  assert.equal(asked, [
    [[zeroAddress, weth, token0], [token1], tiers],
    [[token0], [token1], tiers],
  ])
  const { id, ...rest } = found
  const currencies = { currency0: getAddress(token0), currency1: getAddress(token1) }
  const ofFound = { ...rest, ...currencies, hooks: zeroAddress }
  assert.equal(pools, [{ dex: row, address: manager, id, key: ofFound }])
})
s('are looked up by 2,500 keys at once [teeth/managed-pools]', async () => {
  const sizes: number[] = []
  const node = createViewNode([], {
    findManaged: (_: Hex, a: readonly Hex[], b: readonly Hex[]) => {
      sizes.push(a.length * b.length)
      return []
    },
  })
  const b = Array.from({ length: 1_251 }, (_, n) => fakeAddress(10_000 + n))
  const row = { ...dex, feesPips: [500, 3_000] }
  await uniswapV4Family.find(node.deps, { dex: row, a: [token0], b, blockNumber })
  assert.equal(sizes, [1_250, 1])
})

s('pay for what nobody has paid a fee in yet [teeth/managed-pools]', async () => {
  const [read] = (await load(poolsOf(1), () => ({ ticks: [] }))).records
  if (!read) throw new Error('there is no pool')
  const fresh = { ...read, isFresh: [true, true] }
  const types = ['int128', 'int128', 'uint160', 'uint128', 'int24', 'uint24']
  const swap = (amounts: readonly [bigint, bigint], own = fresh) => {
    const values = [...amounts, 9n, 7n, -3, 500]
    const data = encodeAbiParameters(
      types.map((type) => ({ type })),
      values,
    )
    const event = 'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)'
    return uniswapV4Family.apply(own, fakeLog(manager, event, { data }))?.isFresh
  }
  assert.equal(
    [swap([0n, -1n]), swap([-1n, 0n]), swap([0n, 0n])],
    [
      [true, false],
      [false, true],
      [true, true],
    ],
  )
  const stranger = fakeLog(second, 'ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)')
  assert.is(uniswapV4Family.apply(fresh, stranger), fresh)
  for (const isFresh of [
    [false, false],
    [true, false],
    [false, true],
  ])
    assert.equal(swap([0n, 0n], { ...fresh, isFresh }), isFresh)
})
s('swap through their manager by their key, at their own price [teeth/managed-pools]', async () => {
  const [record] = (await load(poolsOf(1))).records
  if (!record) throw new Error('there is no pool')
  const step = uniswapV4Family.encodeStep(record, { tokenIn: token0, tokenOut: token1 })
  const keyTypes = ['address', 'address', 'uint24', 'int24', 'address'].map((type) => ({ type }))
  const data = encodeAbiParameters(
    [{ type: 'tuple', components: keyTypes }, { type: 'bytes' }],
    [[token0, token1, 500, 60, zeroAddress], '0x'],
  )
  assert.equal([step.pool, step.data], [getAddress(manager), data])
  const { midPrice, depth, nameInLogs, isQuoted, crossingGas, takesTaxedInput } = uniswapV4Family
  const nine = { ...record, sqrtPriceX96: 3n << 96n, liquidity: 60n }
  near(midPrice(nine, 0, 1), 9)
  near(midPrice(nine, 1, 0), 1 / 9)
  near(depth(nine, 0), 20)
  near(depth(nine, 1), 180)
  assert.equal(
    [0n, -1n].map((liquidity) => depth({ ...nine, liquidity }, 0)),
    [0, undefined],
  )
  assert.equal(nameInLogs?.(record), { name: idAt(0), by: [getAddress(manager)] })
  assert.equal([isQuoted?.(record), isQuoted?.({ ...record, quoter: second })], [false, true])
  assert.equal([crossingGas, takesTaxedInput], [20_000, false])
  assert.equal(uniswapV4Family.toEnginePool(record).tokens, [token0, token1])
  proveEvents(
    uniswapV4Family,
    [
      'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)',
      'ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)',
      'ProtocolFeeUpdated(bytes32,uint24)',
    ],
    ['Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)'],
  )
})
s.run()
