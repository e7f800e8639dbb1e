import { type Address, getAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { encodeSteps } from './buildExecution.ts'
import { quote } from './quote.ts'
import type { QuoteParameters } from './quoteRequest.ts'
import { createRouteCache } from './routeCache.ts'
import { findRouteFacts } from './routeFacts.ts'
import type { RoutingChain } from './routingChain.ts'
import { createSyncedState } from './sync/syncedState.ts'
import { createTrustedStand, giving, type PoolName } from './testing/trustedStand.ts'

const s = suite('quote')
const { chain: generated, market } = createGeneratedChain({ pools: 60, tokens: 6, seed: 1 })
const [weth, bought] = [0, 3].map((at) => market.addresses[at]) as [Address, Address]
const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const amountIn = 10n ** 17n

function ask(own: Partial<QuoteParameters> = {}, change: Partial<RoutingChain> = {}) {
  const chain = { ...generated, ...change }
  return quote(
    {
      chains: new Map([[generated.chainId, chain]]),
      simulator: undefined,
      now: () => performance.now(),
      maxLagMs: 30_000,
    },
    {
      chainId: generated.chainId,
      tokenIn: weth,
      tokenOut: bought,
      amountIn,
      slippageBps: 50,
      ...own,
    },
  )
}
async function quoteOf(...asked: Parameters<typeof ask>) {
  const outcome = await ask(...asked)
  if (outcome.status !== 'ok') throw new Error(outcome.status)
  return outcome.quote
}

s('answers what the pools pay, less the slippage, to whoever asked [teeth/quotes]', async () => {
  const found = await quoteOf({ slippageBps: 125 })
  assert.equal([found.amountIn, found.inputConsumed], [amountIn, amountIn])
  assert.is(found.minAmountOut, (found.amountOut * 9_875n) / 10_000n)
  assert.equal([found.readiness, found.executable, found.source], ['ready', true, 'local'])
  assert.type(found.optimalityGapBps, 'number')
  assert.is((await quoteOf({ tokenIn: native })).execution?.value, amountIn)
  assert.is((await quoteOf()).execution?.value, 0n)
})
s(
  'offers the pools no more than they can count, and says what was asked [teeth/quotes]',
  async () => {
    const beyond = 1n << 200n
    assert.equal(await ask({ amountIn: beyond }), { status: 'no_route' })
    const found = await quoteOf({ amountIn: beyond, allowPartial: true })
    assert.is(found.amountIn, beyond)
    assert.ok(found.inputConsumed < 1n << 127n && found.amountOut > 0n)
    const usual = await quoteOf({ allowPartial: true })
    assert.equal([usual.amountIn, usual.inputConsumed], [amountIn, amountIn])
  },
)
s('has alternatives that share no pool, as many as were asked for [teeth/quotes]', async () => {
  const found = await quoteOf({ alternatives: 2 })
  const all = [found, ...(found.alternatives ?? [])]
  assert.ok(all.length > 1 && all.length <= 3)
  const pools = all.flatMap(({ steps }) => steps.map(({ pool }) => pool))
  assert.is(new Set(pools).size, pools.length)
  for (const other of found.alternatives ?? []) {
    assert.ok(other.amountOut <= found.amountOut)
    assert.is(other.optimalityGapBps, undefined)
  }
  assert.is((await quoteOf()).alternatives, undefined)
  // A wrap goes through no pool, and in no other way.
  const wrap = await quoteOf({ tokenIn: native, tokenOut: weth, alternatives: 2 })
  assert.equal([wrap.amountOut, wrap.steps, wrap.alternatives], [amountIn, [], []])
})
s('is none for nobody, and unavailable without its chain [teeth/quotes]', async () => {
  const nobody = '0x00000000000000000000000000000000000000aa'
  assert.equal(await ask({ tokenOut: nobody }), { status: 'no_route' })
  assert.equal(await ask({ chainId: 1 }), {
    status: 'unavailable',
    reason: 'the chain is not configured',
  })
  const sync = { ...generated.sync, fresh: async () => undefined }
  assert.equal(await ask({}, { sync }), {
    status: 'unavailable',
    reason: 'the chain has not been read yet',
  })
})
s('goes stale with its chain, and is none to send then [teeth/quotes]', async () => {
  const lagging = (ms: number) => ({ sync: { ...generated.sync, lagMs: () => ms } })
  // Older than the hints that are asked for, where nobody answers them.
  const stale = await quoteOf({}, lagging(30_001))
  assert.equal(
    [stale.readiness, stale.unexecutableReason, stale.executable, stale.execution],
    ['stale', 'stale_state', false, undefined],
  )
  assert.is((await quoteOf({}, lagging(1_000))).readiness, 'ready')
})
s('goes through strangers for more than a basis point, and no less [teeth/quotes]', async () => {
  const sold = 10n ** 18n
  const through = async (given: Partial<Record<PoolName, bigint>>) => {
    const change = giving(sold, given)
    const fresh = { ...generated, routes: createRouteCache() }
    const stand = createTrustedStand(fresh, { change, patienceMs: 60_000 })
    const outcome = await quote(stand.deps, stand.plan('strange').parameters)
    if (outcome.status !== 'ok') throw new Error(outcome.status)
    return [stand.nameOf(outcome.quote), outcome.quote.amountOut]
  }
  const known = 9_999n * 10n ** 14n
  assert.equal(await through({ strange: sold, known }), ['known', known])
  assert.equal(await through({ strange: sold, known: known - 1n }), ['strange', sold])
})

s('tells of each step what its pool and its swap are [teeth/route-facts]', () => {
  const state = generated.sync.current()
  if (!state) throw new Error('a generated chain is always read')
  const record = [...state.pools.values()].find(({ tokens }) => tokens.includes(weth))
  const [tokenIn = '', tokenOut = ''] = record?.tokens ?? []
  const step = { tokenIn, tokenOut, amountIn: 1_000n, amountOut: 2_000n, share: 1n << 64n }
  const poolId = record?.id ?? ''
  const route = {
    amountIn: 1_000n,
    amountOut: 2_000n,
    gas: 1,
    steps: [{ ...step, poolId, path: 3, shareBps: 7_000 }],
  }
  const extraTransferGas = (token: string) => (token === weth ? 10_000 : 0)
  const chain: RoutingChain = {
    ...generated,
    routes: createRouteCache(),
    taxes: { ...generated.taxes, extraTransferGas },
  }
  const find = (from = tokenIn, to = tokenOut) =>
    findRouteFacts({
      chain,
      state,
      route,
      tokenIn: from as Address,
      tokenOut: to as Address,
      amountOut: 2_000n,
    })
  const facts = find()
  assert.equal(facts.steps, [
    {
      protocol: record?.protocol,
      dex: record?.dex,
      pool: getAddress(poolId),
      tokenIn: getAddress(tokenIn),
      tokenOut: getAddress(tokenOut),
      feePips: record?.feePips,
      amountIn: 1_000n,
      amountOut: 2_000n,
      path: 3,
      shareBps: 7_000,
    },
  ])
  assert.is(facts.encodedSteps, encodeSteps({ route, pools: state.pools }))
  assert.equal([facts.hops.length, facts.impactsBps.length], [1, 1])
  assert.is(find().steps, facts.steps, 'described once')
  // Native currency moves without a transfer of the token.
  const unpaid = tokenIn === weth ? find(native) : find(tokenIn, native)
  assert.is(facts.gasEstimate - unpaid.gasEstimate, 6_500n)
  const lost = { ...route, steps: route.steps.map((each) => ({ ...each, poolId: 'gone' })) }
  const ends = { tokenIn: tokenIn as Address, tokenOut: tokenOut as Address }
  const none = findRouteFacts({ chain, state, route: lost, ...ends, amountOut: 2_000n })
  assert.equal([none.steps, none.hops], [[], []])
})

s('goes by fresh reads of its pools where its state is old [teeth/quotes]', async () => {
  const state = generated.sync.current()
  if (!state) throw new Error('a generated chain is always read')
  const { steps } = await quoteOf()
  const used = steps.map(({ pool, poolId }) => (poolId ?? pool).toLowerCase())
  const readAnew = (ids: readonly string[]) =>
    createSyncedState(
      { taxOf: () => 0 },
      {
        head: { ...state.head, number: 77n },
        records: [...state.pools.values()].filter(({ id }) => ids.includes(id)),
      },
    )
  const asked: string[][] = []
  const askAt = async (lagMs: number, ids: readonly string[]) => {
    const found = await quoteOf(
      {},
      {
        sync: { ...generated.sync, lagMs: () => lagMs },
        async hints(poolIds) {
          asked.push([...poolIds].sort())
          return readAnew(ids)
        },
      },
    )
    return [found.source, found.lastSyncBlock, typeof found.optimalityGapBps]
  }
  const { number } = state.head
  assert.equal(await askAt(3_000, used), ['local', number, 'number'])
  assert.equal(asked, [])
  assert.equal(await askAt(3_001, used), ['path_hint', 77n, 'undefined'])
  assert.equal(asked, [used.toSorted()])
  // Where nothing leads through what was read the old state is better than none.
  assert.equal(await askAt(3_001, []), ['local', number, 'number'])
})

s.run()
