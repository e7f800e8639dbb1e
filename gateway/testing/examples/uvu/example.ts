import { leaseForSuite } from 'forkyard/testing/uvu'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const rich = suite('rich')
const leased = leaseForSuite(rich)

rich('anybody can be made rich', async () => {
  const base = leased().chain(8453)
  const { USDC: usdc } = base.tokens
  if (!usdc) throw new Error('the lab has no USDC')
  const somebody = '0x00000000000000000000000000000000000a11ce'
  await base.deal(usdc.address, somebody, 123_456_789n)
  const data = `0x70a08231${somebody.slice(2).padStart(64, '0')}`
  const balance = await base.request('eth_call', [{ to: usdc.address, data }, 'latest'])
  assert.is(BigInt(String(balance)), 123_456_789n)
})
rich('and is poor again in the next test', async () => {
  const base = leased().chain(8453)
  const somebody = '0x00000000000000000000000000000000000a11ce'
  const data = `0x70a08231${somebody.slice(2).padStart(64, '0')}`
  const balance = await base.request('eth_call', [
    { to: base.tokens['USDC']?.address, data },
    'latest',
  ])
  assert.is(BigInt(String(balance)), 0n)
})

rich.run()
