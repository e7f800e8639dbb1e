import {
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  pad,
  parseAbi,
  toFunctionSelector,
  zeroAddress,
  zeroHash,
} from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import type { Dex, Protocol } from '../../chain/dex.ts'
import { changeTold, createViewNode, fakeAddress, fakeDex, type Told } from '../testing/viewNode.ts'
import { uniswapV4Family } from './concentrated/uniswapV4Chain.ts'
import { familyOf } from './families.ts'

const s = suite('how families find their pools')
const [token0, token1, pool, other] = [1, 2, 3, 4].map(fakeAddress) as [Hex, Hex, Hex, Hex]
const blockNumber = 7n
type Asked = readonly [
  factory: Hex,
  selector: Hex,
  a: readonly Hex[],
  b: readonly Hex[],
  keys: unknown,
]

/** What a lens is asked for the pools of two tokens, and which of them it finds. */
async function find(protocol: Protocol, own: Partial<Dex> = {}, told: readonly Told[] = []) {
  const asked: Asked[] = []
  const answer = (...args: Asked) => {
    asked.push(args)
    return [[pool, pool], []]
  }
  const dex = fakeDex({ protocol, ...own })
  const { deps } = createViewNode(told, { findPools: answer, findLists: answer })
  const pools = await familyOf(dex).find(deps, { dex, a: [token0], b: [token1], blockNumber })
  assert.equal(
    asked.map(([factory, , a, b]) => [factory, a, b].flat().join().toLowerCase()),
    asked.map(() => [dex.factory, token0, token1].join().toLowerCase()),
  )
  return {
    asked: asked.map(([, selector, , , keys]) => [selector, keys]),
    pools: pools.map(({ address }) => address.toLowerCase()),
  }
}
const bigs = (...keys: readonly number[]) => keys.map(BigInt)

for (const [protocol, signature, keys] of [
  ['uniswap_v2', 'getPair(address,address)', bigs(0)],
  ['camelot_v2', 'getPair(address,address)', bigs(0)],
  ['aerodrome_v2', 'getPool(address,address,bool)', bigs(0, 1)],
  ['ramses_v1', 'getPair(address,address,bool)', bigs(0, 1)],
  ['camelot_v3', 'poolByPair(address,address)', bigs(0)],
  ['algebra_integral', 'poolByPair(address,address)', bigs(0)],
  ['trident', 'pools(address,address,uint256)', bigs(0, 1, 2, 3)],
  ['curve_plain', 'find_pool_for_coins(address,address,uint256)', bigs(0, 1, 2, 3, 4)],
  ['curve_stable_ng', 'find_pool_for_coins(address,address,uint256)', bigs(0, 1, 2, 3, 4)],
  ['curve_crypto', 'find_pool_for_coins(address,address,uint256)', bigs(0, 1, 2, 3, 4)],
  ['uniswap_v3', 'getPool(address,address,uint24)', bigs(500, 3_000)],
  ['pancake_v3', 'getPool(address,address,uint24)', bigs(500, 3_000)],
  ['ramses_v2', 'getPool(address,address,uint24)', bigs(500, 3_000)],
  ['dodo_v2', 'getDODOPool(address,address)', '0x'],
  [
    'maverick_v2',
    'lookup(address,address,uint256,uint256)',
    `0x${'0'.repeat(64)}${'10'.padStart(64, '0')}`,
  ],
] as const)
  s(`${protocol}: by its factory's own look-up [teeth/finds]`, async () => {
    const { asked, pools } = await find(protocol, { feesPips: [500, 3_000] })
    assert.equal(asked, [[toFunctionSelector(signature), keys]])
    assert.equal(pools, [pool], 'each once')
  })

s('slipstream: by spacings of its row, and by those that came since [teeth/finds]', async () => {
  const selector = toFunctionSelector('getPool(address,address,int24)')
  const factory = fakeAddress(70)
  const spacings: Told = [factory, 'tickSpacings()(int24[])', [[1, 50, 0, -5, 100, 7]]]
  const row = { factory, poolKeys: [1, 100] }
  assert.equal((await find('slipstream', row)).asked, [[selector, bigs(1, 100)]])
  const { asked } = await find('slipstream', row, [spacings])
  assert.equal(asked, [
    [selector, bigs(1, 100)],
    [selector, bigs(50, 7)],
  ])
})

s('by few words where nobody waits for more: each two tokens once [teeth/finds]', async () => {
  const dex = fakeDex({ protocol: 'uniswap_v3', feesPips: [500, 3_000] })
  const view = 'getPool(address,address,uint24)(address)'
  const { deps } = createViewNode([
    [dex.factory, view, [pool], [token0, token1, 500]],
    [dex.factory, view, [other], [token0, token1, 3_000]],
    [dex.factory, view, [zeroAddress], [token0, other, 500]],
    [dex.factory, view, [fakeAddress(9)], [token0, token0, 500]],
  ])
  const both = [token0, token1, other]
  const asked = { dex, a: [token0], b: both, blockNumber, isBrief: true }
  const pools = await familyOf(dex).find(deps, asked)
  assert.equal(
    pools.map(({ address }) => address.toLowerCase()),
    [pool, other],
  )
})

const manager = fakeAddress(20)
const weth = '0x4200000000000000000000000000000000000006'
const hooks = getAddress(fakeAddress(0xab))

s('inside a manager by keys of all tiers, native currency too [teeth/managed-finds]', async () => {
  const asked: unknown[] = []
  const dex = fakeDex({
    protocol: 'uniswap_v4',
    factory: manager,
    feesPips: [500, 3_000],
    poolKeys: [10],
  })
  const found = { id: pad('0x7'), currency0: token0, currency1: token1, fee: 500, tickSpacing: 10 }
  const { deps } = createViewNode([], {
    findManaged: (_: Hex, a: readonly Hex[], b: readonly Hex[], tiers: unknown) => {
      asked.push([a.map((one) => one.toLowerCase()), b.map((one) => one.toLowerCase()), tiers])
      return [found, found]
    },
  })
  const pools = await uniswapV4Family.find(deps, {
    dex,
    a: [weth, token0],
    b: [token1],
    blockNumber,
  })
  assert.equal(asked, [
    [
      [zeroAddress, weth, token0],
      [token1],
      [
        { fee: 500, tickSpacing: 10 },
        { fee: 3_000, tickSpacing: 1 },
      ],
    ],
  ])
  const { id, ...key } = found
  assert.equal(pools, [
    {
      dex,
      address: manager,
      id,
      key: {
        ...key,
        currency0: getAddress(token0),
        currency1: getAddress(token1),
        hooks: zeroAddress,
      },
    },
  ])
})
s(
  'with known hooks as their launchpads open them, where a price stands [teeth/managed-finds]',
  async () => {
    const knownHooks = [
      { name: 'h', source: 's', date: 'd', addresses: [hooks], keys: [[0x80_0000, 200]] },
    ] as const
    const dex = fakeDex({ protocol: 'uniswap_v4', factory: manager, feesPips: [], knownHooks })
    const word = (value: Hex | number) =>
      (typeof value === 'number' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(
        64,
        '0',
      )
    const idOf = (currency0: Hex, currency1: Hex) =>
      keccak256(`0x${[currency0, currency1, 0x80_0000, 200, hooks].map(word).join('')}`)
    const slotOf = (id: Hex) => keccak256(`${id}${word(6)}`)
    const id = idOf(token0, weth)
    const key = { currency0: token0, currency1: weth, fee: 0x80_0000, tickSpacing: 200, hooks }
    // The wrapped token stands for native currency as well.
    const slots = [idOf(zeroAddress, token0), id].map(slotOf)
    const told = (price: Hex): readonly Told[] => [
      [manager, 'extsload(bytes32[])(bytes32[])', [[zeroHash, price]], [slots]],
    ]
    const look = async (views: readonly Told[], b: readonly Hex[] = [weth]) => {
      const { deps } = createViewNode(views, { findManaged: () => [] })
      return uniswapV4Family.find(deps, { dex, a: [token0], b, blockNumber })
    }
    const [found, ...more] = await look(told(pad('0x1')))
    assert.equal([found?.id, found?.key, more], [id, key, []])
    // Without a price nobody has opened it; of other tokens no launchpad would.
    assert.equal(
      [await look(told(zeroHash)), await look([]), await look(told(pad('0x1')), [token1])],
      [[], [], []],
    )
  },
)
s('a hooked pool is asked of its quoter by its whole key [teeth/managed-finds]', () => {
  const abi = parseAbi([
    'function quoteExactInputSingle(((address,address,uint24,int24,address),bool,uint128,bytes)) returns (uint256,uint256)',
  ])
  const key = { currency0: token0, currency1: weth, fee: 500, tickSpacing: 10, hooks } as const
  const record = { quoter: other, address: manager, key } as never
  const ask = (i: number, amountIn: bigint) =>
    uniswapV4Family.quoter?.question(record, { i, j: 1 - i, amountIn })
  const data = (zeroForOne: boolean, amount: bigint) =>
    encodeFunctionData({
      abi,
      args: [[[token0, weth, 500, 10, hooks], zeroForOne, amount, '0x']],
    })
  assert.equal(ask(0, 77n), { target: other, data: data(true, 77n) })
  assert.equal(ask(1, 1n << 200n)?.data, data(false, (1n << 128n) - 1n))
  const read = (amountIn: bigint) =>
    uniswapV4Family.quoter?.readAnswer([5n, 6n], { i: 0, j: 1, amountIn }, record)
  assert.equal([read((1n << 128n) - 1n), read(1n << 128n)], [5n, undefined])
})

const [vault, quoter, provider, hook] = [
  '0xbA1333333333a1BA1108E8412f11850A5C319bA9',
  fakeAddress(31),
  fakeAddress(32),
  fakeAddress(33),
] as const
const config =
  'getPoolConfig(address)(((bool,bool,bool,bool),uint256,uint256,uint256,uint40,uint32,bool,bool,bool,bool))'
const acts = (on: boolean, by: Hex) => [
  [...Array.from({ length: 10 }, (_, k) => on && k === 4), by],
]
const quotedPool: readonly Told[] = [
  [
    vault,
    'getPoolTokenInfo(address)(address[],(uint8,address,bool)[],uint256[],uint256[])',
    [
      [token0, token1],
      [
        [0, zeroAddress, false],
        [1, provider, true],
      ],
      [5n, 6n],
      [7n, 8n],
    ],
    [pool],
  ],
  [
    vault,
    config,
    [[[false, false, false, false], 3n * 10n ** 15n, 1n, 2n, 3, 4, true, true, false, false]],
    [pool],
  ],
  [
    vault,
    'getHooksConfig(address)((bool,bool,bool,bool,bool,bool,bool,bool,bool,bool,address))',
    acts(true, hook),
    [pool],
  ],
]

s(
  'a quoted pool of the third vault is what the vault says, with who has a say [teeth/finds]',
  async () => {
    const dex = fakeDex({ protocol: 'balancer_v3_quoted', quoter })
    const sample = (rows: readonly { held: bigint }[], points: bigint) =>
      rows.map(({ held }) => ({
        burnt: false,
        held,
        answers: Array.from({ length: Number(points) }, () => pad('0x9', { size: 32 })),
      }))
    const load = async (told: readonly Told[]) => {
      const { deps } = createViewNode(told, { sample })
      return (await familyOf(dex).load(deps, { pools: [{ dex, address: pool }], blockNumber }))[0]
    }
    const record = await load(quotedPool)
    if (record?.protocol !== 'balancer_v3_quoted') throw new Error('there is no pool')
    assert.equal(
      [record.tokens, record.held, record.feePips, record.quoter],
      [[token0, token1], [5n, 6n], 3_000, getAddress(quoter)],
    )
    const names = (one: typeof record | undefined) => one?.parts?.map(({ address }) => address)
    assert.equal(names(record), [provider, hook])
    const own = changeTold(quotedPool, 'getHooksConfig', acts(true, pool))
    assert.equal(
      names((await load(own)) as typeof record),
      [provider],
      'a hook of its own is the pool',
    )
    const idle = changeTold(quotedPool, 'getHooksConfig', acts(false, hook))
    assert.equal(names((await load(idle)) as typeof record), [provider])
    assert.is(await load(changeTold(quotedPool, 'getPoolTokenInfo')), undefined)
  },
)
s.run()
