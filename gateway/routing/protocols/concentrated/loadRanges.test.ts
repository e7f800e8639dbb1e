import { createMainnet } from '../../../../fixtures/nodes/mainnet/createMainnet.ts'
import { startNode } from '../../../../fixtures/nodes/start/startNode.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { base } from '../../../chain/base.ts'
import { createChainClient } from '../../../chain/client.ts'
import type { PoolRef } from '../../reads/poolRef.ts'
import { familyOf } from '../families.ts'

/** How many calls the ticks of pools of all spacings take. */
const s = suite('pools of ticks')
const mainnet = createMainnet({ chainId: 8453, pools: 300, seed: 7 })
const hooks = `0x${'0'.repeat(40)}` as const

async function load(protocol: 'uniswap_v3' | 'uniswap_v4', most: number) {
  await using node = await startNode({ profile: 'own-reth', upstream: mainnet, speed: 100 })
  const chain = { ...base, chainId: 8453 as const }
  const chainClient = createChainClient({ chain, rpcUrls: [node.url] })
  const pools = mainnet.pools
    .filter(({ dex }) => dex.protocol === protocol)
    .slice(0, most)
    .map(({ dex, address, id, token0, token1, feePips: fee, tickSpacing }): PoolRef => {
      const key = { currency0: token0, currency1: token1, fee, tickSpacing, hooks }
      return { dex, address, ...(id && { id, key }) }
    })
  const blockNumber = BigInt(mainnet.head().number)
  const records = await familyOf({ protocol }).load(chainClient, {
    pools,
    blockNumber,
    isBrief: true,
  })
  chainClient.close()
  assert.is(records.length, pools.length)
  return { pools: pools.length, calls: node.counters().calls['eth_call'] ?? 0 }
}

for (const protocol of ['uniswap_v3', 'uniswap_v4'] as const)
  for (const most of [12, 40])
    s(`${most} of ${protocol} are read by fewer calls than pools [nodes/few-calls]`, async () => {
      const { pools, calls } = await load(protocol, most)
      assert.ok(calls <= pools / 2, `${calls} calls for ${pools} pools`)
    })
s.run()
