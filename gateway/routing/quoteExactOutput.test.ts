import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { quoteExactOutput } from './quoteExactOutput.ts'
import { createQuotedStand, local, quoted, tokenIn, tokenOut } from './testing/quotedStand.ts'

const { chain: generated } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
const s = suite('exact outputs through quoters')

/** Sells for one unit, and leaves once the chain has been asked so often. */
async function ask({ missingBps, patience }: { missingBps: bigint; patience: number }) {
  const stand = createQuotedStand(generated, { missingBps })
  const { chain, asked } = stand
  const chains = new Map([[chain.chainId, chain]])
  const outcome = await quoteExactOutput(
    { chains, simulator: undefined, now: () => performance.now(), maxLagMs: 30_000 },
    {
      chainId: chain.chainId,
      tokenIn,
      tokenOut,
      targetOutput: 10n ** 18n,
      maxInput: 10n ** 21n,
      slippageBps: 50,
      executableOnly: false,
      asker: { caller: 'a', isGone: () => asked() >= patience },
    },
  )
  return { outcome, asked: asked() }
}
const poolsOf = ({ outcome }: Awaited<ReturnType<typeof ask>>) =>
  outcome.status === 'ok' ? outcome.quote.steps.map(({ pool }) => pool) : outcome.status

s('stand against the pools whose maths is known where a quoter lies', async () => {
  assert.equal(poolsOf(await ask({ missingBps: 0n, patience: 100 })), [quoted])
  assert.equal(poolsOf(await ask({ missingBps: 50n, patience: 100 })), [local])
})

s('ask the chain nothing more for somebody who has left [strangers/exact-left]', async () => {
  const patient = await ask({ missingBps: 2n, patience: 100 })
  assert.ok(patient.asked > 1, `${patient.asked} calls`)
  const { outcome, asked } = await ask({ missingBps: 2n, patience: 1 })
  assert.equal(outcome, { status: 'unavailable', reason: 'the caller has left' })
  assert.is(asked, 1)
})

s.run()
