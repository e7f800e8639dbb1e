import { assert, suite } from '../../fixtures/test.ts'
import { createRecentTurns } from './recentTurns.ts'

const s = suite('routing/recentTurns')

s('counts turns, each a third after ten seconds, and by name', () => {
  let nowMs = 1_900_000_000_000
  const turns = createRecentTurns()
  assert.is(turns.had('a', nowMs), 0)
  turns.note('a', nowMs)
  assert.equal([turns.had('a', nowMs), turns.had('b', nowMs)], [1, 0])
  nowMs += 10_000
  assert.is(turns.had('a', nowMs), Math.exp(-1))
  turns.note('a', nowMs)
  assert.is(turns.had('a', nowMs), Math.exp(-1) + 1)
  nowMs += 10_000
  assert.is(turns.had('a', nowMs), (Math.exp(-1) + 1) * Math.exp(-1))
})
s('forgets who had none for so long that they count no more [24/turns-forgotten]', () => {
  const turns = createRecentTurns()
  turns.note('a', 0)
  turns.note('b', 100_000)
  assert.is(turns.had('a', 100_000), Math.exp(-10))
  turns.note('a', 0)
  turns.note('b', 100_001)
  turns.note('c', 100_001)
  assert.equal([turns.had('a', 100_001), turns.had('b', 100_001) > 1], [0, true])
})
s.run()
