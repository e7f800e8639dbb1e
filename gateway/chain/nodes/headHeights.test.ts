import { assert, suite } from '../../../fixtures/test.ts'
import { createHeadHeights } from './headHeights.ts'

function stand(endpoints: readonly string[], blockTimeMs = 2_000) {
  const clock = { ms: 0 }
  const heights = createHeadHeights(endpoints, { blockTimeMs, now: () => clock.ms })
  return { clock, ...heights }
}

const s = suite('where endpoints stand')

s('tells one that lags behind the other, until it has caught up [nodes/lag]', () => {
  const { note, isBehind } = stand(['a', 'b'])
  note('b', 120)
  note('a', 112)
  assert.not(isBehind('a'))
  note('a', 111)
  assert.ok(isBehind('a'))
  assert.not(isBehind('b'))
  note('a', 119)
  assert.not(isBehind('a'))
})

s('bears ten seconds of blocks, however many they are', () => {
  const { note, isBehind } = stand(['a', 'b'], 250)
  note('b', 1_000)
  note('a', 960)
  assert.not(isBehind('a'))
  note('a', 959)
  assert.ok(isBehind('a'))
})

s('finds nobody behind where the chain stands still, however long', () => {
  const { clock, note, isBehind } = stand(['a', 'b', 'c'])
  for (; clock.ms < 33 * 60_000; clock.ms += 60_000)
    for (const each of ['a', 'b', 'c']) {
      note(each, 100)
      assert.not(isBehind(each))
    }
})

s('sets nobody back for the sake of one that names a head of its own', () => {
  const { note, isBehind } = stand(['a', 'b', 'c'])
  for (const [each, number] of [
    ['a', 100],
    ['b', 101],
    ['c', 2 ** 50],
    ['a', 101],
    ['b', Number.NaN],
  ] as const)
    note(each, number)
  assert.equal([isBehind('a'), isBehind('b')], [false, false])
})

s('asks those that have not told for a while, once each time', () => {
  const { clock, note, takeSilent } = stand(['a', 'b'])
  assert.equal(takeSilent(), [])
  clock.ms = 15_001
  note('a', 100)
  assert.equal(takeSilent(), ['b'])
  assert.equal(takeSilent(), [])
  clock.ms = 30_003
  assert.equal(takeSilent(), ['a', 'b'])
})
s.run()
