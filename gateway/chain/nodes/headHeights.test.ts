import { assert, suite } from '../../../fixtures/test.ts'
import { createHeadHeights } from './headHeights.ts'

/** What a clock says when the machine has just started. */
const bootMs = Date.UTC(2026, 10, 23)

function stand(endpoints: readonly string[], blockTimeMs = 2_000) {
  const clock = { ms: 0 }
  const { note, ...heights } = createHeadHeights(endpoints, {
    blockTimeMs,
    now: () => clock.ms,
    dateMs: () => bootMs + clock.ms,
  })
  return {
    clock,
    ...heights,
    /** By number alone, or with the age of its block. */
    note: (each: string, number: number, agoMs?: number) =>
      note(each, {
        number,
        ...(agoMs !== undefined && { madeAtMs: bootMs + clock.ms - agoMs }),
      }),
  }
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
  ] as const)
    note(each, number)
  assert.equal([isBehind('a'), isBehind('b')], [false, false])
})

s('sets nobody back whose own head was made just now [nodes/lag-lie]', () => {
  const { clock, note, isBehind } = stand(['a', 'b'])
  note('b', 2 ** 50, 0)
  note('a', 100, 1_500)
  assert.not(isBehind('a'))
  // A number alone is of about that time.
  clock.ms = 6_000
  note('a', 102)
  assert.not(isBehind('a'))
  clock.ms = 60_000
  note('b', 140)
  note('a', 120)
  assert.ok(isBehind('a'))
  note('a', 120, 12_000)
  assert.ok(isBehind('a'))
  for (const untold of [Number.NaN, -3_600_000]) {
    note('a', 121, untold)
    assert.ok(isBehind('a'), `${untold}`)
  }
  note('a', 131, 2_000)
  assert.not(isBehind('a'))
})

s('sets nobody back for a head that no chain makes in the time [nodes/lag-lie]', () => {
  const { note, isBehind } = stand(['a', 'b'])
  const secs = 33 * 60
  for (const [named, isBelieved] of [
    [100 + secs / 2, true],
    [100 + 4 * secs, false],
    [2 ** 50, false],
  ] as const) {
    note('b', named, 0)
    // The chain stands still, or its node lags: half an hour makes a thousand blocks.
    note('a', 100, secs * 1_000)
    assert.is(isBehind('a'), isBelieved, `${named}`)
  }
})

s('tells a chain that stands still from a node that does [nodes/stands-still]', () => {
  const { clock, note, ...heights } = stand(['a', 'b'])
  const standsStill = () => heights.standsStill(100)
  assert.is(standsStill(), 'chain_or_node')
  note('a', 100, 0)
  assert.is(standsStill(), 'chain_or_node')
  note('b', 101, 0)
  assert.is(standsStill(), 'chain')
  clock.ms = 33 * 60_000
  assert.is(standsStill(), 'chain_or_node', 'one of them may have come to know more')
  for (const each of ['a', 'b']) note(each, 101, clock.ms)
  assert.is(standsStill(), 'chain')
  note('b', 140, 2_000)
  assert.is(standsStill(), 'node')
  assert.is(heights.standsStill(90), 'gateway')
  // No chain makes as many in the time: that one lies.
  note('b', 2 ** 50, 0)
  assert.is(standsStill(), 'chain')
  const alone = stand(['a'])
  alone.note('a', 100, 60_000)
  assert.is(alone.standsStill(100), 'chain_or_node')
  assert.is(alone.standsStill(90), 'gateway')
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
