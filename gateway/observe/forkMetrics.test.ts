import { Registry } from 'prom-client'
import { assert, suite } from '../../fixtures/test.ts'
import { createForkMetrics } from './forkMetrics.ts'
import { createLiveEvents } from './liveEvents.ts'

const s = suite('fork metrics')

s('show block and age of each fork as they are when asked', async () => {
  const registry = new Registry()
  const metrics = createForkMetrics({ registry, live: createLiveEvents() })
  let status = { ready: false, blockNumber: undefined as bigint | undefined, ageMs: 1_500 }
  metrics.show({ status: () => status }, [8453])
  metrics.happened({ chainId: 8453, event: 'fork_wedged' })
  const before = await registry.metrics()
  assert.match(before, 'forkyard_fork_ready{chain="8453"} 0')
  assert.match(before, 'forkyard_fork_age_seconds{chain="8453"} 1.5')
  assert.not.match(before, /forkyard_fork_block\{/)
  assert.match(before, 'forkyard_fork_events_total{chain="8453",event="fork_wedged"} 1')
  status = { ready: true, blockNumber: 77n, ageMs: 0 }
  const after = await registry.metrics()
  assert.match(after, 'forkyard_fork_ready{chain="8453"} 1')
  assert.match(after, 'forkyard_fork_block{chain="8453"} 77')
})
s.run()
