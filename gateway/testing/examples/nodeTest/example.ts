import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNode } from 'forkyard/testing'
import { leaseForTests } from 'forkyard/testing/node'

const leased = leaseForTests()

test('a quote with a key of its own', async () => {
  const { services, apiKey, chain } = leased()
  const { tokens } = chain(42161)
  const response = await fetch(`${services.routing}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      chain_id: 42161,
      token_in: tokens['WETH']?.address,
      token_out: tokens['USDC']?.address,
      amount_in: '1000000000000000000',
    }),
  })
  assert.equal(response.status, 200)
  const { output } = (await response.json()) as { output: string }
  assert.ok(BigInt(output) > 0n)
})

test('time passes and blocks come when told to', async () => {
  const base = leased().chain(8453)
  const read = async () => {
    const block = await base.request('eth_getBlockByNumber', ['latest', false])
    const { number, timestamp } = block as { number: string; timestamp: string }
    return { number: Number(number), timestamp: Number(timestamp) }
  }
  const before = await read()
  await base.warp(86_400)
  await base.mine(3)
  const after = await read()
  assert.equal(after.number, before.number + 4)
  assert.ok(after.timestamp >= before.timestamp + 86_400)
})

/** What is tested: it asks again where a node has too many calls, or no answer. */
async function readBlockNumber(url: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const headers = { 'content-type': 'application/json' }
  for (let time = 1; time <= 5; time += 1) {
    const answer = await fetch(url, { method: 'POST', headers, body })
      .then((response) => response.json() as Promise<{ result?: string }>)
      .catch(() => ({ result: undefined }))
    if (answer.result !== undefined) return Number(answer.result)
  }
  throw new Error('the node does not answer')
}

test('a client outlasts a node that drops connections, answers with HTML and refuses calls', async (t) => {
  const { rpcUrl } = leased().chain(8453)
  const refusal = { status: 429, code: -32005, message: 'rate limited' }
  const node = await startNode({
    profile: 'alchemy-free',
    upstream: rpcUrl,
    faults: [
      { kind: 'reset', nth: [1] },
      { kind: 'html', status: 502, nth: [1] },
      { kind: 'refuse', refusal, nth: [1] },
    ],
    speed: 100,
  })
  t.after(() => node.close())
  assert.equal(await readBlockNumber(node.url), await readBlockNumber(rpcUrl))
  const { requests, faults } = node.counters()
  assert.deepEqual({ requests, faults }, { requests: 4, faults: { reset: 1, html: 1, refuse: 1 } })
})
