import { assert, suite } from '../../fixtures/test.ts'
import { createCallBudget } from '../chain/callBudget.ts'
import { readCallUnits } from '../chain/callUnits.ts'
import { createMetrics } from '../observe/metrics.ts'
import { showSpending } from './showSpending.ts'

const s = suite('what the calls of nodes cost')

s("tells a chain's calls, units and their price in a month [nodes/spending]", async () => {
  const metrics = createMetrics()
  const unitsOf = readCallUnits('eth_call=26,*=20')
  const observe = metrics.countsCalls(8453, { usdPerMillion: 0.5 })
  const budget = { perSecondOf: { warmUp: 0.25 } }
  const spend = createCallBudget({ budget, unitsOf, sleep: async () => undefined, observe })
  await spend('sync', Array(999).fill('eth_call'))
  await spend('warmUp', ['eth_getStorageAt'])
  assert.not(await spend('warmUp', ['eth_getStorageAt']))
  const text = await metrics.registry.metrics()
  const [, startedSecs] = /^process_start_time_seconds (\d+)$/m.exec(text) ?? []
  // A hundredth of a month later.
  const nowMs = Number(startedSecs) * 1_000 + 3_600_000 * 7.2
  assert.is(
    showSpending(text, nowMs),
    'base: 1,000 calls of its nodes, 25,994 units; in a month at this pace 2,599,400 units, 1.30 USD\n',
  )
})

s('names no price where none is set [nodes/spending]', async () => {
  const metrics = createMetrics()
  metrics.countsCalls(42161, { usdPerMillion: 0 })
  assert.not.match(showSpending(await metrics.registry.metrics()), 'USD')
})
s.run()
