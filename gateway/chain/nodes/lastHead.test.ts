import { assert, suite } from '../../../fixtures/test.ts'
import { createLastHead } from './lastHead.ts'

const s = suite('the last head that was told of')

s('is none that no chain makes in the time since the one before [attack/head-lie]', () => {
  let nowMs = 0
  const head = createLastHead({ blockTimeMs: 2_000, now: () => nowMs })
  assert.is(head.number(), undefined)
  const told = (number: number) => {
    head.note(number)
    return head.number()
  }
  assert.equal([told(1_000), told(1_008), told(1_017)], [1_000, 1_008, 1_008])
  // A burst, four times as fast as the chain's pace.
  nowMs += 10_000
  assert.equal([told(1_037), told(1_036)], [1_008, 1_036])
  // Nodes of one URL are not all as far, and one that lied first is not believed for ever.
  assert.equal([told(1_030), told(7)], [1_030, 7])
  nowMs += 600_000
  assert.is(told(1_200), 1_200)
})
s.run()
