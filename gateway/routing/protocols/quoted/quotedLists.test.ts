import { encodeAbiParameters, type Hex, pad, toFunctionSelector, toHex } from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { seedTokens } from '../../../chain/chains.ts'
import type { Dex } from '../../../chain/dex.ts'
import { findThrough, lookup } from '../../testing/findThrough.ts'
import { proveEvents } from '../../testing/proveEvents.ts'
import { createSampleLens } from '../../testing/sampleLens.ts'
import { createViewNode, fakeAddress, fakeDex, type Told } from '../../testing/viewNode.ts'
import { balancerV3QuotedFamily } from '../balancer/balancerV3QuotedChain.ts'
import type { PoolFamily } from '../family/poolFamily.ts'
import { erc4626Family } from '../wrapped/erc4626Chain.ts'
import { curveCryptoFamily } from './curveCryptoChain.ts'
import { dodoV2Family } from './dodoV2Chain.ts'
import { fluidFamily } from './fluidChain.ts'
import { maverickV2Family } from './maverickV2Chain.ts'
import type { QuotedRecord } from './quotedChain.ts'
import { ramsesV1Family } from './ramsesV1Chain.ts'
import { woofiFamily } from './woofiChain.ts'

const s = suite('how quoted pools are noticed')
const [pool, other, token0, token1, quoter] = [1, 2, 3, 4, 5].map(fakeAddress) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
]
const blockNumber = 7n
const usual = fakeDex({ protocol: 'woofi' })
type Family = PoolFamily<QuotedRecord>
const addressesOf = (pools: readonly { readonly address: Hex }[] | undefined) =>
  pools?.map(({ address }) => address.toLowerCase())
const list = async (family: Family, told: readonly Told[], own: Partial<Dex> = {}) =>
  addressesOf(
    await family.list?.(createViewNode(told).deps, { dex: { ...usual, ...own }, blockNumber }),
  )
const find = async (family: Family, told: readonly Told[], own: Partial<Dex> = {}) => {
  const parameters = { dex: { ...usual, ...own }, a: [token0], b: [token1], blockNumber }
  return addressesOf(await family.find(createViewNode(told).deps, parameters))
}
const many = (count: number) => Array.from({ length: count }, (_, n) => fakeAddress(1_000 + n))

s('Fluid lists its pools by its resolver, as many as an answer holds [teeth/lists]', async () => {
  const all = (target: Hex, addresses: readonly Hex[]): Told => [
    target,
    'getAllPoolAddresses()(address[])',
    [addresses],
  ]
  const told = [all(quoter, [pool, other]), all(usual.factory, [other])]
  assert.equal(await list(fluidFamily, told, { quoter }), [pool, other])
  assert.equal(await find(fluidFamily, told, { quoter }), [pool, other])
  assert.equal(await list(fluidFamily, told), [other])
  assert.equal([await list(fluidFamily, []), await find(fluidFamily, [])], [[], []])
  assert.equal(await list(fluidFamily, [all(quoter, many(130))], { quoter }), many(126))
})
s(
  'Maverick lists its pools by their number, if it has a hundred at most [teeth/lists]',
  async () => {
    const made = (count: number, addresses: readonly Hex[]): readonly Told[] => [
      [usual.factory, 'poolCount()(uint256)', [BigInt(count)]],
      [usual.factory, 'lookup(uint256,uint256)(address[])', [addresses], [0n, BigInt(count)]],
    ]
    assert.equal(await list(maverickV2Family, made(3, [pool, other, pool])), [pool, other])
    assert.equal(await list(maverickV2Family, made(100, many(100))), many(100))
    assert.is(await list(maverickV2Family, made(101, many(101))), undefined)
    assert.is(await list(maverickV2Family, []), undefined)
  },
)
s('WOOFi is one contract, for any tokens [teeth/lists]', async () => {
  const own = [usual.factory.toLowerCase()]
  assert.equal([await list(woofiFamily, []), await find(woofiFamily, [])], [own, own])
})
s('vaults are those of a dated list that are there [teeth/lists]', async () => {
  const asset = (vault: Hex): Told => [vault, 'asset()(address)', [token0]]
  const told = [asset(pool), asset(token1)]
  assert.equal(await list(erc4626Family, told, { knownPools: [pool, other, token1] }), [
    pool,
    token1,
  ])
  assert.equal(await list(erc4626Family, told), [])
  for (const family of [erc4626Family, balancerV3QuotedFamily])
    assert.equal(await find(family, told, { knownPools: [pool] }), [], 'all are listed')
  for (const family of [dodoV2Family, ramsesV1Family]) assert.is(family.list, undefined)
})

s('pairs are looked up as their factories know them [teeth/lists]', async () => {
  const byPlace = lookup('find_pool_for_coins(address,address,uint256)', 0, 1, 2, 3, 4)
  assert.equal(await findThrough(curveCryptoFamily), [byPlace])
  const byKind = lookup('getPair(address,address,bool)', 0, 1)
  assert.equal(await findThrough(ramsesV1Family), [byKind])
  const registry = toFunctionSelector('getDODOPool(address,address)')
  assert.equal(await findThrough(dodoV2Family), [[registry, '0x']])
  const first16 = `${pad('0x0')}${pad(toHex(16)).slice(2)}`
  const page = toFunctionSelector('lookup(address,address,uint256,uint256)')
  assert.equal(await findThrough(maverickV2Family), [[page, first16]])
})

const uints = (count: number) => Array(count).fill('uint256').join()
/** Of the pools, after which they are asked again, and of who makes them. */
const events: readonly (readonly [Family, readonly string[], readonly string[]])[] = [
  [
    curveCryptoFamily,
    [
      'TokenExchange(address,uint256,uint256,uint256,uint256)',
      'TokenExchange(address,uint256,uint256,uint256,uint256,uint256,uint256)',
      'RemoveLiquidityOne(address,uint256,uint256,uint256)',
      'RemoveLiquidityOne(address,uint256,uint256,uint256,uint256,uint256)',
      'AddLiquidity(address,uint256[2],uint256,uint256)',
      'AddLiquidity(address,uint256[2],uint256,uint256,uint256)',
      'AddLiquidity(address,uint256[3],uint256,uint256)',
      'AddLiquidity(address,uint256[3],uint256,uint256,uint256)',
      'RemoveLiquidity(address,uint256[2],uint256)',
      'RemoveLiquidity(address,uint256[3],uint256)',
      'AddLiquidity(address,address,uint256[2],uint256,uint256,uint256)',
      'RemoveLiquidityImbalance(address,uint256,uint256[2],uint256,uint256)',
    ],
    [
      `CryptoPoolDeployed(address,address[2],${uints(10)},address)`,
      `TwocryptoPoolDeployed(address,string,string,address[2],address,bytes32,uint256[2],${uints(4)},address)`,
      `TricryptoPoolDeployed(address,string,string,address,address[3],address,bytes32,${uints(5)},address)`,
    ],
  ],
  [
    dodoV2Family,
    [
      'DODOSwap(address,address,uint256,uint256,address,address)',
      'BuyShares(address,uint256,uint256)',
      'SellShares(address,address,uint256,uint256)',
    ],
    ['NewDVM', 'NewDPP', 'NewDSP'].map((name) => `${name}(address,address,address,address)`),
  ],
  [
    fluidFamily,
    [
      'Swap(bool,uint256,uint256,address)',
      'LogOperate(address,address,int256,int256,address,address,uint256,uint256)',
    ],
    ['LogDexDeployed(address,uint256)'],
  ],
  [
    maverickV2Family,
    [
      'PoolSwap(address,address,(uint256,bool,bool,int32),uint256,uint256)',
      'PoolAddLiquidity(address,address,uint256,(uint8,int32[],uint128[]),uint256,uint256,uint32[])',
      'PoolRemoveLiquidity(address,address,uint256,(uint32[],uint128[]),uint256,uint256)',
    ],
    [`PoolCreated(address,uint8,${uints(4)},int32,address,address,uint8,address)`],
  ],
  [
    woofiFamily,
    [
      'WooSwap(address,address,uint256,uint256,address,address,address,uint256,uint256)',
      'Deposit(address,address,uint256)',
      'Withdraw(address,address,uint256)',
    ],
    [],
  ],
  [
    ramsesV1Family,
    ['Sync(uint256,uint256)'],
    ['PairCreated(address,address,bool,address,uint256)'],
  ],
  [
    erc4626Family,
    [
      'Deposit(address,address,uint256,uint256)',
      'Withdraw(address,address,address,uint256,uint256)',
    ],
    [],
  ],
]
s('pools are followed by the events of their contracts [teeth/lists]', () => {
  for (const [family, followed, created] of events) proveEvents(family, followed, created)
})
s('pairs of Ramses stand second in the event that makes them [teeth/lists]', () => {
  const topic = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`
  const types = [{ type: 'bool' }, { type: 'address' }, { type: 'uint256' }] as const
  const topics = ['0x1', topic(token0), topic(token1)]
  const data = encodeAbiParameters(types, [true, pool, 9n])
  const [made] = ramsesV1Family.creations
  assert.equal(made?.read({ topics, data }), { tokens: [token0, token1], address: pool })
  for (const family of [dodoV2Family, maverickV2Family])
    assert.is(family.creations[0]?.read({ topics: [], data: '0x' }), undefined)
})

s('each pool has its own answers, whoever stands beside it [teeth/lists]', async () => {
  const { sample } = createSampleLens({ heldOf: () => 9n, quote: () => 5n })
  const coins = 'coins(uint256)(address)'
  const [there, back] = [
    [token0, token1],
    [token1, token0],
  ] as const
  for (const [family, one, two, args] of [
    [curveCryptoFamily, coins, coins, [[0n], [1n]]],
    [dodoV2Family, '_BASE_TOKEN_()(address)', '_QUOTE_TOKEN_()(address)', [[], []]],
    [ramsesV1Family, 'token0()(address)', 'token1()(address)', [[], []]],
  ] as const) {
    const tell = (of: Hex, tokens: readonly [Hex, Hex]): readonly Told[] => [
      [of, one, [tokens[0]], args[0]],
      [of, two, [tokens[1]], args[1]],
    ]
    const told = [...tell(pool, there), ...tell(other, back), ...tell(quoter, there)]
    const { deps } = createViewNode(told, { sample })
    const pools = [pool, other, quoter].map((address) => ({ dex: usual, address }))
    const loaded = await family.load(deps, { pools, blockNumber })
    assert.equal(
      loaded.map(({ tokens }) => tokens),
      [there, back, there],
    )
  }
})
s(
  'WOOFi has twelve tokens at most, the known ones that it holds any of [teeth/lists]',
  async () => {
    const known = seedTokens(8453).map(({ address }) => address)
    assert.ok(known.length > 12)
    const { sample } = createSampleLens({ heldOf: () => 9n, quote: () => 5n })
    const load = async (reserve: bigint) => {
      const told: readonly Told[] = [
        [pool, 'quoteToken()(address)', [known[0]]],
        ...known.map((token): Told => [pool, 'tokenInfos(address)(uint192)', [reserve], [token]]),
      ]
      const { deps } = createViewNode(told, { sample })
      const pools = [{ dex: usual, address: pool }]
      return (await woofiFamily.load(deps, { pools, blockNumber }))[0]?.tokens
    }
    assert.equal(
      await load(1n),
      known.slice(0, 12).map((token) => token.toLowerCase()),
    )
    assert.is(await load(0n), undefined)
  },
)
s.run()
