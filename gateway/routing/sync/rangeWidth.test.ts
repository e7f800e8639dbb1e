import { assert, suite } from '../../../fixtures/test.ts'
import { createRangeWidth } from './rangeWidth.ts'

const s = suite('width of ranges')

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
