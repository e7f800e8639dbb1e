import { assert, suite } from '../../fixtures/test.ts'
import { createRecentTurns } from './recentTurns.ts'

const s = suite('routing/recentTurns')

s('counts turns, each a third after ten seconds, and by name', () => {
  let nowMs = 1_900_000_000_000
  const turns = createRecentTurns({ now: () => nowMs })
  assert.is(turns.had('a'), 0)
  turns.note('a')
  assert.equal([turns.had('a'), turns.had('b')], [1, 0])
  nowMs += 10_000
  assert.is(turns.had('a'), Math.exp(-1))
  turns.note('a')
  assert.is(turns.had('a'), Math.exp(-1) + 1)
  nowMs += 10_000
  assert.is(turns.had('a'), (Math.exp(-1) + 1) * Math.exp(-1))
})
s.run()
