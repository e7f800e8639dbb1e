import type { Address } from 'viem'
import type { Quote } from '../finishQuote.ts'

export const [tokenIn, tokenOut, pool] = [1, 2, 3].map((n) => `0x${String(n).repeat(40)}`) as [
  Address,
  Address,
  Address,
]

/** A quote with nothing that only some have. */
export const plainQuote: Quote = {
  chainId: 8453,
  tokenIn,
  tokenOut,
  amountIn: 100n,
  inputConsumed: 100n,
  amountOut: 90n,
  minAmountOut: 89n,
  gasEstimate: 7n,
  source: 'local',
  routePath: 'a>b',
  priceImpactBps: 5,
  marketImpactBps: undefined,
  stepImpactsBps: [1.239],
  areStepsQuoted: [false],
  poolGrades: ['A'],
  execution: undefined,
  readiness: 'ready',
  steps: [
    {
      protocol: 'p',
      dex: 'd',
      pool,
      tokenIn,
      tokenOut,
      feePips: 3_000,
      amountIn: 100n,
      amountOut: 90n,
      path: 0,
      shareBps: 10_000,
    },
  ],
  lastSyncBlock: 9n,
  syncLagMs: 1,
  taxInBps: 0,
  taxOutBps: 0,
  executable: true,
}
