import { assert, suite } from '../../../fixtures/test.ts'
import type { SourceState } from '../dispatch.ts'
import { fromSourceState } from './sources.ts'

const s = suite('meta/wire/sources')
const idle = {
  name: 'a',
  chainIds: [1],
  breaker: 'closed',
  calls: 0,
  failures: {},
  retryAfterMs: 0,
} as unknown as SourceState

s('says what a source is, the worst first [teeth/wire-sources]', () => {
  const stateOf = (given: Partial<SourceState>) => fromSourceState({ ...idle, ...given }).state
  assert.is(stateOf({}), 'idle')
  assert.is(stateOf({ calls: 1 }), 'ok')
  assert.is(stateOf({ calls: 1, retryAfterMs: 1 }), 'paused')
  assert.is(stateOf({ calls: 1, retryAfterMs: 1, breaker: 'open' }), 'broken')
  assert.is(stateOf({ calls: 1, breaker: 'half_open' }), 'ok')
})
s('tells figures that there are, in whole milliseconds [teeth/wire-sources]', () => {
  assert.equal(fromSourceState(idle), {
    name: 'a',
    chainIds: [1],
    state: 'idle',
    breaker: 'closed',
    calls: 0,
    failures: {},
    retryAfterMs: 0,
  })
  const figures = { successRate: 0, p50Ms: 1.4, p95Ms: 2.6, lastFailure: 'why', note: 'no' }
  const told = fromSourceState({ ...idle, ...figures } as SourceState)
  const { successRate, p50Ms, p95Ms, lastFailure, note } = told
  assert.equal([successRate, p50Ms, p95Ms, lastFailure, note], [0, 1, 3, 'why', 'no'])
})
s.run()
