import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape } from '../../http/validate.ts'
import { compareResponse, fromComparison } from './compare.ts'

const s = suite('comparison on the wire')

function accuracyOf(quotedOutput: bigint, amountOut: bigint) {
  const body = fromComparison({
    status: 'ok',
    blockNumber: 9n,
    results: [{ providerId: 'a', quotedOutput, result: { status: 'ok', amountOut, gasUsed: 1n } }],
    winnerProviderId: 'a',
  })
  assert.is(checkShape(compareResponse, body), undefined)
  const [result] = body.results
  return result && 'accuracyBps' in result ? [result.accuracyDelta, result.accuracyBps] : []
}

s(
  'measures what was delivered against what was quoted, signed and rounded down [routing/accuracy]',
  () => {
    assert.equal(accuracyOf(1_000n, 1_000n), ['0', 10_000])
    assert.equal(accuracyOf(1_000n, 990n), ['-10', 9_900])
    assert.equal(accuracyOf(1_000n, 1_250n), ['250', 12_500])
    assert.equal(accuracyOf(3n, 2n), ['-1', 6_666])
    assert.equal(accuracyOf(1_000n, 0n), ['-1000', 0])
    assert.equal(accuracyOf(0n, 5n), ['5', 10_000])
    assert.equal(accuracyOf(1n, 10n ** 30n), [String(10n ** 30n - 1n), 2 ** 32 - 1])
  },
)

s.run()
