import { zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { verifyExecution } from './verifyExecution.ts'

const s = suite('verifyExecution')
const token = '0x000000000000000000000000000000000000000a'
const amountOut = 1_000_000n

/** What is said of a payload that delivers so much, simulated four blocks after the quote's state. */
function verify(delivered: bigint) {
  const simulateCandidates: Simulator['simulateCandidates'] = async () => ({
    blockNumber: 14n,
    blockHash: '0x',
    results: [{ status: 'ok', amountOut: delivered, gasUsed: 1n }],
  })
  return verifyExecution(
    { simulator: { simulateCandidates } as Simulator },
    {
      chainId: 8453,
      tokenIn: token,
      tokenOut: zeroAddress,
      amountIn: 1n,
      execution: { spender: token, target: token, data: '0x', value: 0n },
      amountOut,
      stateBlock: 10n,
    },
  )
}

s(
  'verifies what delivers the output less one basis point, and no less [routing/underdelivers]',
  async () => {
    const said = async (delivered: bigint) => {
      const { status, ...rest } = await verify(delivered)
      return [
        status,
        'deviationBps' in rest && rest.deviationBps,
        'blockLag' in rest && rest.blockLag,
      ]
    }
    assert.equal(await said(amountOut), ['verified', 0, 4])
    assert.equal(await said(999_900n), ['verified', 1, 4])
    assert.equal(await said(999_899n), ['mismatched', 1, 4])
    assert.equal(await said(500_000n), ['mismatched', 5_000, 4])
    assert.equal(await said(1_010_000n), ['verified', -100, 4])
  },
)

s.run()
