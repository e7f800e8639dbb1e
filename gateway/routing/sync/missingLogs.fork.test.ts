import { startNode } from '../../../fixtures/nodes/start/startNode.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { getChain, seedTokens } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { isQuoted } from '../protocols/families.ts'
import { changePool } from '../testing/changePool.ts'
import { headNumber } from '../testing/proveFamily.ts'
import { proveFollowing } from '../testing/proveFollowing.ts'
import { createRandom } from '../testing/random.ts'
import { startSwapStand } from '../testing/swapStand.ts'
import { createChainSync } from './chainSync.ts'
import type { SyncEvent } from './syncEvent.ts'

/** Nodes that leave out logs, of which the blooms of their blocks tell. */
const chainId = 42161
const s = suite('logs that a node leaves out')
const stand = await startSwapStand(chainId)
const chain = getChain(chainId)
if (!chain) throw new Error(`chain ${chainId} is built in`)
const allLogs = 1_000_000
s.after(() => stand.close())

/** Follows over these nodes while a pool is changed in a block of its own. */
async function followOver(rpcUrls: readonly string[], protocol: string) {
  const events: SyncEvent[] = []
  const chainClient = createChainClient({ chain: chain ?? stand.chainClient.chain, rpcUrls })
  const sync = createChainSync({
    chainClient,
    dexes: stand.dexes,
    seedTokens: seedTokens(chainId),
    pollMs: 3_600_000,
    maxAgeMs: 0,
    observe: (event) => events.push(event),
  })
  await sync.start()
  const record = [...(sync.current()?.pools.values() ?? [])].find(
    (each) => each.protocol === protocol,
  )
  if (!record) throw new Error(`no pool of ${protocol}`)
  return {
    record,
    events,
    async change() {
      await changePool(stand, { record, random: createRandom(7) })
      const state = await sync.fresh()
      assert.is(state?.head.number, await headNumber(stand))
      return state?.pools.get(record.id)
    },
    async [Symbol.asyncDispose]() {
      await sync.close()
      chainClient.close()
    },
  }
}
const namesOf = (events: readonly SyncEvent[]) => events.map(({ event }) => event)

s('cost nothing where none are left out: one question for the logs of a block', async () => {
  await using node = await startNode({ profile: 'own-nitro', upstream: stand.rpcUrl })
  await using over = await followOver([node.url], 'uniswap_v2')
  node.resetCounters()
  const from = await headNumber(stand)
  assert.not.equal(await over.change(), over.record)
  const blocks = Number((await headNumber(stand)) - from)
  assert.is(node.counters().calls['eth_getLogs'], blocks)
  assert.equal(namesOf(over.events), ['loaded'])
})

s('are had of another endpoint, and no pool is read for them [nodes/bloom]', async () => {
  const faults = [{ kind: 'missingLogs', count: allLogs }] as const
  await using bad = await startNode({ profile: 'own-nitro', upstream: stand.rpcUrl, faults })
  await using good = await startNode({ profile: 'own-nitro', upstream: stand.rpcUrl })
  await using over = await followOver([bad.url, good.url], 'uniswap_v2')
  good.resetCounters()
  assert.not.equal(await over.change(), over.record)
  assert.is(good.counters().calls['eth_getLogs'], 1)
  assert.equal(namesOf(over.events), ['loaded', 'logs_doubted', 'logs_missed'])
  assert.match(JSON.stringify(over.events.at(-1)), '"healed":0')
})

s(
  'are had by asking the same node again, where they come a moment late [nodes/bloom]',
  async () => {
    await using node = await startNode({ profile: 'own-nitro', upstream: stand.rpcUrl })
    await using over = await followOver([node.url], 'uniswap_v2')
    node.inject({ kind: 'emptyLogs', freshBlocks: 1, nth: [1] })
    assert.not.equal(await over.change(), over.record)
    assert.match(JSON.stringify(over.events.at(-1)), '"healed":0')
  },
)

s('heal by reading the pools, of every family, where they never come [nodes/bloom]', async () => {
  await using node = await startNode({ profile: 'own-nitro', upstream: stand.rpcUrl })
  const chainClient = createChainClient({ chain, rpcUrls: [node.url] })
  node.inject({ kind: 'emptyLogs', freshBlocks: allLogs })
  const behind = { ...stand, chainClient }
  const sync = createChainSync({
    chainClient: stand.chainClient,
    dexes: stand.dexes,
    seedTokens: seedTokens(chainId),
    pollMs: 3_600_000,
    maxAgeMs: 0,
  })
  await sync.start()
  const pools = [...(sync.current()?.pools.values() ?? [])]
  await sync.close()
  const sampled = new Set(pools.filter(isQuoted).map(({ dex }) => dex))
  const tally = await proveFollowing(behind, { count: 30, random: createRandom(11) })
  chainClient.close()
  assert.ok((node.counters().faults['emptyLogs'] ?? 0) > 10)
  assert.ok(tally.swaps + tally.changes >= 30 && tally.protocols.size > 5)
  // Samples are drawn anew every some seconds, whatever the logs say.
  const isExact = (difference: string) => !sampled.has(difference.split(' ')[0] ?? '')
  assert.equal(tally.differences.filter(isExact), [])
})
s.run()
