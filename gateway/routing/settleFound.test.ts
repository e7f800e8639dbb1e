import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import type { Route } from './engine/route.ts'
import type { SearchParameters } from './searchRoute.ts'
import { isAsBelieved, searchSettled, settleFound } from './settleFound.ts'
import { toLocalMarket } from './settleRoute.ts'
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

const whole = 10n ** 18n
const deps = { now: () => performance.now() }

/** A question on such a chain, and what is answered to it. */
function open(missingBps: bigint) {
  const { chain, state } = createQuotedStand(generated, { missingBps })
  const { market } = state
  const ends = { tokenIn, tokenOut, amountIn: whole }
  const asked = { chain, state, market, ...ends, mode: 'deep' } as const
  const search = async (own: Partial<SearchParameters> = {}) =>
    (await searchSettled(deps, { ...asked, ...own }))?.route
  return { asked, state, search }
}
const poolOf = (route: Route | undefined) => route?.steps.map(({ poolId }) => poolId).join()

s('what holds to a millionth is as believed [teeth/settle-found]', () => {
  const believed = 2n * 10n ** 6n
  assert.equal(
    [believed + 1n, believed, believed - 2n, believed - 3n].map((one) =>
      isAsBelieved(one, believed),
    ),
    [true, true, true, false],
  )
})

s(
  'a quoter that refuses leaves the others, one alone is taken at its word [teeth/settle-found]',
  async () => {
    assert.is(poolOf(await open(10_000n).search()), local)
    const { state, search } = open(50n)
    const alone = { options: { pools: state.pools, excludePools: [local] } }
    const route = await search(alone)
    assert.equal([poolOf(route), route?.amountOut], [quoted, (whole * 9_950n) / 10_000n])
    assert.is(await open(10_000n).search(alone), undefined)
    assert.is(await search({ tokenOut: `0x${'c'.repeat(40)}` }), undefined)
  },
)

s('a shortfall is weighed with what gas costs [teeth/settle-found]', async () => {
  const poolAt = async (gasPriceWei: bigint) => {
    const { asked, search } = open(2n)
    const { chainClient } = asked.chain
    const row = { ...chainClient.chain, wrappedNative: tokenOut }
    const dear = { gasPriceWei: () => gasPriceWei, chainClient: { ...chainClient, chain: row } }
    return poolOf(await search({ chain: { ...asked.chain, ...dear } }))
  }
  // A quoter's pool takes 100,000 gas more, and a basis point and a hundredth less.
  assert.is(await poolAt(1_000_000_000n), quoted)
  assert.is(await poolAt(1_020_000_000n), local)
})

s(
  'bait has the pools that are known stand against it, quoters among them [teeth/settle-found]',
  async () => {
    const gapWhere = async (isBait: boolean) => {
      const { asked, state, search } = open(50n)
      const trust = {
        ...asked.chain.trust,
        listDoubtful: () => (isBait ? [quoted] : []),
        ofKnown: () => toLocalMarket(state.market, state),
      }
      const route = await search({ chain: { ...asked.chain, trust } })
      return [poolOf(route), typeof route?.gapBps]
    }
    // Of all that is left then it is the best, and that is bounded.
    assert.equal(await gapWhere(true), [local, 'number'])
    assert.equal(await gapWhere(false), [local, 'undefined'])
  },
)

s('what sells more is better, whatever it brings [teeth/settle-found]', async () => {
  const { asked } = open(50n)
  const part = 95n * 10n ** 22n
  const amounts = { amountIn: part, amountOut: part }
  const step = { poolId: quoted, tokenIn, tokenOut, ...amounts, share: 1n << 64n }
  const route = { ...amounts, gas: 180_000, steps: [{ ...step, path: 0, shareBps: 10_000 }] }
  const amountIn = 10n ** 25n
  const found = await settleFound(deps, { ...asked, amountIn, route })
  assert.equal([poolOf(found?.route), found?.route.amountIn], [local, amountIn])
  assert.ok((found?.route.amountOut ?? part) < (part * 9_950n) / 10_000n)
})

s('what cannot be run here is as it was found [teeth/settle-found]', async () => {
  const step = { poolId: 'gone', tokenIn, tokenOut, amountIn: whole, amountOut: whole }
  const steps = [{ ...step, share: 1n << 64n, path: 0, shareBps: 10_000 }]
  const route = { amountIn: whole, amountOut: whole, gas: 1, steps }
  const found = await settleFound(deps, { ...open(0n).asked, route })
  assert.equal(found, { route, pools: [] })
})

s.run()
