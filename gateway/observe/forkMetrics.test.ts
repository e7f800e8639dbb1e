import { Registry } from 'prom-client'
import { assert, suite } from '../../fixtures/test.ts'
import { createForkMetrics } from './forkMetrics.ts'
import { createLiveEvents } from './liveEvents.ts'

const s = suite('fork metrics')

s('show block and age of each fork as they are when asked [observe/forks]', async () => {
  const registry = new Registry()
  const metrics = createForkMetrics({ registry, live: createLiveEvents() })
  let status = {
    ready: false,
    blockNumber: undefined as bigint | undefined,
    ageMs: 1_500,
    resting: false,
    running: 0,
  }
  let memory: number | undefined
  metrics.show({ status: () => status, memoryBytes: async () => memory }, [8453])
  metrics.happened({ chainId: 8453, event: 'fork_wedged' })
  const before = await registry.metrics()
  assert.match(before, 'forkyard_fork_ready{chain="8453"} 0')
  assert.match(before, 'forkyard_fork_age_seconds{chain="8453"} 1.5')
  assert.not.match(before, /forkyard_fork_(?:block|memory_bytes)\{/)
  assert.match(before, 'forkyard_fork_events_total{chain="8453",event="fork_wedged"} 1')
  status = { ready: true, blockNumber: 77n, ageMs: 0, resting: true, running: 3 }
  memory = 5_000_000
  const after = await registry.metrics()
  assert.match(after, 'forkyard_fork_ready{chain="8453"} 1')
  assert.match(after, 'forkyard_fork_block{chain="8453"} 77')
  assert.match(before, 'forkyard_fork_resting{chain="8453"} 0')
  assert.match(after, 'forkyard_fork_resting{chain="8453"} 1')
  assert.match(after, 'forkyard_fork_running{chain="8453"} 3')
  assert.match(after, 'forkyard_fork_memory_bytes{chain="8453"} 5000000')
  memory = undefined
  assert.not.match(await registry.metrics(), /forkyard_fork_memory_bytes\{/)
})
s.run()
