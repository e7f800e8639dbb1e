import { assert, suite } from '../../../fixtures/test.ts'
import { toUsdE18 } from './lpDisposal.ts'

const s = suite('USD values')

s(
  'are read as the decimal that was written, not as its binary fraction [routing/decimal-usd]',
  () => {
    const cases: readonly (readonly [number, bigint])[] = [
      [0.1, 10n ** 17n],
      [1234.56, 1_234_560_000_000_000_000_000n],
      [1e-7, 10n ** 11n],
      [1e-18, 1n],
      [1e-19, 0n],
      [1e15, 10n ** 33n],
    ]
    for (const [value, expected] of cases) assert.is(toUsdE18(value), expected, String(value))
  },
)

s.run()
