import { assert, suite } from '../../../fixtures/test.ts'
import type { BlockRange, Refusal } from '../../chain/nodes/refusal.ts'
import { createRangeWidth, type RangeWidth } from './rangeWidth.ts'

const s = suite('width of ranges')
const whole: BlockRange = { from: 0n, to: 10_000_000_000n }
const tooWide: Refusal = { kind: 'range_too_wide' }
const lengthOf = ({ from, to }: BlockRange) => to - from + 1n
type Run = [blocks: bigint, times: number]

/** How many blocks a node is asked for, and how often in a row, which gives so many and names no number. */
function ask(width: RangeWidth, most: bigint, expected: readonly Run[]): void {
  const runs: Run[] = []
  for (let left = expected.reduce((sum, [, times]) => sum + times, 0); left > 0; left -= 1) {
    const range = width.cut(whole)
    const blocks = lengthOf(range)
    const last = runs.at(-1)
    if (last?.[0] === blocks) last[1] += 1
    else runs.push([blocks, 1])
    if (blocks <= most) width.gave(range)
    else assert.ok(width.refused(range, tooWide))
  }
  assert.equal(runs, expected)
}

s('is halved until it is given, and tried wider ever more seldom [teeth/range-width]', () => {
  const width = createRangeWidth({ least: 500n })
  const trial: Run = [100_111n, 1]
  ask(width, 100_000n, [
    [1_000_000n, 1],
    [500_000n, 1],
    [250_000n, 1],
    [125_000n, 1],
    [62_500n, 8],
    [70_312n, 1],
    [79_101n, 1],
    [88_988n, 1],
  ])
  for (const times of [16, 32, 64, 128, 256, 512, 512])
    ask(width, 100_000n, [trial, [88_988n, times]])
  // Once a wider one is given the next trial that is not is the first in a row.
  ask(width, 110_000n, [trial, [112_624n, 1], [100_111n, 16], [112_624n, 1]])
  // What had been given is refused: so is the next trial.
  ask(width, 50_000n, [trial, [50_055n, 1], [25_027n, 8], [28_155n, 1]])
})

/** Which gives ten thousand blocks at once, and has named that. */
function createNamed(): RangeWidth {
  const width = createRangeWidth({ least: 500n })
  assert.ok(width.refused(width.cut(whole), { ...tooWide, limit: 10_000 }))
  return width
}
for (const [what, refusal, isNarrowed, then] of [
  ['half of it', tooWide, true, 5_000n],
  ['half of it for words that nobody knows', undefined, true, 5_000n],
  ['what is named', { ...tooWide, limit: 600 }, true, 600n],
  ['the least', { ...tooWide, limit: 500 }, true, 500n],
  [
    'as much as before where less than the least is named',
    { ...tooWide, limit: 499 },
    false,
    10_000n,
  ],
] as const)
  s(`is ${what} where what was given is refused [teeth/range-refused]`, () => {
    const width = createNamed()
    assert.is(width.refused(width.cut(whole), refusal), isNarrowed)
    assert.is(lengthOf(width.cut(whole)), then)
  })
for (const [what, refusal, then] of [
  ['of too many logs', { kind: 'too_many_results', limit: 3 }, 10_000n],
  ['of words that nobody knows', undefined, 10_000n],
  ['that names another number', { ...tooWide, limit: 6_000 }, 6_000n],
] as const)
  s(`is what was given after a trial ${what}, or what that one names [teeth/range-trial]`, () => {
    const width = createNamed()
    for (let given = 0; given < 8; given += 1) width.gave(width.cut(whole))
    const trial = width.cut(whole)
    assert.is(lengthOf(trial), 11_250n)
    assert.ok(width.refused(trial, refusal))
    assert.is(lengthOf(width.cut(whole)), then)
  })

s('is not widened by the refusal of one that was asked for before [teeth/range-late]', () => {
  const width = createNamed()
  assert.ok(width.refused({ from: 1n, to: 1_000_000n }, tooWide))
  assert.is(lengthOf(width.cut(whole)), 10_000n)
})
s('is never less than the least, and never more than at first [teeth/range-ends]', () => {
  const short = createRangeWidth({ least: 500n })
  assert.ok(short.refused(short.cut(whole), { ...tooWide, limit: 900 }))
  assert.ok(short.refused(short.cut(whole), tooWide))
  assert.is(lengthOf(short.cut(whole)), 500n)
  for (const refusal of [tooWide, undefined])
    assert.is(short.refused(short.cut(whole), refusal), false)
  assert.is(lengthOf(short.cut(whole)), 500n)
  const wide = createRangeWidth({ least: 500n })
  assert.ok(wide.refused(wide.cut(whole), { ...tooWide, limit: 900_000 }))
  // The last ones of a chain are fewer than were asked for: nothing is known by them.
  for (let given = 0; given < 20; given += 1) wide.gave(wide.cut({ from: 1n, to: 899_999n }))
  const widths: bigint[] = []
  for (let given = 0; given < 10; given += 1) {
    widths.push(lengthOf(wide.cut(whole)))
    wide.gave(wide.cut(whole))
  }
  assert.equal(widths, [...new Array(8).fill(900_000n), 1_000_000n, 1_000_000n])
})

s(
  'is tried wider again soon after a range that had been given is refused [nodes/width-again]',
  () => {
    const width = createRangeWidth({ least: 500n })
    const limit = 10_000n
    let latest = 0n
    function ask(): void {
      const range = width.cut({ from: 0n, to: 10_000_000_000n })
      latest = range.to - range.from + 1n
      if (latest > limit) width.refused(range, { kind: 'range_too_wide', limit: Number(limit) })
      else width.gave(range)
    }
    for (let asked = 0; asked < 3_000; asked += 1) ask()
    width.refused(width.cut({ from: 0n, to: 10_000_000_000n }), undefined)
    ask()
    assert.is(latest, limit / 2n)
    let asked = 0
    while (latest < (9n * limit) / 10n && asked < 1_000) {
      ask()
      asked += 1
    }
    assert.ok(asked < 60, `${asked} ranges`)
  },
)
s.run()
