import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import type { Route } from './engine/route.ts'
import { searchSettled } from './settleFound.ts'
import { createQuotedStand, local, quoted, tokenIn, tokenOut } from './testing/quotedStand.ts'

const { chain: generated } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
const s = suite('settling a route')

/** The best route for a unit where the quoter pays `missingBps` less than its samples say. */
async function settle(missingBps: bigint) {
  const { chain, state } = createQuotedStand(generated, { missingBps })
  const amountIn = 10n ** 18n
  const asked = {
    chain,
    state,
    market: state.market,
    tokenIn,
    tokenOut,
    amountIn,
    mode: 'deep',
  } as const
  const settled = await searchSettled({ now: () => performance.now() }, asked)
  return settled?.route
}

s(
  'a shortfall stands against the local route, and the better one is answered [20/shortfall]',
  async () => {
    const poolsOf = (route: Route | undefined) => route?.steps.map(({ poolId }) => poolId)
    assert.equal(poolsOf(await settle(0n)), [quoted])
    assert.equal(poolsOf(await settle(2n)), [quoted])
    assert.equal(poolsOf(await settle(5n)), [local])
    assert.equal(poolsOf(await settle(50n)), [local])
  },
)

s('no gap is told of what samples bound, or of the best without them [20/gap]', async () => {
  for (const missingBps of [-1n, 0n, 2n, 50n]) {
    const route = await settle(missingBps)
    assert.ok(route && route.gapBps === undefined, `${missingBps} bps missing`)
  }
})

s.run()
