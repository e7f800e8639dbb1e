import { assert } from '../../../fixtures/test.ts'

/** Equal but for what float64 loses on the way. */
export function near(actual: number | undefined, expected: number, part = 1e-9): void {
  const off = Math.abs((actual ?? Number.NaN) - expected)
  assert.ok(off <= part * Math.max(Math.abs(expected), 1e-30), `${actual}, not ${expected}`)
}
