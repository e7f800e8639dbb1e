import { createRpc } from '../../../fixtures/anvil/rpc.ts'
import type { ProfileName } from '../../../fixtures/nodes/profiles/profiles.ts'
import { startNode } from '../../../fixtures/nodes/start/startNode.ts'
import { startAhead } from '../../../fixtures/startAhead.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain, type WorldManifest } from '../../../fixtures/world.ts'
import { chains, getDexes, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { knowPools } from '../testing/knowPools.ts'
import { createChainSync } from './chainSync.ts'

/** A gateway's chain behind nodes as people have them; their time passes eight times as fast. */
const s = suite('sync behind the nodes that people have')
const profilesOf: Readonly<Record<number, readonly ProfileName[]>> = {
  8453: ['own-reth', 'alchemy-free', 'quicknode-trial', 'chainstack-dev', 'drpc-free', 'hostile'],
  42161: ['own-nitro', 'alchemy-paid', 'ankr-public'],
}

async function loadBehind(url: string, manifest: WorldManifest) {
  const { chainId } = manifest
  const chain = chains.find((each) => each.chainId === chainId)
  if (!chain) throw new Error(`chain ${chainId} is built in`)
  const chainClient = createChainClient({ chain, rpcUrls: [url], trust: 'shown' })
  const dexes = knowPools(getDexes(chainId), manifest)
  const seeds = { seedTokens: seedTokens(chainId), pollMs: 3_600_000, maxAgeMs: 0 }
  const sync = createChainSync({ chainClient, dexes, ...seeds })
  try {
    await sync.start()
    return [...(sync.current()?.pools.values() ?? [])].map(({ id }) => id).sort()
  } finally {
    await sync.close()
    chainClient.close()
  }
}

const ahead = startAhead({ atOnce: 3 })
for (const { chainId, name } of chains) {
  const world = await startWorldChain({ chainId })
  s.after(() => world.close())
  // Nodes that lag have a past to lag in.
  await createRpc(world.rpcUrl)('anvil_mine', '0x40')
  const all = await loadBehind(world.rpcUrl, world.manifest)
  for (const profile of profilesOf[chainId] ?? []) {
    const loaded = ahead(async () => {
      await using node = await startNode({ profile, upstream: world.rpcUrl, speed: 8 })
      return await loadBehind(node.url, world.manifest)
    })
    s(`${name} loads every pool behind ${profile} in one start [nodes/profiles]`, async () => {
      assert.equal(await loaded(), all)
    })
  }
}
s.run()
