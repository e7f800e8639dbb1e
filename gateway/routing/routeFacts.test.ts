import { type Address, zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { stepImpactBps } from './measureRoute.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { createRouteCache } from './routeCache.ts'
import { findRouteFacts } from './routeFacts.ts'
import type { RoutingChain } from './routingChain.ts'
import { createSyncedState } from './sync/syncedState.ts'
import { against, usdc, weth } from './testing/boundMarket.ts'
import { fakeAddress } from './testing/viewNode.ts'

const s = suite('what follows from a route')
const { chain: generated } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
const head = { number: 1n, hash: '0x1', parentHash: '0x0', timestampSecs: 1n } as const
const pair = against(weth, 3_000_000)
const id = `0x${'7'.repeat(64)}`
const manager = fakeAddress(1)
/** One of many within a contract. */
const managed = {
  ...pair,
  id,
  address: manager,
  protocol: 'uniswap_v4',
  key: { currency0: weth, currency1: usdc, fee: 500, tickSpacing: 10, hooks: zeroAddress },
  tickSpacing: 10,
  lpFeePips: 500,
  protocolFeePips: [0, 0],
  sqrtPriceX96: 1n << 96n,
  tick: 0,
  liquidity: 10n ** 24n,
  ticks: [],
} as unknown as PoolRecord
const state = createSyncedState({ taxOf: () => 0 }, { head, records: [pair, managed] })

/** Of one step through a pool, either way. */
function describe(
  { id: poolId }: PoolRecord,
  { tokenIn, tokenOut }: { readonly tokenIn: string; readonly tokenOut: string },
  change: Partial<RoutingChain> = {},
) {
  const inOf = (token: string) => (token === zeroAddress ? weth : token)
  const amounts = { amountIn: 10n ** 9n, amountOut: 10n ** 6n }
  const ends = { tokenIn: inOf(tokenIn), tokenOut: inOf(tokenOut) }
  const step = { poolId, ...ends, ...amounts, share: 1n << 64n, path: 0, shareBps: 10_000 }
  const { chainClient } = generated
  const row = { ...chainClient.chain, wrappedNative: weth as Address }
  const facts = findRouteFacts({
    chain: {
      ...generated,
      routes: createRouteCache(),
      chainClient: { ...chainClient, chain: row },
      ...change,
    },
    state,
    route: { ...amounts, gas: 1, steps: [step] },
    tokenIn: tokenIn as Address,
    tokenOut: tokenOut as Address,
    amountOut: amounts.amountOut,
  })
  return { facts, step }
}
const sale = { tokenIn: weth, tokenOut: usdc }

s('names the pool within a contract of many, and no other [teeth/facts-of-routes]', () => {
  const [inContract] = describe(managed, sale).facts.steps
  assert.equal([inContract?.pool, inContract?.poolId], [manager, id])
  const [alone] = describe(pair, sale).facts.steps
  assert.equal([alone?.pool, alone && 'poolId' in alone], [pair.address, false])
})
s('says of each step which pool it is, and what it costs there [teeth/facts-of-routes]', () => {
  for (const pool of [pair, managed]) {
    const { facts, step } = describe(pool, sale)
    assert.is(facts.hops[0]?.pool.id, pool.id)
    assert.equal(facts.impactsBps, [stepImpactBps(step, pool)])
  }
})
s('counts a transfer at both ends, but of native currency none [teeth/facts-of-routes]', () => {
  const extraTransferGas = (token: string) => (token === weth ? 10_000 : 1_000)
  const taxes = { ...generated.taxes, extraTransferGas }
  const gasOf = (ends: typeof sale, change?: Partial<RoutingChain>) =>
    Number(describe(pair, ends, change).facts.gasEstimate)
  const back = { tokenIn: usdc, tokenOut: weth }
  for (const ends of [sale, back]) assert.is(gasOf(ends, { taxes }) - gasOf(ends), 14_300)
  const paid = { ...sale, tokenIn: zeroAddress }
  const received = { ...back, tokenOut: zeroAddress }
  assert.is(gasOf(sale, { taxes }) - gasOf(paid, { taxes }), 6_500)
  assert.is(gasOf(back, { taxes }) - gasOf(received, { taxes }), 6_500)
})
s(
  'is named by its ends and by what was measured, since it hangs on those [teeth/facts-of-routes]',
  () => {
    const routes = createRouteCache()
    const variants = new Set<string>()
    const naming = {
      ...routes,
      facts(...[route, variant, compute]: Parameters<typeof routes.facts>) {
        variants.add(variant)
        return routes.facts(route, variant, compute)
      },
    }
    const ask = (measured: number, tokenIn = weth) => {
      const taxes = { ...generated.taxes, measured: () => measured }
      describe(pair, { ...sale, tokenIn }, { routes: naming, taxes })
      return variants.size
    }
    assert.equal([ask(0), ask(0), ask(1), ask(1, zeroAddress)], [1, 1, 2, 3])
  },
)
s.run()
