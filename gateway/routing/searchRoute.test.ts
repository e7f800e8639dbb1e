import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import type { FallenRoute } from './engine/fallenRoute.ts'
import { createMarket, poolOf, updateMarket } from './engine/market.ts'
import { nativePrices } from './engine/nativePrice.ts'
import { each } from './engine/pieces.ts'
import type { PoolProbes } from './poolProbes.ts'
import { familyOf } from './protocols/families.ts'
import { createRouteCache } from './routeCache.ts'
import type { RoutingChain } from './routingChain.ts'
import { type Asking, createSearchQueue, type SearchQueue } from './searchQueue.ts'
import {
  gasPriceIn,
  mostAttempts,
  type SearchParameters,
  searchLimits,
  searchRoute,
} from './searchRoute.ts'
import type { ThreadQuestion } from './threads/searchThreads.ts'

const s = suite('searchRoute')
const { chain: generated, market: made } = createGeneratedChain({ pools: 120, tokens: 6, seed: 3 })
const [weth = '', usdc = '', tokenOut = ''] = made.addresses
const state = generated.sync.current()
if (!state) throw new Error('a generated chain is always read')
const { market } = state

type Change = Partial<RoutingChain> & {
  readonly gasCap?: bigint | undefined
  readonly now?: (() => number) | undefined
}

/** Searches, and counts them. */
function createStand({ gasCap, now = () => performance.now(), ...change }: Change = {}) {
  const deps = { now }
  const turns: Asking[] = []
  const searches: SearchQueue = (search, asking) => {
    turns.push(asking)
    return generated.searches(search, asking)
  }
  const { chainClient } = generated
  const chain: RoutingChain = {
    ...generated,
    routes: createRouteCache(),
    searches,
    chainClient: {
      ...chainClient,
      chain: { ...chainClient.chain, transactionGasCap: gasCap },
    },
    ...change,
  }
  const search = (own: Partial<SearchParameters> = {}) =>
    searchRoute(deps, {
      chain,
      market,
      tokenIn: weth,
      tokenOut,
      amountIn: 10n ** 20n,
      mode: 'deep',
      ...own,
    })
  return { chain, search, turns }
}
const probesThat = (own: Partial<PoolProbes>): PoolProbes => ({
  usable: (each) => each,
  hasRefusing: async () => false,
  verdictOf: () => undefined,
  doubt: () => undefined,
  ...own,
})

s('a token is itself for nothing, and nobody searches [teeth/search-route]', async () => {
  const { search, turns } = createStand()
  assert.equal(await search({ tokenOut: weth }), {
    amountIn: 10n ** 20n,
    amountOut: 10n ** 20n,
    gas: 0,
    steps: [],
  })
  assert.equal(turns, [])
})

s('is searched again while pools refuse, eight times at most [teeth/search-route]', async () => {
  let refusals = 3
  const hasRefusing = async () => {
    refusals -= 1
    return refusals >= 0
  }
  const some = createStand({ probes: probesThat({ hasRefusing }) })
  assert.ok(await some.search())
  assert.is(some.turns.length, 4)
  refusals = 100
  const many = createStand({ probes: probesThat({ hasRefusing }) })
  assert.is(await many.search(), undefined)
  assert.equal([many.turns.length, mostAttempts], [8, 8])
})

s('goes through what swaps alone [teeth/search-route]', async () => {
  const none = createMarket([])
  const [whole, empty] = [
    createStand(),
    createStand({ probes: probesThat({ usable: () => none }) }),
  ]
  assert.ok(await whole.search())
  assert.is(await empty.search(), undefined)
})

s('has no more steps than a transaction has gas for [teeth/search-route]', async () => {
  const free = createStand()
  const route = await free.search()
  const steps = route?.steps.length ?? 0
  assert.ok(steps > 8, `${steps} steps`)
  // Half as many as were found, each time, until it fits.
  const bound = createStand({ gasCap: 700_000n })
  const fitting = await bound.search()
  assert.ok(fitting && fitting.steps.length <= steps / 2, `${fitting?.steps.length} of ${steps}`)
  assert.ok(bound.turns.length > 1)
  assert.ok((fitting?.amountOut ?? 0n) < (route?.amountOut ?? 0n))
  const shut = createStand({ gasCap: 60_000n })
  assert.is(await shut.search(), undefined)
})

s('keeps to the limits of its mode and to those of its caller [teeth/search-route]', async () => {
  const { search } = createStand()
  const options = { pools: state.pools }
  const one = await search({ options: { ...options, maxSteps: 1 } })
  assert.is(one?.steps.length, 1)
  const single = await search({ options: { ...options, singlePath: true } })
  assert.ok(single?.steps.every(({ shareBps }) => shareBps === 10_000))
  const direct = await search({ options: { ...options, maxHops: 1 } })
  assert.ok(direct?.steps.every((step) => step.tokenIn === weth && step.tokenOut === tokenOut))
  // What is asked for above them is not done.
  const most = await search({ options: { ...options, maxHops: 99, maxSteps: 9_999 } })
  assert.equal(most?.amountOut, (await search())?.amountOut)
  assert.equal(
    [searchLimits.deep.maxHops, searchLimits.deep.maxSteps, searchLimits.ultra.maxHops],
    [3, 96, 4],
  )
})

s('stands in the line of its asker, for its chain [teeth/search-route]', async () => {
  const { search, turns } = createStand()
  await search({ asker: { caller: 'me', isPaying: true } })
  assert.equal(turns, [{ caller: 'me', isPaying: true, chainId: 8453, others: undefined }])
})

s('asks nobody twice for what still stands, if it has a name [teeth/search-route]', async () => {
  const { search, turns } = createStand()
  const first = await search({ key: 'question' })
  const again = await search({ key: 'question' })
  assert.equal([turns.length, again?.amountOut], [1, first?.amountOut])
  await search()
  await search({ key: 'other' })
  assert.is(turns.length, 3)
})

s('reckons the gas of what stands once, until taxes are measured [20/gas-once]', async () => {
  let [measured, reckoned] = [0, 0]
  const extraTransferGas = () => {
    reckoned += 1
    return 0
  }
  const taxes = { ...generated.taxes, measured: () => measured, extraTransferGas }
  const { search } = createStand({ gasCap: 2n ** 24n, taxes })
  await search({ key: 'question' })
  const once = reckoned
  assert.ok(once > 0)
  await search({ key: 'question' })
  assert.is(reckoned, once)
  measured = 1
  await search({ key: 'question' })
  assert.is(reckoned, 2 * once)
})

s(
  'holds what still stands against what gas costs now in what is bought [20/standing-native]',
  async () => {
    const told: number[] = []
    const routes = createRouteCache()
    const recall = (_: unknown, __: string, gasPrice: number) => void told.push(gasPrice)
    const gasPriceWei = () => 5n
    const { chain, search } = createStand({
      routes: { ...routes, standing: { ...routes.standing, recall } },
      gasPriceWei,
    })
    await search({ key: 'question' })
    const gasPrice = gasPriceIn(chain, { market, token: tokenOut })
    assert.ok(gasPrice > 0)
    assert.equal(told, [gasPrice])
  },
)

s(
  'begins with the route that fell, which stands on where it is found again [20/search-fallen]',
  async () => {
    const routes = createRouteCache()
    const told: (FallenRoute | undefined)[] = []
    const threads: NonNullable<RoutingChain['threads']> = {
      async find({ parameters }: ThreadQuestion) {
        const { fallen } = parameters
        told.push(fallen)
        return fallen && { route: fallen.route, isHeld: true }
      },
    } as never
    const { search } = createStand({ routes, threads })
    const first = await search({ key: 'question' })
    const beside = first?.steps.flatMap(({ poolId }) => {
      const pool = poolOf(market, poolId)
      return pool ? [{ ...pool, id: `beside ${poolId}` }] : []
    })
    const later = updateMarket(market, beside ?? [])
    const second = await search({ key: 'question', market: later })
    assert.equal([told.length, told[0]], [2, undefined])
    assert.is(told[1]?.hasMoved, false)
    assert.equal(
      told[1]?.route.steps.map(({ poolId }) => poolId),
      first?.steps.map(({ poolId }) => poolId),
    )
    assert.equal(second, told[1]?.route)
    assert.equal((await search({ key: 'question', market: later }))?.steps, second?.steps)
    assert.is(told.length, 2)
  },
)

s(
  'keeps what it finds though a pool refuses, and it is found twice [attack/kept-twice]',
  async () => {
    const { search, turns } = createStand()
    const best = await search()
    const liars = best?.steps.flatMap(({ poolId }) => {
      const pool = poolOf(market, poolId)
      return pool ? [{ ...pool, id: `liar ${poolId}`, swap: () => undefined }] : []
    })
    const later = updateMarket(market, liars ?? [])
    const asked = { key: 'question', market: later }
    const first = await search(asked)
    const searched = turns.length
    assert.equal((await search(asked))?.steps, first?.steps)
    assert.is(turns.length, searched)
  },
)

s(
  'asks a thread where one is free, and never one for a narrowed market [teeth/search-route]',
  async () => {
    const answer = { amountIn: 1n, amountOut: 7n, gas: 1, steps: [] }
    const asked: unknown[] = []
    const threads: NonNullable<RoutingChain['threads']> = {
      async find({ name, isCertified }: { readonly name: string; readonly isCertified: boolean }) {
        asked.push([name, isCertified])
        return { route: answer }
      },
      lost: () => 0,
    } as never
    const { search } = createStand({ threads })
    assert.equal(await search(), answer)
    const narrowed = await search({ options: { pools: state.pools, excludeDexes: ['uniswap-v3'] } })
    assert.equal([asked, narrowed?.amountOut === 7n], [[['8453', false]], false])
    // What is kept has to be known for the best.
    await search({ key: 'kept' })
    assert.equal(asked.at(-1), ['8453', true])
    const busy = createStand({ threads: { ...threads, find: async () => undefined } })
    assert.ok(((await busy.search())?.amountOut ?? 0n) > 7n, 'the loop searches where none is')
  },
)

s('has as much time in the loop however many search beside it [attack/loop-alone]', async () => {
  const clock = { ms: 0, swapMs: 0 }
  let swaps = 0
  const slow = [...each(market.pools)].map((pool) => ({
    ...pool,
    swap(...offered: Parameters<typeof pool.swap>) {
      swaps += 1
      clock.ms += clock.swapMs
      // Longer than a slice: others would have the next one.
      for (const untilMs = performance.now() + 3; performance.now() < untilMs; );
      return pool.swap(...offered)
    },
  }))
  const searches = createSearchQueue({ atOnce: 4 })
  const { search } = createStand({ searches, now: () => clock.ms })
  const asked = { market: updateMarket(market, slow) }
  const alone = await search(asked)
  assert.ok((alone?.steps.length ?? 0) > 1)
  // Half of the time, by itself.
  clock.swapMs = searchLimits.deep.deadlineMs / 2 / swaps
  assert.equal(await search(asked), alone)
  const together = await Promise.all(Array.from({ length: 4 }, () => search(asked)))
  assert.equal(together, Array(4).fill(alone))
})

s('tells a thread what is asked, within the limits of the mode [teeth/search-route]', async () => {
  const told: object[] = []
  const threads = {
    async find({ parameters }: { readonly parameters: object }) {
      told.push(parameters)
      return { route: undefined }
    },
  } as never
  const { search } = createStand({ threads, gasPriceWei: () => 5n })
  const { pools } = state
  const less = { maxHops: 2, maxSteps: 7, singlePath: true, gasPriceWei: 6n }
  assert.is(await search(), undefined)
  await search({ mode: 'ultra', options: { pools, ...less } })
  await search({ options: { pools, maxHops: 9, maxSteps: 999 } })
  const { deep, ultra } = searchLimits
  const ends = { tokenIn: weth, tokenOut, amountIn: 10n ** 20n, nativeToken: weth.toLowerCase() }
  const usual = {
    ...ends,
    ...deep,
    mostHops: undefined,
    singlePath: undefined,
    gasPriceWei: 5n,
    fallen: undefined,
  }
  assert.equal(told, [
    usual,
    { ...ends, ...ultra, ...less, mostHops: 2, fallen: undefined },
    { ...usual, mostHops: 9 },
  ])
})

s('looks with half as many steps as were too many, down to one [teeth/search-route]', async () => {
  const record = [...state.pools.values()].find(({ tokens }) => tokens.includes(weth))
  if (!record) throw new Error('some pool trades it')
  const [from = '', to = ''] = record.tokens
  const ends = { poolId: record.id, tokenIn: from, tokenOut: to, amountIn: 1n, amountOut: 1n }
  const step = { ...ends, share: 1n << 64n, path: 0, shareBps: 10_000 }
  const look = async ({ gasCap, amountOut = 1n }: { gasCap: bigint; amountOut?: bigint }) => {
    const asked: number[] = []
    const threads = {
      async find({ parameters: { maxSteps } }: { parameters: { maxSteps: number } }) {
        asked.push(maxSteps)
        const steps = Array.from({ length: Math.min(maxSteps, 11) }, () => step)
        return asked.length < 9 ? { route: { amountIn: 1n, amountOut, gas: 1, steps } } : {}
      },
    } as never
    const route = await createStand({ gasCap, threads }).search()
    return { asked, steps: route?.steps.length }
  }
  const gas = 55_000 + 2 * 4_400 + familyOf(record).stepGas(record, 0)
  const least = (BigInt(gas) * 11n + 9n) / 10n
  assert.equal(await look({ gasCap: least }), { asked: [96, 5, 2, 1], steps: 1 })
  assert.equal(await look({ gasCap: least - 1n }), { asked: [96, 5, 2, 1], steps: undefined })
  // Nothing that arrives is no route, and one unit is one.
  assert.equal(await look({ gasCap: least, amountOut: 0n }), { asked: [96], steps: undefined })
  assert.equal(await look({ gasCap: 1n << 40n }), { asked: [96], steps: 11 })
})

s('tells what a unit of gas is worth of a token [teeth/search-route]', () => {
  const { chain } = createStand({ gasPriceWei: () => 5n })
  const index = market.tokenIndex.get(usdc) ?? -1
  const price = nativePrices(market, weth)[index] ?? 0
  assert.ok(price > 0)
  const { pools } = state
  assert.is(gasPriceIn(chain, { market, token: usdc }), price * 5)
  assert.is(
    gasPriceIn(chain, { market, token: usdc, options: { pools, gasPriceWei: 7n } }),
    price * 7,
  )
  assert.is(gasPriceIn(chain, { market, token: usdc, options: { pools, gasPriceWei: 0n } }), 0)
  assert.is(gasPriceIn(chain, { market, token: 'nobody' }), 0)
  assert.is(gasPriceIn(chain, { market, token: weth }), 5)
})
s.run()
