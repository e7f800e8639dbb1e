import type { Address } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { type ExactOutputParameters, quoteExactOutput } from './quoteExactOutput.ts'
import type { RoutingChain } from './routingChain.ts'
import { createQuotedStand, local, quoted, tokenIn, tokenOut } from './testing/quotedStand.ts'

const { chain: generated, market } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
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

/** The wrapped native currency, and a token of 18 decimals. */
const [sold, bought] = [0, 3].map((at) => market.addresses[at]) as [Address, Address]
const target = 10n ** 15n
const deps = { simulator: undefined, now: () => performance.now(), maxLagMs: 30_000 }

function reach(own: Partial<ExactOutputParameters> = {}, change: Partial<RoutingChain> = {}) {
  const chains = new Map([[generated.chainId, { ...generated, ...change }]])
  return quoteExactOutput(
    { ...deps, chains },
    {
      chainId: generated.chainId,
      tokenIn: sold,
      tokenOut: bought,
      targetOutput: target,
      maxInput: 10n ** 24n,
      slippageBps: 50,
      executableOnly: false,
      ...own,
    },
  )
}
async function quoteOf(...asked: Parameters<typeof reach>) {
  const outcome = await reach(...asked)
  if (outcome.status !== 'ok') throw new Error(outcome.status)
  return outcome.quote
}

s(
  'sell the least that brings the target, and bound nothing by it [teeth/exact-output]',
  async () => {
    const quote = await quoteOf()
    assert.ok(quote.amountOut >= target && quote.amountOut <= target + target / 100_000n)
    assert.equal([quote.executable, quote.optimalityGapBps], [true, undefined])
    assert.is(quote.amountIn, quote.inputConsumed)
    const most = await quoteOf({ maxInput: quote.amountIn })
    assert.equal([most.amountIn, most.readiness], [quote.amountIn, 'ready'])
  },
)

s('show what the most brings where the target is beyond it [teeth/exact-output]', async () => {
  const { amountIn } = await quoteOf()
  const maxInput = amountIn / 2n
  for (const executableOnly of [false, true]) {
    const shown = await quoteOf({ maxInput, executableOnly })
    assert.equal([shown.amountIn, shown.inputConsumed], [maxInput, maxInput])
    assert.ok(shown.amountOut > target / 3n && shown.amountOut < target)
    assert.ok(shown.steps.length > 0)
    assert.equal(
      [shown.executable, shown.execution, shown.readiness, shown.unexecutableReason],
      [false, undefined, 'target_unreachable', 'target_unreachable'],
    )
  }
})

s('are none without a payload where only those are wanted [teeth/exact-output]', async () => {
  const mute = { executor: undefined }
  assert.is((await quoteOf({}, mute)).readiness, 'no_executor')
  assert.equal(await reach({ executableOnly: true }, mute), { status: 'no_route' })
  assert.is((await reach({ executableOnly: true })).status, 'ok')
})

s(
  'reach the target behind a tax, and pay what is taxed on the way [teeth/exact-output]',
  async () => {
    const plain = await quoteOf()
    const taxed = (token: Address) => {
      const get = (one: string) => (one === token.toLowerCase() ? 1_000 : 0)
      return quoteOf({}, { taxes: { ...generated.taxes, get } })
    }
    const out = await taxed(bought)
    // What leaves the pools is a ninth more.
    assert.ok(out.amountOut >= target && out.amountOut <= target + target / 100_000n)
    assert.ok(out.amountIn >= (plain.amountIn * 111n) / 100n, `${out.amountIn}`)
    const into = await taxed(sold)
    assert.ok(into.amountIn >= (plain.amountIn * 111n) / 100n, `${into.amountIn}`)
    assert.ok(into.amountIn <= (plain.amountIn * 112n) / 100n, `${into.amountIn}`)
    assert.equal([out.taxOutBps, into.taxInBps], [1_000, 1_000])
  },
)

s(
  'are none where no route leads, and unavailable without their chain [teeth/exact-output]',
  async () => {
    const nobody = '0x00000000000000000000000000000000000000aa'
    assert.is((await reach({ tokenOut: nobody })).status, 'no_route')
    assert.equal(await reach({ chainId: 1 }), {
      status: 'unavailable',
      reason: 'the chain is not configured',
    })
    const sync = { ...generated.sync, fresh: async () => undefined }
    assert.is((await reach({}, { sync })).status, 'unavailable')
  },
)

s.run()
