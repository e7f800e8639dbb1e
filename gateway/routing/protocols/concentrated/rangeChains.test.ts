import { getAddress, type Hex, pad, zeroAddress } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import type { PoolKey } from '../../reads/poolRef.ts'
import {
  managedAnswer as managed,
  openRanges as open,
  openManagers,
  rangeTokens,
  ticksOf,
} from '../../testing/rangeLens.ts'
import { codeHashOf, fakeAddress, fakeDex, type Told } from '../../testing/viewNode.ts'
import { algebraIntegralFamily, camelotV3Family } from './algebraChain.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'
import { ramsesV2Family, slipstreamFamily, uniswapV3Family } from './uniswapV3Chain.ts'
import { uniswapV4Family } from './uniswapV4Chain.ts'

const s = suite('ranges on the chain')
const [pool, other, oracle] = [1, 2, 5].map(fakeAddress) as [Hex, Hex, Hex]
const [token0, token1] = rangeTokens
const dex = fakeDex({ protocol: 'uniswap_v3' })
const blockNumber = 7n
const firstTick = -8_388_608
const record: ConcentratedRecord = {
  id: pool,
  address: getAddress(pool),
  dex: 'd',
  tokens: [token0, token1],
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

s('are read from the first tick to the last, each way packed [teeth/range-reads]', async () => {
  const { deps, calls, failures } = open(() => ({}))
  const read = await uniswapV3Family.load(deps, { pools: poolsOf(pool), blockNumber })
  assert.equal(read, [record])
  assert.equal(
    calls.map((requests) => requests.map(({ from, shape }) => [from, shape])),
    [[[firstTick, 0]]],
  )
  assert.equal(failures, [])
})
s(
  'are continued where a call ended, with the state of its first part [teeth/range-reads]',
  async () => {
    const { deps, calls } = open(({ from }) =>
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
  'are told in part where they never end, and not at all where nothing is read [teeth/range-reads]',
  async () => {
    const endless = open(({ from }, round) => ({
      done: false,
      next: from + 1,
      ticks: ticksOf([round, 1n, 1n]),
    }))
    const [part] = await uniswapV3Family.load(endless.deps, { pools: poolsOf(pool), blockNumber })
    assert.equal([part?.isPart, part?.ticks.length, endless.calls.length], [true, 12, 12])
    assert.equal(endless.failures, [`endless ${pool}`])
    // Its ticks take more gas than a whole call has.
    const stuck = open(({ from }) => ({ done: false, next: from, tickSpacing: 0, ticks: [] }))
    assert.equal(await uniswapV3Family.load(stuck.deps, { pools: poolsOf(pool), blockNumber }), [])
    assert.equal([stuck.calls.length, stuck.failures], [1, []])
    const none = open(({ pool: asked }) => ({ ok: asked.toLowerCase() !== pool }))
    const read = await uniswapV3Family.load(none.deps, { pools: poolsOf(pool, other), blockNumber })
    assert.equal([read.map(({ id }) => id), none.failures], [[other], [`reverted ${pool}`]])
  },
)
s(
  'travel alone where they are few, and together where nobody waits for one [teeth/range-reads]',
  async () => {
    const sizes = async (count: number, isBrief: boolean) => {
      const { deps, calls } = open(() => ({}))
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

const fees: readonly Told[] = [[pool, 'currentFee()(uint24)', [70]]]
s(
  'of Ramses take what their owners set since, and of Slipstream too [teeth/range-fees]',
  async () => {
    const load = async (told: readonly Told[]) =>
      (
        await ramsesV2Family.load(open(() => ({}), told).deps, {
          pools: poolsOf(pool),
          blockNumber,
        })
      )[0]
    const read = await load(fees)
    assert.equal([read?.protocol, read?.feePips, read?.feePips1], ['ramses_v2', 70, 70])
    assert.is(await load([]), undefined)
    assert.is(await load([[pool, 'currentFee()(uint24)', [1_000_000]]]), undefined)
    const refresh = async (told: readonly Told[]) =>
      slipstreamFamily.refresh?.(open(() => ({}), told).deps, {
        records: [record, { ...record, id: other, address: other }],
        dexes: [dex],
        blockNumber,
      })
    const fresh = await refresh([[pool, 'fee()(uint24)', [999_999]]])
    assert.equal([...(fresh ?? [])], [[pool, { feePips: 999_999, feePips1: 999_999 }]])
  },
)

const config = '(uint16,uint16,uint32,uint32,uint16,uint16,uint32,uint16,uint16)'
/** Heights of the sigmoids first, the base fee last. */
const setting = (alpha1: number, alpha2: number, fee: number) => [
  alpha1,
  alpha2,
  3,
  4,
  5,
  6,
  7,
  8,
  fee,
]
const camelot = (zto: readonly number[], otz: readonly number[]): readonly Told[] => [
  [pool, 'dataStorageOperator()(address)', [oracle]],
  [oracle, `feeConfigZto()${config}`, zto],
  [oracle, `feeConfigOtz()${config}`, otz],
]

s(
  'of Camelot pay the fee of the next block, or who is asked for it [teeth/range-fees]',
  async () => {
    const quoter = fakeAddress(8)
    const load = async (told: readonly Told[], own = {}) => {
      const node = open(() => ({}), told)
      const pools = [{ dex: { ...dex, ...own }, address: pool }]
      const [read] = await camelotV3Family.load(node.deps, { pools, blockNumber })
      return { read, ...node }
    }
    const flat = camelot(setting(0, 0, 120), setting(0, 0, 130))
    const { read, calls } = await load(flat)
    assert.equal(
      [read?.feePips, read?.feePips1, read?.feeOracle, read?.quoter],
      [120, 130, oracle, undefined],
    )
    assert.is(calls[0]?.[0]?.shape, 1)
    assert.equal((await load([])).read, { ...record, protocol: 'camelot_v3' })
    for (const bent of [
      camelot(setting(1, 0, 120), setting(0, 0, 130)),
      camelot(setting(0, 0, 120), setting(0, 1, 130)),
    ]) {
      const asked = await load(bent, { quoter })
      assert.equal(
        [asked.read?.feePips, asked.read?.quoter, asked.read?.feeOracle],
        [500, quoter, oracle],
      )
      assert.ok(asked.read && camelotV3Family.isQuoted?.(asked.read))
      // Without a quoter nobody can tell what it gives.
      const mute = await load(bent)
      assert.equal([mute.read, mute.declined], [undefined, [pool]])
    }
    const refresh = async (told: readonly Told[]) =>
      camelotV3Family.refresh?.(open(() => ({}), told).deps, {
        records: [
          { ...record, feeOracle: oracle },
          { ...record, id: other },
        ],
        dexes: [{ ...dex, quoter }],
        blockNumber,
      })
    const fresh = await refresh(flat)
    assert.equal([...(fresh ?? [])], [[pool, { feePips: 120, feePips1: 130, quoter: undefined }]])
    const bent = await refresh(camelot(setting(0, 9, 120), setting(0, 0, 130)))
    assert.equal(bent?.get(pool), { quoter })
  },
)
s(
  'of Algebra Integral are left out where a plugin has a say in swaps [teeth/range-fees]',
  async () => {
    const state = (flags: number): Told => [
      pool,
      'globalState()(uint160,int24,uint16,uint8,uint16,bool)',
      [1n, 2, 3, flags, 5, true],
    ]
    const load = async (told: readonly Told[]) => {
      const { deps, declined, calls } = open(() => ({}), told)
      const [read] = await algebraIntegralFamily.load(deps, { pools: poolsOf(pool), blockNumber })
      return { id: read?.id, declined, shape: calls[0]?.[0]?.shape }
    }
    assert.equal(await load([state(0)]), { id: pool, declined: [], shape: 2 })
    // Hooks of positions and flash loans leave swaps alone.
    assert.is((await load([state(0b0111_1100)])).id, pool)
    for (const flag of [1, 2, 128])
      assert.equal(await load([state(flag)]), { id: undefined, declined: [pool], shape: 2 })
    assert.equal(await load([]), { id: undefined, declined: [], shape: 2 })
  },
)

const manager = fakeAddress(20)
const key: PoolKey = {
  currency0: zeroAddress,
  currency1: token1,
  fee: 500,
  tickSpacing: 60,
  hooks: zeroAddress,
}
const weth = '0x4200000000000000000000000000000000000006'
function openManager(...say: Parameters<typeof openManagers>) {
  const node = openManagers(...say)
  const load = async (own: Partial<PoolKey> = {}, row = {}) => {
    const ref = {
      dex: { ...dex, ...row },
      address: manager,
      id: pad('0x7'),
      key: { ...key, ...own },
    }
    return (await uniswapV4Family.load(node.deps, { pools: [ref], blockNumber }))[0]
  }
  return { ...node, load }
}

s(
  'inside a manager are known by their key, native currency as its wrapped token [teeth/managed-reads]',
  async () => {
    const { load, calls } = openManager()
    assert.equal(await load(), {
      id: pad('0x7'),
      address: getAddress(manager),
      dex: 'd',
      tokens: [weth, token1],
      changedBlock: 7n,
      swapsSeen: 0,
      protocol: 'uniswap_v4',
      key,
      feePips: 500,
      lpFeePips: 500,
      protocolFeePips: [8, 9],
      isFresh: [true, false],
      tickSpacing: 60,
      sqrtPriceX96: 1n << 96n,
      tick: -3,
      liquidity: 7n,
      ticks: record.ticks,
    })
    const requests = [{ id: pad('0x7'), tickSpacing: 60, fromWord: -32_768 }]
    assert.equal(calls, [[manager, requests]])
  },
)
s(
  'are continued inside a manager, too, and told in part without end [teeth/managed-reads]',
  async () => {
    const two = openManager(({ fromWord }) =>
      fromWord === 5
        ? { ticks: managed.ticks.slice(2) }
        : { done: false, nextWord: 5, ticks: managed.ticks.slice(0, 2) },
    )
    assert.equal((await two.load())?.ticks, record.ticks)
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
  'with hooks that act on swaps are asked of a quoter, or declined [teeth/managed-reads]',
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
s.run()
