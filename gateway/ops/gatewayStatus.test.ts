import { assert, suite } from '../../fixtures/test.ts'
import { createCallBudget } from '../chain/callBudget.ts'
import { readCallUnits } from '../chain/callUnits.ts'
import { createMetrics } from '../observe/metrics.ts'
import { readStandings, showStandings } from './gatewayStatus.ts'

const s = suite('how a gateway stands')

s("tells a chain's calls, units and their price in a month [nodes/spending]", async () => {
  const metrics = createMetrics()
  const unitsOf = readCallUnits('eth_call=26,*=20')
  const observe = metrics.countsCalls(8453, { usdPerMillion: 0.5 })
  const budget = { perSecondOf: { warmUp: 0.25 } }
  const { spend } = createCallBudget({ budget, unitsOf, sleep: async () => undefined, observe })
  await spend('sync', Array(999).fill('eth_call'))
  await spend('warmUp', ['eth_getStorageAt'])
  assert.not(await spend('warmUp', ['eth_getStorageAt']))
  const text = await metrics.registry.metrics()
  const [, startedSecs] = /^process_start_time_seconds (\d+)$/m.exec(text) ?? []
  // A hundredth of a month later.
  const nowMs = Number(startedSecs) * 1_000 + 3_600_000 * 7.2
  const standings = readStandings(text, nowMs)
  assert.is(
    showStandings(standings),
    'base: not read yet; 1,000 calls of its nodes, 25,994 units; in a month at this pace 2,599,400 units, 1.30 USD\n',
  )
  assert.is(standings[0]?.month.units, 2_599_400)
})

s('names no price where none is set [nodes/spending]', async () => {
  const metrics = createMetrics()
  metrics.countsCalls(42161, { usdPerMillion: 0 })
  assert.not.match(showStandings(readStandings(await metrics.registry.metrics())), 'USD')
})
s(
  'tells how far a chain is followed, and nothing of one that is not read yet [nodes/status]',
  () => {
    const metrics = `forkyard_sync_block{chain="8453"} 30000000
forkyard_head_age_seconds{chain="8453"} 1980.4
forkyard_sync_lag_seconds{chain="8453"} 1.26
forkyard_pools{chain="8453"} 1250
forkyard_pools{chain="42161"} 0
forkyard_sync_lag_seconds{chain="42161"} +Inf
`
    const [base = '', arbitrum = ''] = showStandings(readStandings(metrics)).split('\n')
    assert.match(base, 'base: block 30000000, 1,980 s old, 1.3 s behind, 1,250 pools; 0 calls')
    assert.match(arbitrum, 'arbitrum: not read yet; 0 calls')
  },
)
s.run()
