import { Registry } from 'prom-client'
import { assert, suite } from '../fixtures/test.ts'
import type { Routing } from './routing/createRouting.ts'
import { showSync } from './syncMetrics.ts'

const s = suite('sync metrics')

s('show who reads each chain, how far and how long ago, as it is when asked', async () => {
  const registry = new Registry()
  let role = 'follower'
  const chain = { chainId: 8453, sync: { role: () => role } }
  const state = { head: { number: 77n } }
  const unread = {
    ...{ chain: { ...chain, chainId: 42161 }, state: undefined },
    lagMs: Number.POSITIVE_INFINITY,
  }
  const status = () => [{ chain, state, lagMs: 1_500 }, unread] as unknown
  showSync({ registry }, { status: status as Routing['status'] })
  const before = await registry.metrics()
  assert.match(before, 'forkyard_sync_leads{chain="8453"} 0')
  assert.match(before, 'forkyard_sync_block{chain="8453"} 77')
  assert.match(before, 'forkyard_sync_lag_seconds{chain="8453"} 1.5')
  assert.match(before, 'forkyard_sync_leads{chain="42161"} 0')
  assert.match(before, 'forkyard_sync_lag_seconds{chain="42161"} +Inf')
  assert.not.match(before, 'forkyard_sync_block{chain="42161"}')
  role = 'leader'
  assert.match(await registry.metrics(), 'forkyard_sync_leads{chain="8453"} 1')
})
s.run()
