import { assert, suite } from '../../../../fixtures/test.ts'
import { type LiquidityTick, tickRangesOf } from './tickRanges.ts'

const s = suite('tickRanges')
const maxTick = 887_272

s('measures what lies between neighbouring ticks [teeth/tick-ranges]', () => {
  const ticks: readonly LiquidityTick[] = [
    [-60, 5n],
    [0, 7n],
    [60, -12n],
  ]
  const ranges = tickRangesOf(ticks)
  assert.equal(ranges?.liquidity, [5n, 12n, 0n])
  assert.equal([...(ranges?.depth ?? [])], [5, 12, 0])
  const [below = 0, middle = 0, above = 0] = ranges?.root ?? []
  for (const [root, tick] of [
    [below, -60],
    [middle, 0],
    [above, 60],
  ] as const)
    assert.ok(Math.abs(root / 1.0001 ** (tick / 2) - 1) < 1e-9)
  const [first = 0, second = 0, last = 0] = ranges?.span ?? []
  assert.ok(
    Math.abs(first - (middle - below)) < 1e-12 && Math.abs(second - (above - middle)) < 1e-12,
  )
  assert.ok(last > 0 && last < 1e-20)
  assert.is(tickRangesOf(ticks), ranges)
})
s('has none for a table that no pool can have [teeth/tick-ranges]', () => {
  for (const ticks of [
    [[0, 5n]],
    [
      [0, 5n],
      [60, -4n],
    ],
    [
      [0, 5n],
      [60, -6n],
    ],
    [
      [0, -5n],
      [60, 5n],
    ],
    [
      [0, -1n],
      [60, 1n],
    ],
    [
      [60, 5n],
      [0, -5n],
    ],
    [
      [0, 5n],
      [0, -5n],
    ],
  ] as const)
    assert.is(tickRangesOf(ticks), undefined, JSON.stringify(ticks.map(([tick]) => tick)))
  // The last tick of all is one.
  assert.ok(
    tickRangesOf([
      [-maxTick, 1n],
      [maxTick, -1n],
    ]),
  )
  assert.equal(tickRangesOf([])?.liquidity, [])
})
s.run()
