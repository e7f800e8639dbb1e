import assert from 'node:assert/strict'
import { test } from 'node:test'
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
