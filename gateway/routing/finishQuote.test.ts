import { type Address, decodeFunctionData } from 'viem'
import { swapExecutor } from '../../contracts/artifacts.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { quote } from './quote.ts'

const s = suite('finishQuote')
const { chain, market } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
const [tokenIn, tokenOut] = market.addresses as [Address, Address]
const nowSecs = () => BigInt(Math.floor(Date.now() / 1_000))

/** Until when the payload can be sent, where the chain's clock is so far ahead of ours. */
async function deadlineAt(aheadSecs: bigint) {
  const state = await chain.sync.fresh()
  if (!state) throw new Error('a generated chain is always read')
  const head = { ...state.head, timestampSecs: nowSecs() + aheadSecs }
  const sync = { ...chain.sync, fresh: async () => ({ ...state, head }) }
  const outcome = await quote(
    {
      chains: new Map([[chain.chainId, { ...chain, sync }]]),
      simulator: undefined,
      now: () => performance.now(),
      maxLagMs: 30_000,
    },
    { chainId: chain.chainId, tokenIn, tokenOut, amountIn: 10n ** 15n, slippageBps: 50 },
  )
  const data = outcome.status === 'ok' && outcome.quote.execution?.data
  if (!data) throw new Error(`there is no payload: ${outcome.status}`)
  const { functionName, args } = decodeFunctionData({ abi: swapExecutor.abi, data })
  if (functionName !== 'swap') throw new Error(functionName)
  return { deadline: args[0].deadline, headSecs: head.timestampSecs }
}

s(
  "can be sent for 20 minutes, by the chain's clock where that runs ahead of ours [routing/deadline]",
  async () => {
    const before = nowSecs()
    const { deadline } = await deadlineAt(-3_600n)
    assert.ok(deadline >= before + 1_200n && deadline <= nowSecs() + 1_200n, `${deadline}`)
    const ahead = await deadlineAt(3_600n)
    assert.is(ahead.deadline, ahead.headSecs + 1_200n)
  },
)

s.run()
