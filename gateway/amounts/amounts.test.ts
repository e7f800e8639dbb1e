import { assert, suite } from '../../fixtures/test.ts'
import { greater, lessBps, lesser, moreBps, negligiblePart, wholeBps } from './amounts.ts'

const s = suite('amounts')

s('lose basis points rounded down, and gain them rounded up [teeth/amounts]', () => {
  assert.equal(
    [lessBps(10_000n, 1), lessBps(10_001n, 1), lessBps(9_999n, 1)],
    [9_999n, 9_999n, 9_998n],
  )
  assert.equal(
    [moreBps(10_000n, 1), moreBps(10_001n, 1), moreBps(9_999n, 1)],
    [10_001n, 10_003n, 10_000n],
  )
  assert.equal([lessBps(7n, 0), moreBps(7n, 0)], [7n, 7n])
  assert.equal([lessBps(7n, 10_000), lessBps(7n, 10_000n), moreBps(7n, 10_000n)], [0n, 0n, 14n])
  assert.equal([lessBps(0n, 50), moreBps(0n, 50)], [0n, 0n])
  for (const amount of [1n, 3n, 9_999n, 10n ** 18n + 7n])
    for (const bps of [1, 50, 3_333, 9_999]) {
      const [less, more] = [lessBps(amount, bps), moreBps(amount, bps)]
      assert.ok(less * wholeBps <= amount * BigInt(10_000 - bps))
      assert.ok((less + 1n) * wholeBps > amount * BigInt(10_000 - bps))
      assert.ok(more * wholeBps >= amount * BigInt(10_000 + bps))
      assert.ok((more - 1n) * wholeBps < amount * BigInt(10_000 + bps))
    }
})
s('are compared, whichever stands first [teeth/amounts]', () => {
  assert.equal([lesser(1n, 2n), lesser(2n, 1n), lesser(-1n, -2n)], [1n, 1n, -2n])
  assert.equal([greater(1n, 2n), greater(2n, 1n), greater(-1n, -2n)], [2n, 2n, -1n])
  assert.equal([wholeBps, negligiblePart], [10_000n, 1_000_000n])
})
s.run()
