import type { Address } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { lessBps } from '../amounts/amounts.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import type { HotQuestion, HotQuestions } from './hotQuestions.ts'
import { planAhead, planRoute } from './planRoute.ts'
import type { QuoteParameters } from './quoteRequest.ts'
import { createRouteCache } from './routeCache.ts'
import { routeLegs } from './routeLegs.ts'
import type { RoutingChain } from './routingChain.ts'
import { mostAttempts } from './searchRoute.ts'
import { createQuotedStand, tokenIn, tokenOut } from './testing/quotedStand.ts'
import type { Choice } from './trust/trust.ts'

const s = suite('plans of routes')
const { chain: generated, market: made } = createGeneratedChain({ pools: 60, tokens: 6, seed: 1 })
const [weth, one, other] = [0, 3, 4].map((at) => made.addresses[at]) as [Address, Address, Address]
const known = generated.sync.current()
if (!known) throw new Error('a generated chain is always read')
const state = known
const deps = { now: () => performance.now() }
const amountIn = 10n ** 18n

function createStand(change: Partial<RoutingChain> = {}) {
  let searched = 0
  const noted: string[] = []
  const searches: RoutingChain['searches'] = (search, asking) => {
    searched += 1
    return generated.searches(search, asking)
  }
  const hot = {
    note: (_: HotQuestion, site: string) => void noted.push(site),
  } as unknown as HotQuestions
  const chain: RoutingChain = { ...generated, routes: createRouteCache(), searches, hot, ...change }
  const plan = (own: Partial<QuoteParameters> = {}, choice?: Choice) =>
    planRoute(deps, {
      chain,
      state,
      choice,
      parameters: {
        chainId: chain.chainId,
        tokenIn: one,
        tokenOut: weth,
        amountIn,
        slippageBps: 50,
        ...own,
      },
    })
  const ahead = () =>
    planAhead(deps, {
      chain,
      state,
      question: { tokenIn: one, tokenOut: weth, amountIn } as HotQuestion,
    })
  return { chain, plan, ahead, noted, searched: () => searched }
}

s(
  'are searched once for a question of a state, and anew for another [teeth/route-plans]',
  async () => {
    const { plan, searched } = createStand()
    const route = await plan()
    assert.ok(route && route.amountOut > 0n)
    assert.is(await plan(), route)
    assert.is(await plan({ slippageBps: 7, taker: other }), route, 'whoever asks, and for whom')
    assert.is(searched(), 1)
    const others: readonly Partial<QuoteParameters>[] = [
      { amountIn: amountIn + 1n },
      { tokenIn: other },
      { tokenOut: other },
      { mode: 'ultra' },
      { options: { maxSteps: 3 } },
      { options: { maxSteps: 4 } },
    ]
    for (const [index, asked] of others.entries()) {
      assert.ok(await plan(asked))
      assert.is(searched(), index + 2)
    }
  },
)
s('are made anew where gas costs more, though no pool has changed [20/plans-gas]', async () => {
  let gasPriceWei = 0n
  const { plan, searched } = createStand({ gasPriceWei: () => gasPriceWei })
  const free = await plan()
  gasPriceWei = 10n ** 12n
  const dear = await plan()
  // Its pool takes less gas.
  assert.ok(free && dear && dear.gas < free.gas && dear.amountOut < free.amountOut)
  assert.is(searched(), 2)
  // Whoever names a price asks the same whatever gas costs now.
  const named = { options: { gasPriceWei: 7n } }
  const own = await plan(named)
  gasPriceWei = 0n
  assert.equal([await plan(), await plan(named), searched()], [free, own, 3])
})
s('through fewer pools are other plans, and bound nothing [teeth/route-plans]', async () => {
  const { plan, searched } = createStand()
  const route = await plan()
  assert.type(route?.gapBps, 'number')
  const [{ poolId: used = '' } = {}] = route?.steps ?? []
  const without = await plan({}, { kind: 'without', ids: [used] })
  assert.ok(without?.steps.every(({ poolId }) => poolId !== used))
  assert.is(without?.gapBps, undefined)
  const trusted = await plan({}, { kind: 'known' })
  assert.equal([trusted?.amountOut, trusted?.gapBps], [route?.amountOut, undefined])
  assert.is(searched(), 3)
})
s('stand though a pool that has no part in them comes to rest [20/standing-rests]', async () => {
  let version = 0
  const trust = { ...generated.trust, nameChoice: () => String(version) }
  const { plan, searched } = createStand({ trust })
  const route = await plan()
  version += 1
  assert.equal([(await plan())?.amountOut, searched()], [route?.amountOut, 1])
})
s(
  'are noted where anybody may ask the same, by where they are asked from [teeth/route-plans]',
  async () => {
    const { plan, noted } = createStand()
    await plan({ asker: { caller: 'me', site: 'here' } })
    await plan({ asker: { caller: 'me' } })
    await plan()
    await plan({ options: { maxSteps: 3 } })
    await plan({}, { kind: 'known' })
    assert.equal(noted, ['here', 'me', ''])
  },
)
s('sell what arrives of a taxed token [teeth/route-plans]', async () => {
  const get = (token: string) => (token === one.toLowerCase() ? 300 : 0)
  const { plan } = createStand({ taxes: { ...generated.taxes, get } })
  assert.is((await plan())?.amountIn, lessBps(amountIn, 300))
  assert.is((await plan({ tokenIn: other }))?.amountIn, amountIn)
})
s('sell all, or a part where the caller allows that [teeth/route-plans]', async () => {
  const { plan } = createStand()
  const all = 1n << 126n
  assert.is(await plan({ amountIn: all }), undefined)
  const part = await plan({ amountIn: all, allowPartial: true })
  assert.ok(part && part.amountIn < all && part.amountOut > 0n)
})
s('are searched ahead of anybody, and not again [teeth/route-plans]', async () => {
  const { plan, ahead, searched } = createStand()
  await ahead()
  await ahead()
  assert.is(searched(), 1)
  await plan()
  assert.is(searched(), 1)
  // Where somebody unknown has a say the best without is needed, too.
  const listDoubtful = () => ['anybody']
  const strange = createStand({ trust: { ...generated.trust, listDoubtful } })
  await strange.ahead()
  assert.is(strange.searched(), 2)
  await strange.plan({}, { kind: 'known' })
  assert.is(strange.searched(), 2)
})

const leg = (tokenIn: Address, amount = amountIn) => ({
  tokenIn: tokenIn.toLowerCase(),
  tokenOut: weth.toLowerCase(),
  amountIn: amount,
})
const route = (chain: RoutingChain, legs: readonly ReturnType<typeof leg>[]) =>
  routeLegs(deps, { chain, mode: 'deep', state, legs, options: undefined, asker: undefined })

s('of legs run on the pools as those before leave them [teeth/legs]', async () => {
  const { chain } = createStand()
  const large = 10n ** 20n
  const [first, second, third] = await route(chain, [leg(one, large), leg(one, large), leg(other)])
  const [alone] = await route(chain, [leg(one, large)])
  assert.is(first?.route.amountOut, alone?.route.amountOut)
  assert.ok((second?.route.amountOut ?? 0n) < (first?.route.amountOut ?? 0n))
  assert.ok((third?.route.amountOut ?? 0n) > 0n)
  assert.is(first?.state.market, state.market)
  assert.not(second?.state.market === state.market)
  assert.equal([first?.source, second?.source], [undefined, undefined])
})
s('of legs that sell nothing, or not all, take nothing from the next [teeth/legs]', async () => {
  const { chain } = createStand()
  const nobody: Address = '0x00000000000000000000000000000000000000aa'
  const legs = [leg(nobody), leg(one, 1n << 126n), leg(one)]
  const [none, part, last] = await route(chain, legs)
  assert.equal([none, part], [undefined, undefined])
  const [alone] = await route(chain, [leg(one)])
  assert.is(last?.route.amountOut, alone?.route.amountOut)
})
s('of legs are made again while pools refuse, and of none at last [teeth/legs]', async () => {
  let refusals = 2
  const hasRefusing = async () => {
    refusals -= 1
    return refusals >= 0
  }
  const probes = { usable: (each: typeof state.market) => each, hasRefusing } as never
  const some = createStand({ probes })
  assert.ok((await route(some.chain, [leg(one)]))[0])
  assert.is(some.searched(), 3)
  refusals = 1_000
  const never = createStand({ probes })
  assert.equal(await route(never.chain, [leg(one), leg(other)]), [undefined, undefined])
  assert.is(never.searched(), 2 * mostAttempts)
})

s('through quoted pools are asked of the chain once for a block [teeth/route-plans]', async () => {
  const stand = createQuotedStand(generated, { missingBps: 2n })
  const chain = { ...stand.chain, routes: createRouteCache() }
  const plan = (of = stand.state) =>
    planRoute(deps, {
      chain,
      state: of,
      parameters: { chainId: chain.chainId, tokenIn, tokenOut, amountIn, slippageBps: 50 },
    })
  const route = await plan()
  assert.is(route?.amountOut, lessBps(amountIn, 2))
  assert.is(await plan(), route)
  assert.is(stand.asked(), 1)
  // The same pools, though a quoter may tell otherwise of them.
  const { head } = stand.state
  await plan({ ...stand.state, head: { ...head, hash: '0x2' } })
  assert.is(stand.asked(), 2)
})

s.run()
