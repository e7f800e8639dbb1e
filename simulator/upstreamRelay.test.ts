import { assert, suite } from '../fixtures/test.ts'
import type { RpcCall } from './rpc/rpcBatch.ts'
import type { BlockId, Upstream } from './upstream.ts'
import { createUpstreamRelay } from './upstreamRelay.ts'

const s = suite('simulator/upstreamRelay')
const pool = `0x${'a1'.repeat(20)}`
const blocks: readonly BlockId[] = [1n, 2n, 3n].map((blockNumber) => ({
  blockNumber,
  blockHash: `0x${blockNumber}`,
  timestampSecs: 1_700_000_000n + blockNumber,
}))
const asked: RpcCall[] = []
const upstream: Upstream = {
  readHead: async () => ({ blockNumber: 3n, blockHash: '0x3', timestampSecs: 1_700_000_003n }),
  readBlock: async () => undefined,
  readChainId: async () => 8453,
  send: async (calls) => {
    asked.push(...calls)
    return calls.map(() => ({ ok: true, result: '0x01' }))
  },
  sendApart: async () => [],
  isAnswering: () => true,
  close: async () => {},
}
let nowMs = 0
const relay = createUpstreamRelay({ upstream, findHost: async () => '127.0.0.1', now: () => nowMs })
s.after(() => relay.close())

/** How many calls a fork of a block makes ahead of anybody's question. */
async function countAhead(block: BlockId | undefined): Promise<number> {
  if (!block) throw new Error('there are three')
  const before = asked.length
  await relay.prefetch(block)
  return asked.length - before
}

s(
  'fetches ahead while somebody simulates, and nothing while nobody does [strangers/idle-prefetch]',
  async () => {
    const { url } = await relay.open()
    relay.used([])
    // A fork reads a slot that is not known yet.
    const params = [pool, '0x1', '0x1']
    const read = { jsonrpc: '2.0', id: 1, method: 'eth_getStorageAt', params }
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(read) })
    assert.is(((await answer.json()) as { result?: unknown }).result, '0x01')
    const [first, second, third] = blocks
    assert.ok((await countAhead(first)) > 0)
    nowMs += 29_000
    assert.ok((await countAhead(second)) > 0)
    nowMs += 1_000
    assert.equal(relay.hotAccounts(), [])
    assert.is(await countAhead(third), 0)
    // Whoever comes back finds it hot again.
    relay.used([])
    assert.ok((await countAhead(third)) > 0)
  },
)
s.run()
