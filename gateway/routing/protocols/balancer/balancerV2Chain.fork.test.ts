import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  numberToHex,
  pad,
  parseAbi,
  parseEther,
} from 'viem'
import { assert, suite } from '../../../../fixtures/test.ts'
import { balancerArtifact } from '../../../../fixtures/world/parts/npmArtifacts.ts'
import type { ReadDeps } from '../../reads/poolRef.ts'
import {
  compareSwaps,
  createTally,
  executeSwaps,
  headNumber,
  loadFamily,
} from '../../testing/proveFamily.ts'
import { createRandom } from '../../testing/random.ts'
import { startSwapStand } from '../../testing/swapStand.ts'
import { familyOf } from '../families.ts'
import type { BalancerV2Record } from './balancerV2Chain.ts'
import { readFirstFactors } from './readFirstFactors.ts'

const s = suite('pools behind the second vault')
const stand = await startSwapStand(42161)
s.after(() => stand.close())
const { chainClient, dexes, manifest } = stand
const rows = dexes.filter(({ protocol }) => protocol.startsWith('balancer_v2'))
function getDex(name: string) {
  const dex = rows.find((row) => row.name === name)
  if (!dex) throw new Error(`no row ${name}`)
  return dex
}
const openedOf = (name: string) =>
  manifest.pools.filter(({ dex }) => dex === name).map(({ address }) => address)

/** The chain's node, without a word of the past. */
const forgetful = {
  client: {
    ...chainClient.client,
    async request(question: { readonly method: string }) {
      if (question.method === 'eth_getLogs') throw new Error('no logs here')
      return chainClient.client.request(question as never)
    },
  } as ReadDeps['client'],
}

async function list(deps: ReadDeps, knownPools: readonly Address[]) {
  const blockNumber = await headNumber(stand)
  return Promise.all(
    rows.map(async (row) => {
      const dex = { ...row, knownPools }
      const found = await familyOf(dex).list?.(deps, { dex, blockNumber })
      return { name: row.name, pools: found?.map(({ address }) => address.toLowerCase()) ?? [] }
    }),
  )
}
/** By Balancer's own factory of April 2021, at its address on the chain: 60 % WETH, 40 % USDC. */
async function openOraclePool(): Promise<void> {
  const { builder, asSeeder } = stand
  const vault = getDex('balancer-v2-weighted').router as Address
  const artifact = balancerArtifact('20210418-weighted-pool', 'WeightedPool2TokensFactory')
  const factory = await builder.deployAt({ address: oracleFactory, artifact, args: [vault] })
  const amounts = new Map([
    [manifest.tokens['WETH']?.address ?? '0x', parseEther('60')],
    [manifest.tokens['USDC']?.address ?? '0x', 120_000n * 10n ** 6n],
  ])
  const tokens = [...amounts.keys()].sort((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1))
  const weights = tokens.map((token) =>
    parseEther(token === [...amounts.keys()][0] ? '0.6' : '0.4'),
  )
  const args = ['O', 'O', tokens, weights, parseEther('0.003'), true, manifest.seeder.address]
  await builder.write({ to: factory, abi: artifact.abi, functionName: 'create', args })
  const head = { address: factory, fromBlock: 'latest', toBlock: 'latest' }
  const [created] = (await stand.rpc('eth_getLogs', head)) as readonly {
    readonly topics: readonly Hex[]
  }[]
  const pool: Address = `0x${created?.topics[1]?.slice(26)}`
  const abi = parseAbi([
    'function getPoolId() view returns (bytes32)',
    'function joinPool(bytes32 poolId, address sender, address recipient, (address[] assets, uint256[] maxAmountsIn, bytes userData, bool fromInternalBalance) request) payable',
  ])
  const id = (await builder.read({ to: pool, abi, functionName: 'getPoolId' })) as Hex
  for (const to of tokens) {
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [vault, maxUint256],
    })
    await asSeeder({ to, data })
  }
  const maxAmountsIn = tokens.map((token) => amounts.get(token) ?? 0n)
  const joining = [{ type: 'uint256' }, { type: 'uint256[]' }] as const
  const userData = encodeAbiParameters(joining, [0n, maxAmountsIn])
  const { address: owner } = manifest.seeder
  const request = { assets: tokens, maxAmountsIn, userData, fromInternalBalance: false }
  const data = encodeFunctionData({
    abi,
    functionName: 'joinPool',
    args: [id, owner, owner, request],
  })
  await asSeeder({ to: vault, data })
}
const oracleFactory: Address = '0xCF0a32Bbef8F064969F21f7e02328FB577382018'

const sorted = (pools: readonly string[]) => pools.map((pool) => pool.toLowerCase()).sort()

s('are found by the events of factories that take a salt [21/balancer-v2-salt]', async () => {
  const found = await list(chainClient, [])
  for (const { name, pools } of found) assert.equal(sorted(pools), sorted(openedOf(name)))
  assert.ok(found.filter(({ pools }) => pools.length > 0).length >= 2)
})

s(
  'are known by the dated list where a node has forgotten the events [21/balancer-v2-list]',
  async () => {
    const opened = rows.flatMap(({ name }) => openedOf(name))
    for (const { pools } of await list(forgetful, [])) assert.equal(pools, [])
    // Each factory takes its own out of the list; what none of them made is nobody's.
    const stranger: Address = '0x000000000000000000000000000000000000dEaD'
    for (const { name, pools } of await list(forgetful, [...opened, stranger]))
      assert.equal(sorted(pools), sorted(openedOf(name)))
  },
)

s(
  'of the first version take their factors from decimals that the pool bears out [21/balancer-v2-first]',
  async () => {
    const records = (await loadFamily(stand, 'balancer_v2_weighted')) as BalancerV2Record[]
    const first = records.filter(({ hasPlainPowers }) => hasPlainPowers)
    assert.is(first.length, 2)
    const blockNumber = await headNumber(stand)
    const read = (change: (balance: bigint, k: number) => bigint) =>
      readFirstFactors(chainClient, {
        blockNumber,
        pools: first.map(({ address, tokens, balances, weights, dex: name }) => ({
          pool: { address, dex: getDex(name) },
          tokens: tokens as readonly Address[],
          balances: balances.map(change),
          weights,
        })),
      })
    assert.equal(
      await read((balance) => balance),
      new Map(first.map(({ id, scalingFactors }) => [id, scalingFactors])),
    )
    // A token that has come to count in tenths: what it says is not what the pool was made with.
    assert.is((await read((balance, k) => (k === 0 ? balance * 10n : balance))).size, 0)
  },
)

s(
  'are no more than are worth reading, whoever has had them made [21/balancer-v2-flood]',
  async () => {
    const made = pad('0x01')
    const factories = rows.flatMap(({ factory }) => factory)
    const flooded = {
      client: {
        ...chainClient.client,
        async request(question: { readonly method: string }) {
          const answer: unknown = await chainClient.client.request(question as never)
          if (question.method !== 'eth_getLogs') return answer
          const flood = Array.from({ length: 200_000 }, (_, n) => ({
            address: factories[n % factories.length],
            topics: [made, pad(numberToHex(n + 1))],
            data: '0x',
          }))
          return [...(answer as readonly object[]), ...flood]
        },
      } as ReadDeps['client'],
    }
    for (const { name, pools } of await list(flooded, [])) {
      assert.is(pools.length, 3_000, name)
      for (const opened of openedOf(name)) assert.ok(pools.includes(opened.toLowerCase()))
    }
  },
)
s(
  'of two tokens with an oracle are listed, and priced as they round [21/balancer-v2-oracle]',
  async () => {
    const dex = getDex('balancer-v2-weighted')
    const family = familyOf(dex)
    const ids = async () => {
      const pools =
        (await family.list?.(chainClient, { dex, blockNumber: await headNumber(stand) })) ?? []
      return pools.map(({ address }) => address)
    }
    const before = await ids()
    await openOraclePool()
    const made = (await ids()).filter((address) => !before.includes(address))
    assert.is(made.length, 1)
    const pools = made.map((address) => ({ dex, address }))
    const blockNumber = await headNumber(stand)
    const [record] = (await family.load(chainClient, { pools, blockNumber })) as BalancerV2Record[]
    if (!record) throw new Error('the pool is read')
    assert.ok(record.hasPlainPowers)
    const [random, tally] = [createRandom(5), createTally()]
    await compareSwaps(stand, { record, count: 60, random, tally })
    await executeSwaps(stand, { record, count: 6, random, tally })
    assert.equal(tally.differences, [])
  },
)
s.run()
