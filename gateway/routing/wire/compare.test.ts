import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape } from '../../http/validate.ts'
import { compareResponse, fromComparison, toCandidates } from './compare.ts'

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

s('says of what failed why, and names no winner where there is none [teeth/wire-compare]', () => {
  const failed = { status: 'simulation_failed', reason: 'reverted' } as const
  const result = { providerId: 'a', quotedOutput: 5n, result: failed }
  const body = fromComparison({ status: 'ok', blockNumber: 9n, results: [result] } as never)
  assert.is(checkShape(compareResponse, body), undefined)
  const { status, reason: error } = failed
  assert.equal(body, {
    results: [{ providerId: 'a', status, quotedOutput: '5', success: false, error }],
    block_number: 9,
  })
})

s(
  'reads candidates: value in either form, native by its address, whom to allow [teeth/wire-compare]',
  () => {
    const [target, usdc, native] = [
      '0x2222222222222222222222222222222222222222',
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      '0x0000000000000000000000000000000000000000',
    ] as const
    const item = {
      providerId: 'a',
      target,
      data: '0x12',
      value: '0x10',
      inputToken: usdc.toLowerCase() as typeof usdc,
      outputToken: native,
      inputAmount: '1000',
      approveTarget: target,
      quotedOutput: '9',
    } as const
    const bare = { ...item, value: '10', inputToken: native, outputToken: usdc }
    const { approveTarget: _, ...unspent } = item
    const read = toCandidates({ chainId: 1, candidates: [item, bare, unspent] })
    const common = { target, data: '0x12', amountIn: 1_000n }
    const sold = { ...common, value: 16n, tokenIn: usdc, tokenOut: native }
    assert.equal(
      read.map(({ candidate }) => candidate),
      [
        { ...sold, spender: target },
        { ...common, value: 10n, tokenIn: native, tokenOut: usdc, spender: undefined },
        { ...sold, spender: undefined },
      ],
    )
    assert.equal([read[0]?.providerId, read[0]?.quotedOutput], ['a', 9n])
  },
)

s.run()
