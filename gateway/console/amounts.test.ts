import { assert, suite } from '../../fixtures/test.ts'
import { bpsBetween, parseAmount, toExact, toHuman } from './page/state/amounts.ts'
import { parseMetrics, quantile, sumOf } from './page/state/metricsText.ts'

const s = suite('console/amounts')

s('shows at most six digits, never more than there is [console/rounded-down]', () => {
  const cases: readonly (readonly [bigint, number, string])[] = [
    [0n, 6, '0'],
    [1n, 18, '0.000000000000000001'],
    [1_999_999_999_999_999_999n, 18, '1.99999'],
    [999_999_999n, 6, '999.999'],
    [123_456_789_012n, 6, '123 456'],
    [1_000_000n, 6, '1'],
    [1_234n, 0, '1 234'],
    [-1_234_567n, 6, '−1.23457'],
    [-1_000_000n, 6, '−1'],
    [-1_999_999_999n, 6, '−2 000'],
    [-1n, 0, '−1'],
  ]
  for (const [raw, decimals, shown] of cases)
    assert.is(toHuman(raw, decimals), shown, `${raw} of ${decimals}`)
  // However many digits: what is shown, read again, is no more than what there is.
  for (let raw = 1n; raw < 10n ** 24n; raw = raw * 7n + 3n) {
    const shown = parseAmount(toHuman(raw, 12), 12)
    assert.ok(shown !== undefined && shown <= raw && raw - shown < raw / 10_000n + 1n, String(raw))
  }
})

s('keeps every digit of an exact amount, and reads what people type', () => {
  assert.is(toExact(1_000_000_000_000_000_001n, 18), '1.000000000000000001')
  assert.is(toExact(-1_500_000n, 6), '-1.5')
  for (const [text, raw] of [
    ['1', 1_000_000n],
    ['1.5', 1_500_000n],
    ['1,5', 1_500_000n],
    [' 1 000 ', 1_000_000_000n],
    ['.5', 500_000n],
  ] as const)
    assert.is(parseAmount(text, 6), raw, text)
  for (const text of ['', '.', '-1', '1e3', '0x1', '1.2345678', 'one'])
    assert.is(parseAmount(text, 6), undefined, text)
})

s('compares in basis points, rounded down', () => {
  assert.is(bpsBetween(10_000n, 10_001n), 1)
  assert.is(bpsBetween(30_000n, 29_999n), -0.34)
  assert.is(bpsBetween(30_000n, 30_001n), 0.33)
  assert.is(bpsBetween(0n, 1n), undefined)
})

s('reads counters and quantiles from two readings of /metrics', () => {
  const write = (counts: readonly number[]) =>
    ['0.01', '0.1', '+Inf']
      .map((le, index) => `took_bucket{le="${le}",route="/quote"} ${counts[index]}`)
      .join('\n')
  const past = parseMetrics(`# HELP took\n${write([5, 5, 5])}\nplain 7`)
  const now = parseMetrics(write([104, 105, 105]))
  assert.is(sumOf(past, 'plain'), 7)
  const ask = { name: 'took', labels: { route: '/quote' } }
  assert.is(quantile({ past, now }, { ...ask, share: 0.99 }), 0.01)
  assert.is(quantile({ past, now }, { ...ask, share: 0.999 }), 0.1)
  assert.is(quantile({ past: now, now }, { ...ask, share: 0.99 }), undefined)
})

s.run()
