import { type Address, zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import type { Route } from './engine/route.ts'
import { stepImpactBps } from './measureRoute.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { createRouteCache } from './routeCache.ts'
import { findRouteFacts } from './routeFacts.ts'
import type { RoutingChain } from './routingChain.ts'
import { advanceState, createSyncedState, type SyncedState } from './sync/syncedState.ts'
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

type Ends = Readonly<Record<'tokenIn' | 'tokenOut', string>>
const amounts = { amountIn: 10n ** 15n, amountOut: 2_900_000n }

/** One step through a pool, either way. */
function routeThrough({ id: poolId }: PoolRecord, { tokenIn, tokenOut }: Ends) {
  const inOf = (token: string) => (token === zeroAddress ? weth : token)
  const ends = { tokenIn: inOf(tokenIn), tokenOut: inOf(tokenOut) }
  const step = { poolId, ...ends, ...amounts, share: 1n << 64n, path: 0, shareBps: 10_000 }
  return { ...amounts, gas: 1, steps: [step] }
}

function describe(
  pool: PoolRecord,
  ends: Ends,
  change: Partial<RoutingChain> = {},
  {
    route = routeThrough(pool, ends),
    state: read = state,
  }: { readonly route?: Route; readonly state?: SyncedState } = {},
) {
  const { tokenIn, tokenOut } = ends
  const { chainClient } = generated
  const row = { ...chainClient.chain, wrappedNative: weth as Address }
  return findRouteFacts({
    chain: {
      ...generated,
      routes: createRouteCache(),
      chainClient: { ...chainClient, chain: row },
      ...change,
    },
    state: read,
    route,
    tokenIn: tokenIn as Address,
    tokenOut: tokenOut as Address,
    amountOut: amounts.amountOut,
  })
}
const sale = { tokenIn: weth, tokenOut: usdc }

s('names the pool within a contract of many, and no other [teeth/facts-of-routes]', () => {
  const [inContract] = describe(managed, sale).steps
  assert.equal([inContract?.pool, inContract?.poolId], [manager, id])
  const [alone] = describe(pair, sale).steps
  assert.equal([alone?.pool, alone && 'poolId' in alone], [pair.address, false])
})
s('says of each step which pool it is, and what it costs there [teeth/facts-of-routes]', () => {
  for (const pool of [pair, managed]) {
    const facts = describe(pool, sale)
    const [step] = routeThrough(pool, sale).steps
    assert.is(facts.hops[0]?.pool.id, pool.id)
    assert.equal(facts.impactsBps, [step && stepImpactBps(step, pool)])
  }
})
s('counts a transfer at both ends, but of native currency none [teeth/facts-of-routes]', () => {
  const extraTransferGas = (token: string) => (token === weth ? 10_000 : 1_000)
  const taxes = { ...generated.taxes, extraTransferGas }
  const gasOf = (ends: typeof sale, change?: Partial<RoutingChain>) =>
    Number(describe(pair, ends, change).gasEstimate)
  const back = { tokenIn: usdc, tokenOut: weth }
  for (const ends of [sale, back]) assert.is(gasOf(ends, { taxes }) - gasOf(ends), 14_300)
  const paid = { ...sale, tokenIn: zeroAddress }
  const received = { ...back, tokenOut: zeroAddress }
  assert.is(gasOf(sale, { taxes }) - gasOf(paid, { taxes }), 6_500)
  assert.is(gasOf(back, { taxes }) - gasOf(received, { taxes }), 6_500)
})
s(
  'stay with the steps of a route that stands; what other pools say does not [20/standing-facts]',
  () => {
    const deps = { taxOf: () => 0 }
    const alone = createSyncedState(deps, { head, records: [pair] })
    const beside = { ...against(weth, 60_000_000, 10_000), id: '0x02' }
    const later = advanceState(deps, { state: alone, head, changed: [beside] })
    const chain = { routes: createRouteCache() }
    const route = routeThrough(pair, sale)
    const first = describe(pair, sale, chain, { route, state: alone })
    const again = describe(pair, sale, chain, { route: { ...route, gapBps: 1 }, state: later })
    assert.is(again.encodedSteps, first.encodedSteps)
    assert.is(again.steps, first.steps)
    assert.not.equal(again.marketImpactBps, first.marketImpactBps)
    assert.is.not(describe(pair, sale, chain).steps, first.steps)
  },
)
s(
  'is named by its ends and by what was measured, since it hangs on those [teeth/facts-of-routes]',
  () => {
    const routes = createRouteCache()
    const variants = new Set<string>()
    const naming = {
      ...routes,
      facts(...[steps, variant, compute]: Parameters<typeof routes.facts>) {
        variants.add(variant)
        return routes.facts(steps, variant, compute)
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
