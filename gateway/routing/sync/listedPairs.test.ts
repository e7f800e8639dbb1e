import type { Address } from 'viem'
import { createMainnet } from '../../../fixtures/nodes/mainnet/createMainnet.ts'
import { startNode } from '../../../fixtures/nodes/start/startNode.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { createChainClient } from '../../chain/client.ts'
import { findListed, readListedPairs } from './listedPairs.ts'

const s = suite('pools of a list')
const mainnet = createMainnet({ chainId: 8453, pools: 60, seed: 4 })
const node = await startNode({ profile: 'own-reth', upstream: mainnet, speed: 100 })
const chainClient = createChainClient({ chain: base, rpcUrls: [node.url] })
s.after(async () => {
  chainClient.close()
  await node.close()
})
const at = { blockNumber: BigInt(mainnet.head().number) }
const pool = mainnet.pools.find(({ dex }) => dex.protocol === 'uniswap_v2')
if (!pool) throw new Error('there are pools of two reserves')
const sides = [pool.token0, pool.token1].map((token) => token.toLowerCase() as Address)

s('name their own pairs; whatever else is listed names none [nodes/listed-pairs]', async () => {
  const pools = ['0x00000000000000000000000000000000000c0de1', pool.token0, pool.address] as const
  assert.equal(await readListedPairs(chainClient, { pools, ...at }), [sides])
  assert.equal(await readListedPairs(chainClient, { pools: [], ...at }), [])
})

s(
  'are found by the factory alone, and nowhere else, where neither token is a hub [nodes/listed-found]',
  async () => {
    const [one, other] = sides
    if (!one || !other) throw new Error('a pool has two tokens')
    const find = (pairs: readonly (readonly [Address, Address])[], hubs: readonly Address[]) =>
      findListed(chainClient, { dex: pool.dex, pairs, hubs, ...at })
    const strangers = [
      '0x00000000000000000000000000000000000000a1',
      '0x00000000000000000000000000000000000000a2',
    ] as const
    const found = await find([[one, other], strangers], [])
    assert.equal(
      found.map(({ address }) => address.toLowerCase()),
      [pool.address.toLowerCase()],
    )
    assert.equal(await find([strangers], []), [])
    for (const hub of [one, other]) assert.equal(await find([[one, other]], [hub]), [])
  },
)
s.run()
