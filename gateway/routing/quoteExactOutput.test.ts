import type { Address } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import type { Route } from './engine/route.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import { type ExactOutputParameters, quoteExactOutput } from './quoteExactOutput.ts'
import { createRouteCache } from './routeCache.ts'
import type { RoutingChain } from './routingChain.ts'
import { createQuotedStand, local, quoted, tokenIn, tokenOut } from './testing/quotedStand.ts'
import { createTrustedStand, type PoolName } from './testing/trustedStand.ts'

const { chain: generated, market } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
const s = suite('exact outputs through quoters')

type Asked = {
  readonly missingBps: bigint
  readonly patience?: number
  readonly own?: Partial<ExactOutputParameters>
  readonly change?: (chain: RoutingChain) => Partial<RoutingChain>
}
/** Sells for one unit, and leaves once the chain has been asked so often. */
async function ask({ missingBps, patience = 100, own, change = () => ({}) }: Asked) {
  const stand = createQuotedStand(generated, { missingBps })
  const { asked } = stand
  const chain = { ...stand.chain, ...change(stand.chain) }
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
      ...own,
    },
  )
  return { outcome, asked: asked() }
}
const poolsOf = ({ outcome }: Awaited<ReturnType<typeof ask>>) =>
  outcome.status === 'ok' ? outcome.quote.steps.map(({ pool }) => pool) : outcome.status

s('stand against the pools whose maths is known where a quoter lies', async () => {
  assert.equal(poolsOf(await ask({ missingBps: 0n })), [quoted])
  assert.equal(poolsOf(await ask({ missingBps: 50n })), [local])
  // Which take three basis points, and a trace for what a trade moves.
  assert.equal(poolsOf(await ask({ missingBps: 3n })), [quoted])
  assert.equal(poolsOf(await ask({ missingBps: 4n })), [local])
})

s('weigh what gas costs where a quoter lies [teeth/exact-output]', async () => {
  const poolsAt = async (gasPriceWei: bigint) => {
    const change = ({ chainClient }: RoutingChain) => ({
      gasPriceWei: () => gasPriceWei,
      chainClient: { ...chainClient, chain: { ...chainClient.chain, wrappedNative: tokenIn } },
    })
    return poolsOf(await ask({ missingBps: 2n, change }))
  }
  // A quoter's pool takes 100,000 gas more, and a basis point less of what is sold.
  assert.equal(await poolsAt(500_000_000n), [quoted])
  assert.equal(await poolsAt(2_000_000_000n), [local])
})

s(
  'show what the chain says of the most, or the pools without it [teeth/exact-output]',
  async () => {
    const maxInput = 5n * 10n ** 17n
    const show = async (missingBps: bigint) => {
      const shown = await ask({ missingBps, own: { maxInput } })
      return [poolsOf(shown), shown.outcome.status === 'ok' && shown.outcome.quote.amountOut]
    }
    assert.equal(await show(50n), [[quoted], (maxInput * 9_950n) / 10_000n])
    const paid = maxInput * 999_700n
    assert.equal(await show(10_000n), [[local], (paid * 10n ** 24n) / (10n ** 30n + paid)])
  },
)

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

/** Each search there gives a little more than the one before, and too little, through a pool that no market has. */
function searchInVain(targetOutput: bigint, tokenBought: string) {
  const ways: string[] = []
  const searches = (async (search: () => Promise<Route | undefined>) => {
    const route = await search()
    const isBack = route?.steps[0]?.tokenIn === tokenBought.toLowerCase()
    ways.push(isBack ? 'back' : 'there')
    if (!route || isBack) return route
    const steps = route.steps.map((step) => ({ ...step, poolId: 'gone' }))
    return { ...route, amountOut: targetOutput - 1_000n + BigInt(ways.length), steps }
  }) as never
  return { ways, searches }
}
const there = (count: number) => Array.from({ length: count }, () => 'there')

s('search sixteen times, four of them without quoters [teeth/exact-output]', async () => {
  const own = { maxInput: 10n ** 30n }
  const both = searchInVain(10n ** 18n, tokenOut)
  const { searches } = both
  const { outcome } = await ask({ missingBps: 0n, own, change: () => ({ searches }) })
  assert.equal(
    [outcome.status, both.ways],
    ['no_route', ['back', ...there(11), 'back', ...there(3)]],
  )
  const plain = searchInVain(target, bought)
  assert.is((await reach(own, { searches: plain.searches })).status, 'no_route')
  assert.equal(plain.ways, ['back', ...there(15)])
})

const whole = 10n ** 18n
/** Wants 10^18 where strangers have a say in two of the pools. */
async function reachTrusted(
  change: (name: PoolName) => Partial<PairRecord>,
  own: Partial<ExactOutputParameters> = {},
) {
  const fresh = { ...generated, routes: createRouteCache() }
  const stand = createTrustedStand(fresh, { change, patienceMs: 60_000 })
  const { parameters } = stand.plan('known')
  const asked = { targetOutput: whole, maxInput: 1_000n * whole, executableOnly: false, ...own }
  const outcome = await quoteExactOutput(stand.deps, { ...parameters, ...asked })
  const quote = outcome.status === 'ok' ? outcome.quote : undefined
  return { outcome, quote, pool: stand.nameOf(quote), tried: stand.tried() }
}

s(
  'go through strangers for more than a basis point less, and no less [teeth/exact-output]',
  async () => {
    const through = async (taken: Partial<Record<PoolName, bigint>>) => {
      // A pool takes a millionth of what it has for what is wanted.
      const { pool, quote } = await reachTrusted((name) => ({
        feePips: 0,
        reserve0: (taken[name] ?? 10n ** 26n) * 10n ** 6n,
        reserve1: 10n ** 24n + whole,
      }))
      return [pool, quote?.amountIn]
    }
    const known = 10_001n * 10n ** 14n
    assert.equal(await through({ strange: whole, known }), ['known', known])
    assert.equal(await through({ strange: whole, known: known + 1n }), ['strange', whole])
  },
)

s('show no bait, and run nothing, beyond what the most brings [teeth/exact-output]', async () => {
  const beyond = { maxInput: whole / 2n, verify: true }
  const shown = await reachTrusted(() => ({}), beyond)
  assert.equal(
    [shown.pool, shown.quote?.readiness, shown.quote?.amountIn, shown.tried],
    ['known', 'target_unreachable', whole / 2n, []],
  )
  const isBait = (name: PoolName) => name.startsWith('strange')
  const empty = { reserve0: 0n, reserve1: 0n }
  const alone = await reachTrusted((name) => (isBait(name) ? {} : empty), beyond)
  assert.equal([alone.outcome, alone.tried], [{ status: 'no_route' }, []])
})

s('show nothing of a route where the most gives nothing [teeth/exact-output]', async () => {
  const dear = () => ({ reserve1: 9n * 10n ** 23n })
  const { quote, pool } = await reachTrusted(dear, { maxInput: 1n })
  if (!quote) throw new Error('it is answered all the same')
  const { amountIn, inputConsumed, amountOut, minAmountOut, gasEstimate } = quote
  assert.equal(
    [pool, amountIn, inputConsumed, amountOut, minAmountOut, gasEstimate],
    [undefined, 1n, 0n, 0n, 0n, 0n],
  )
  const { routePath, priceImpactBps, marketImpactBps, readiness, executable } = quote
  assert.equal(
    [routePath, priceImpactBps, marketImpactBps, readiness, executable],
    ['', 0, undefined, 'target_unreachable', false],
  )
  const { poolGrades, stepImpactsBps, areStepsQuoted, steps } = quote
  assert.equal([poolGrades, stepImpactsBps, areStepsQuoted, steps], [[], [], [], []])
})

s('go through no pool that the caller leaves out [teeth/exact-output]', async () => {
  const best = await quoteOf()
  const excludePools = best.steps.map(({ pool, poolId }) => (poolId ?? pool).toLowerCase())
  const other = await quoteOf({ options: { excludePools } })
  assert.ok(other.steps.length > 0 && other.amountIn >= best.amountIn)
  assert.not(other.steps.some(({ pool }) => excludePools.includes(pool.toLowerCase())))
})

s.run()
