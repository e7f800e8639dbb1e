import { assert } from '../../fixtures/test.ts'
import { lease } from './lease.ts'

/** One of many workers that do the same to what they leased, at the same time. Prints what it saw. */
const { chain, services, apiKey, release } = await lease()
const base = chain(8453)
const somebody = '0x00000000000000000000000000000000000a11ce'
const usdc = base.tokens['USDC']
if (!usdc) throw new Error('the lab has no USDC')
const balanceOf = async () => {
  const data = `0x70a08231${somebody.slice(2).padStart(64, '0')}`
  return BigInt(String(await base.request('eth_call', [{ to: usdc.address, data }, 'latest'])))
}
assert.is(await balanceOf(), 0n)
const block = await base.request('eth_blockNumber')
await base.deal(usdc.address, somebody, BigInt(process.pid))
await base.mine(2)
assert.is(await balanceOf(), BigInt(process.pid))
const info = await fetch(`${services.routing}/auth/key-info`, { headers: { 'x-api-key': apiKey } })
assert.is(info.status, 200)
const { quota_remaining: quota } = (await info.json()) as { quota_remaining: number }
if (process.argv[2] === 'die') process.kill(process.pid, 'SIGKILL')
await release()
process.stdout.write(JSON.stringify({ block, quota, apiKey }))
