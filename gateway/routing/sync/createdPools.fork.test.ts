import {
  concat,
  encodeFunctionData,
  erc20Abi,
  pad,
  parseAbi,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChainSpec } from '../../../fixtures/world/chains/chains.ts'
import { getTokenSpec } from '../../../fixtures/world/parts/chainSpec.ts'
import { compileContracts, findArtifact } from '../../../fixtures/world/parts/compile.ts'
import type { PoolSpec } from '../../../fixtures/world/parts/poolSpec.ts'
import { seederAddress } from '../../../fixtures/world/parts/tokens.ts'
import { openPool } from '../../../fixtures/world/pools.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { seedTokens } from '../../chain/chains.ts'
import { cacheDir } from '../../runtime/cacheDir.ts'
import { startSwapStand } from '../testing/swapStand.ts'
import { createChainSync } from './chainSync.ts'

/** One new pool of every DEX of the chain that lets anybody open one, between tokens that had none there. */
const opened: readonly PoolSpec[] = [
  ['uniswap-v2', 'PENDLE/WETH', 3_000, 9_000],
  ['uniswap-v3', 'MAGIC/WETH', 3_000, 9_000],
  ['pancakeswap-v3', 'LINK/WETH', 500, 9_000],
  ['uniswap-v4', 'ARB/USDC', 500, 9_000],
  ['algebra-integral', 'LINK/WETH', 500, 9_000],
  ['balancer-v2-weighted', 'LINK/WETH', 3_000, 9_000],
  ['balancer-v2-stable', 'USDC/DAI', 100, 9_000],
  ['camelot-v2', 'LINK/WETH', 3_000, 9_000],
  ['camelot-v3', 'LINK/WETH', 500, 9_000],
  ['curve-stable-ng', 'USDC/DAI', 100, 9_000],
  ['curve-plain', 'USDC/DAI', 100, 9_000],
  ['balancer-v3-weighted', 'LINK/WETH', 3_000, 9_000, '50/50'],
  ['balancer-v3-stable', 'USDC/DAI', 100, 9_000],
  ['balancer-v3-gyro-eclp', 'LINK/WETH', 100, 9_000],
  ['lb-v2.2', 'LINK/WETH', 1_500, 9_000, '15'],
  ['curve-twocrypto-ng', 'LINK/WETH', 2_600, 9_000],
  ['curve-tricrypto-ng', 'USDC/LINK/WETH', 2_000, 9_000],
  ['maverick-v2', 'LINK/USDC', 2_000, 9_000],
  ['dodo-v2-dvm', 'LINK/USDC', 400, 9_000],
  ['ramses-v1', 'LINK/WETH', 2_000, 9_000],
  ['ramses-v2', 'LINK/WETH', 500, 9_000],
  ['trident-classic', 'ARB/WETH', 3_000, 9_000],
  ['trident-stable', 'USDC/DAI', 500, 9_000],
]

const s = suite('pools that come into being')
const stand = await startSwapStand(42161)
const { chainId, chainClient, dexes, builder, manifest } = stand
const parts = { chainClient, dexes, seedTokens: seedTokens(chainId), maxAgeMs: 0 }
const sync = createChainSync({
  ...parts,
  pollMs: 3_600_000,
  // Each of them opens with more of its reference assets, whatever its family.
  limits: { floorUsd: 4_000, mostPools: 10_000, mostTokens: 10_000 },
})
/** Whatever a pool holds: one that is still empty is followed, too. */
const unbounded = createChainSync({ ...parts, pollMs: 3_600_000 })
await Promise.all([sync.start(), unbounded.start()])
s.after(async () => {
  await sync.close()
  await unbounded.close()
  await stand.close()
})

const chain = getChainSpec(chainId)
const artifacts = compileContracts({ cacheDir: cacheDir() })
const weth = getTokenSpec(chain, 'WETH').address
/** The head is followed after each transaction: what makes, fills and opens a pool is blocks apart. */
const followed: typeof builder = {
  ...builder,
  async send(transaction) {
    await builder.send(transaction)
    await poolsNow(unbounded)
  },
  async write(call) {
    await builder.write(call)
    await poolsNow(unbounded)
  },
}
const deps = { builder: followed, artifacts, weth }

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

/** The client, telling of each request. */
function spyOn(client: typeof chainClient.client, asked: () => void): typeof client {
  const ask = client.request as (...question: readonly unknown[]) => Promise<unknown>
  const request = (...question: readonly unknown[]) => {
    asked()
    return ask(...question)
  }
  return { ...client, request: request as typeof client.request }
}

/** The pools that are followed once the head is reached. */
async function poolsNow(following = sync) {
  const head = BigInt(String(await stand.rpc('eth_blockNumber')))
  const deadline = performance.now() + 60_000
  for (;;) {
    const state = await following.fresh()
    if (state?.head.number === head) return state.pools
    if (performance.now() > deadline) throw new Error(`stuck before block ${head}`)
  }
}

for (const spec of opened)
  s(`a new pool of ${spec[0]} is followed, opened block by block [21/opened-later]`, async () => {
    const before = await poolsNow()
    const pool = await openPool(deps, { chain, spec })
    // Balancer v2 has ids of its own, and pools that are contracts all the same.
    const names = [pool.id, pool.address].map((name) => name?.toLowerCase() ?? '')
    assert.not.ok(names.some((name) => before.has(name)))
    for (const now of [await poolsNow(), await poolsNow(unbounded)]) {
      const found = names.map((name) => now.get(name)).find((record) => record !== undefined)
      assert.is(found?.dex, spec[0])
      assert.is(found?.tokens.length, pool.tokens.length)
    }
  })

s(
  'a new pool of Fluid is followed when its liquidity layer tells of it [21/fluid-operate]',
  async () => {
    const pool = await openPool(deps, { chain, spec: ['fluid-dex', 'ETH/USDC', 100, 9_000] })
    const id = pool.address.toLowerCase()
    assert.not.ok((await poolsNow(unbounded)).has(id))
    const layer = chain.dexes.find(({ name }) => name === 'fluid-dex')?.contracts['liquidity']
    if (!layer) throw new Error('the world has it')
    // Ours tells of nothing: for a moment another code stands there, and emits what it is given.
    const code = await stand.rpc('eth_getCode', layer, 'latest')
    await stand.rpc('anvil_setCode', layer, '0x6040356020355f3560c05fa300')
    const event = 'LogOperate(address,address,int256,int256,address,address,uint256,uint256)'
    const data = concat([toEventSelector(event), pad(pool.address), pad(weth)])
    await builder.send({ from: builder.deployer, to: layer, data })
    await stand.rpc('anvil_setCode', layer, code)
    for (const now of [await poolsNow(), await poolsNow(unbounded)])
      assert.is(now.get(id)?.dex, 'fluid-dex')
  },
)

s(
  'a pool made before, by a key that nobody guesses, is found by its token [21/old-keys-found]',
  async () => {
    const token = manifest.zoo[0]?.address
    const manager = dexes.find(({ protocol }) => protocol === 'uniswap_v4')?.factory
    if (!token || !manager) throw new Error('the world has both')
    const [currency0 = weth, currency1 = weth] = [token, weth].sort((one, other) =>
      BigInt(one) < BigInt(other) ? -1 : 1,
    )
    const key = { currency0, currency1, fee: 1_234, tickSpacing: 13, hooks: zeroAddress }
    const range = { lower: -886_990, upper: 886_990, liquidity: 10n ** 20n }
    await builder.write({
      to: seederAddress,
      abi: findArtifact(artifacts, 'Seeder').abi,
      functionName: 'openManagedPool',
      args: [manager, key, 1n << 96n, [range]],
    })
    const late = createChainSync({ ...parts, pollMs: 50 })
    await late.start()
    const holds = () =>
      [...(late.current()?.pools.values() ?? [])].some(({ tokens }) =>
        tokens.includes(token.toLowerCase()),
      )
    assert.not.ok(holds())
    await late.discover([token])
    await waitFor('the pool is found', holds)
    await late.close()
  },
)

s('a token that comes to WOOFi is followed', async () => {
  const address = dexes.find(({ protocol }) => protocol === 'woofi')?.factory
  const link = manifest.tokens['LINK']?.address
  if (!address || !link) throw new Error('the world has both')
  const woofi = address.toLowerCase()
  const tokensNow = async () => (await poolsNow()).get(woofi)?.tokens ?? []
  assert.not.ok((await tokensNow()).includes(link.toLowerCase()))
  const amount = 10n ** 20n
  const pay = { abi: erc20Abi, functionName: 'transfer', args: [address, amount] } as const
  await stand.asSeeder({ to: link, data: encodeFunctionData(pay) })
  const abi = parseAbi(['function list(address token, uint256 wadPrice)'])
  const list = { abi, functionName: 'list', args: [link, 15_000_000n] } as const
  await stand.asSeeder({ to: address, data: encodeFunctionData(list) })
  assert.ok((await tokensNow()).includes(link.toLowerCase()))
})

s('a pool that opens below the floor is followed when it has grown [bounds/chain]', async () => {
  const limits = { floorUsd: 4_000, mostPools: 10_000, mostTokens: 10_000 }
  const seeds = { seedTokens: seedTokens(chainId), maxAgeMs: 0 }
  const known: (readonly number[])[] = []
  const sumUp = () => {
    const all = own.coverage() ?? []
    return [sumOf(all.map((each) => each.known)), sumOf(all.map((each) => each.loaded))]
  }
  const client = spyOn(chainClient.client, () => known.push(sumUp()))
  const spied = { ...chainClient, client }
  const own = createChainSync({ chainClient: spied, dexes, ...seeds, limits, pollMs: 100 })
  await own.start()
  try {
    // Before they are read all of them are known.
    assert.ok(known.some(([all = 0, loaded]) => all > 100 && loaded === 0))
    assert.equal(sumUp(), [own.current()?.pools.size, own.current()?.pools.size])
    const spec = ['uniswap-v2', 'PENDLE/USDC', 3_000, 900] as const
    const { address } = await openPool(deps, { chain, spec })
    const id = address.toLowerCase()
    await waitFor('it waits outside', () => own.bounds()?.shelved === 1)
    assert.not.ok(own.current()?.pools.has(id))
    const { refused } = own.coverage()?.find(({ dex }) => dex === 'uniswap-v2') ?? {}
    assert.equal([...(refused ?? [])], [['it holds less than POOL_FLOOR_USD', 1]])
    const pay = [address, 10n ** 10n] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: pay })
    await stand.asSeeder({ to: manifest.tokens['USDC']?.address ?? address, data })
    const abi = parseAbi(['function sync()'])
    await stand.asSeeder({ to: address, data: encodeFunctionData({ abi, functionName: 'sync' }) })
    await waitFor('it is followed', () => own.current()?.pools.has(id) === true)
    assert.equal(own.bounds(), { shelved: 0, evicted: 0 })
  } finally {
    await own.close()
  }
})

s('pools of an unknown token with others than hubs are found [nodes/unknown-pairs]', async () => {
  const found = async (pair: string) => {
    const { address } = await openPool(deps, { chain, spec: ['uniswap-v3', pair, 500, 900] })
    return address.toLowerCase()
  }
  const [withDeep, withOther] = [await found('PENDLE/MAGIC'), await found('LINK/MAGIC')]
  const seeds = seedTokens(chainId).filter(({ symbol }) => ['WETH', 'PENDLE'].includes(symbol))
  const own = createChainSync({
    chainClient,
    dexes: dexes.filter(({ name }) => name === 'uniswap-v3'),
    seedTokens: seeds,
    pollMs: 3_600_000,
    maxAgeMs: 0,
  })
  const isFollowed = (id: string) => own.current()?.pools.has(id)
  const [magic, link] = ['MAGIC', 'LINK'].map((symbol) => manifest.tokens[symbol]?.address)
  if (!magic || !link) throw new Error('the world has both')
  await own.start()
  try {
    assert.equal([withDeep, withOther].map(isFollowed), [false, false])
    await own.discover([magic])
    assert.equal([withDeep, withOther].map(isFollowed), [true, false])
    await own.discover([magic], [link])
    assert.equal([withDeep, withOther].map(isFollowed), [true, true])
  } finally {
    await own.close()
  }
})
s.run()
