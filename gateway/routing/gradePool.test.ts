import { assert, suite } from '../../fixtures/test.ts'
import { type GradeFacts, gradePool } from './gradePool.ts'

const s = suite('pool grades')
const deepAndFresh: GradeFacts = { impactBps: 5, stateAgeMs: 0, idleMs: 0, taxBps: 0 }
const grade = (facts: Partial<GradeFacts>) => gradePool({ ...deepAndFresh, ...facts })
const week = 7 * 24 * 3_600_000

s('walks from A to F with what the hop costs in its pool [routing/grades]', () => {
  const costs = [0, 35, 35.1, 100, 101, 300, 301, 1_000, 1_001, 3_000, 3_001, 10_000]
  assert.equal(
    costs.map((impactBps) => grade({ impactBps })),
    ['A', 'A', 'B', 'B', 'C', 'C', 'D', 'D', 'E', 'E', 'F', 'F'],
  )
})

s(
  'takes one grade each for old state, an unused pool and a light tax, two for a heavy one [routing/grade-rule]',
  () => {
    assert.is(grade({ stateAgeMs: 5_000 }), 'A')
    assert.is(grade({ stateAgeMs: 5_001 }), 'B')
    assert.is(grade({ idleMs: week }), 'A')
    assert.is(grade({ idleMs: week + 1 }), 'B')
    assert.is(grade({ taxBps: 500 }), 'B')
    assert.is(grade({ taxBps: 501 }), 'C')
    assert.is(grade({ stateAgeMs: 6_000, idleMs: 2 * week, taxBps: 600 }), 'E')
  },
)

s('ends at F', () => {
  assert.is(grade({ impactBps: 9_999, stateAgeMs: 9_999, idleMs: 2 * week, taxBps: 9_999 }), 'F')
})

s.run()
