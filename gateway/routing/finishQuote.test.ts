import { type Address, decodeFunctionData, getAddress, type Hex, zeroAddress } from 'viem'
import { swapExecutor } from '../../contracts/artifacts.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { CandidateResult, Simulator } from '../../simulator/simulator.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { finishQuote } from './finishQuote.ts'
import type { PoolProbes } from './poolProbes.ts'
import type { QuoteSource } from './prepareState.ts'
import { quote } from './quote.ts'
import type { QuoteParameters } from './quoteRequest.ts'
import { createRouteCache, type RouteCache } from './routeCache.ts'
import { changePools } from './sync/followedPools.ts'
import { createQuotedStand, local, quoted } from './testing/quotedStand.ts'
import { createTrustedStand, type TrustedStandOptions } from './testing/trustedStand.ts'
import { fakeAddress } from './testing/viewNode.ts'
import { createTrust } from './trust/trust.ts'

const s = suite('finishQuote')
const { chain, market } = createGeneratedChain({ pools: 20, tokens: 6, seed: 1 })
const [tokenIn, tokenOut] = market.addresses as [Address, Address]
const nowSecs = () => BigInt(Math.floor(Date.now() / 1_000))

type Change = {
  readonly aheadSecs?: bigint
  readonly taxBps?: number
  readonly amountIn?: bigint
  readonly gasCap?: bigint
  readonly routes?: RouteCache
}

/** A quote, and what its payload tells the executor. */
async function ask({
  aheadSecs = 0n,
  taxBps = 0,
  amountIn = 10n ** 15n,
  gasCap,
  routes = createRouteCache(),
}: Change) {
  const state = await chain.sync.fresh()
  if (!state) throw new Error('a generated chain is always read')
  const head = { ...state.head, timestampSecs: nowSecs() + aheadSecs }
  // As after a block that changed something, though not the market of the question.
  const pools = changePools(state.pools, { changed: [], gone: [] })
  const sync = { ...chain.sync, fresh: async () => ({ ...state, head, pools }) }
  const get = (token: string) => (token.toLowerCase() === tokenIn.toLowerCase() ? taxBps : 0)
  const { chainClient } = chain
  const row = { ...chainClient.chain, transactionGasCap: gasCap }
  const changed = {
    ...chain,
    sync,
    chainClient: { ...chainClient, chain: row },
    routes,
    taxes: { ...chain.taxes, get },
  }
  const outcome = await quote(
    {
      chains: new Map([[chain.chainId, changed]]),
      simulator: undefined,
      now: () => performance.now(),
      maxLagMs: 30_000,
    },
    { chainId: chain.chainId, tokenIn, tokenOut, amountIn, slippageBps: 50, allowPartial: true },
  )
  if (outcome.status !== 'ok' || !outcome.quote.execution) throw new Error(outcome.status)
  const swap = readSwap(outcome.quote.execution.data)
  return { quote: outcome.quote, swap, headSecs: head.timestampSecs }
}

function readSwap(data: Hex) {
  const { functionName, args } = decodeFunctionData({ abi: swapExecutor.abi, data })
  if (functionName !== 'swap') throw new Error(functionName)
  return args[0]
}

s(
  "can be sent for 20 minutes, by the chain's clock where that runs ahead of ours [routing/deadline]",
  async () => {
    const before = nowSecs()
    const { deadline } = (await ask({ aheadSecs: -3_600n })).swap
    assert.ok(deadline >= before + 1_200n && deadline <= nowSecs() + 1_200n, `${deadline}`)
    const ahead = await ask({ aheadSecs: 3_600n })
    assert.is(ahead.swap.deadline, ahead.headSecs + 1_200n)
  },
)

s('spends of a taxed token what lets as much arrive as the pools take', async () => {
  const amountIn = 2n ** 126n
  const { quote, swap } = await ask({ taxBps: 300, amountIn })
  const taken = quote.steps
    .filter((step) => step.tokenIn.toLowerCase() === tokenIn.toLowerCase())
    .reduce((sum, step) => sum + step.amountIn, 0n)
  const { inputConsumed } = quote
  assert.ok(taken > 0n && inputConsumed < amountIn, `${inputConsumed}`)
  assert.is(inputConsumed - (inputConsumed * 300n) / 10_000n, taken)
  assert.is(swap.amountIn, inputConsumed)
})

s('quotes no route that no transaction has the gas for [21/gas-cap]', async () => {
  const amountIn = 10n ** 24n
  const free = (await ask({ amountIn })).quote
  assert.ok(free.steps.length >= 4, `${free.steps.length} steps`)
  const gasCap = (free.gasEstimate * 11n) / 20n
  const { quote } = await ask({ amountIn, gasCap })
  assert.ok(quote.gasEstimate * 11n <= gasCap * 10n, `${quote.gasEstimate} under ${gasCap}`)
  const refusal = await ask({ amountIn, gasCap: 60_000n }).catch(({ message }) => message)
  assert.is(refusal, 'no_route')
})

s(
  'quotes none of an earlier block either, whatever the best was then [21/gas-cap-standing]',
  async () => {
    const amountIn = 10n ** 24n
    const routes = createRouteCache()
    const free = (await ask({ amountIn, routes })).quote
    const gasCap = (free.gasEstimate * 11n) / 20n
    const { quote } = await ask({ amountIn, gasCap, routes })
    assert.ok(quote.gasEstimate * 11n <= gasCap * 10n, `${quote.gasEstimate} under ${gasCap}`)
  },
)

const blocked = getAddress('0x00000000000000000000000000000000000b10c0')
const blockSecs = 2

/** The executor over pools that give so many units less than was promised. */
function createExecutorOver({ lessBy }: { readonly lessBy: bigint }) {
  let promised = 0n
  const run: Simulator['simulateCandidates'] = async ({ candidates }) => ({
    blockNumber: 1n,
    blockHash: '0x',
    results: candidates.map(({ data, taker, disguise }): CandidateResult => {
      const { minAmountOut, deadline, recipient } = readSwap(data)
      const delivered = promised - lessBy
      const paid = recipient === zeroAddress ? taker : recipient
      const isLate = deadline < nowSecs() + BigInt((disguise?.blocksAhead ?? 0) * blockSecs)
      if (isLate || paid === blocked || delivered < minAmountOut)
        return { status: 'simulation_failed', reason: 'it reverted' }
      return { status: 'ok', amountOut: delivered, gasUsed: 1n }
    }),
  })
  const promise = (amountOut: bigint) => {
    promised = amountOut
  }
  return { simulator: { simulateCandidates: run } as Simulator, promise }
}

const trustAnybody = createTrust({ chainId: chain.chainId, now: () => performance.now() })

/** How a quote through a pool of unknown code ends, and which pools rest by it. */
async function askUnknown(
  change: Partial<Parameters<typeof quote>[1]>,
  { lessBy = 0n }: { readonly lessBy?: bigint } = {},
) {
  const rested = new Set<string>()
  const trust = {
    ...trustAnybody,
    listDoubtful: () => ['unknown'],
    rest: (_: unknown, ids: readonly string[]) => {
      for (const id of ids) rested.add(id)
    },
  }
  const amountIn = 10n ** 15n
  const asked = { chainId: chain.chainId, tokenIn, tokenOut, amountIn, slippageBps: 50 }
  const { simulator, promise } = createExecutorOver({ lessBy })
  const deps = { simulator, now: () => performance.now(), maxLagMs: 30_000 }
  const known = await quote({ ...deps, chains: new Map([[chain.chainId, chain]]) }, asked)
  if (known.status !== 'ok') throw new Error(known.status)
  promise(known.quote.amountOut)
  const chains = new Map([[chain.chainId, { ...chain, trust }]])
  const { status } = await quote({ ...deps, chains }, { ...asked, ...change })
  return { status, rested: [...rested] }
}

s(
  'leaves pools to everybody that a caller has a dry run fall for by what he asks [trust/own-fall]',
  async () => {
    assert.equal(await askUnknown({ taker: blocked }), { status: 'no_route', rested: [] })
    const taker = chain.executor
    const late = await askUnknown({ taker, deadlineSecs: nowSecs() + 1n })
    assert.equal(late, { status: 'no_route', rested: [] })
    assert.is((await askUnknown({ taker })).status, 'ok', 'the verdict was over the deadline')
    assert.equal((await askUnknown({ slippageBps: 0 }, { lessBy: 1n })).rested, [])
    assert.equal((await askUnknown({}, { lessBy: 1n })).status, 'ok')
    assert.equal((await askUnknown({}, { lessBy: 10n ** 6n })).rested, ['unknown'])
  },
)

/** How a route through a known pool is finished, and which pools are tried again by it. */
async function finishKnown(own: Partial<QuoteParameters>, options: TrustedStandOptions = {}) {
  const { deps, plan, idOf } = createTrustedStand(chain, options)
  const planned = plan('known', own)
  const doubted: string[] = []
  const probes = { doubt: (ids: readonly string[]) => void doubted.push(...ids) } as PoolProbes
  const found = await finishQuote(deps, { ...planned, chain: { ...planned.chain, probes } })
  const isDoubted = doubted.length === 1 && doubted[0] === idOf('known')
  return [
    [found?.readiness, found?.executable, found?.unexecutableReason],
    [found?.verification?.status, found?.dryRun?.status],
    isDoubted || doubted,
  ]
}

s('is dry-run where that is asked for, or by its mode [teeth/finish-runs]', async () => {
  const ready = [['ready', true, undefined], [undefined, undefined], []]
  assert.equal(await finishKnown({}), ready)
  assert.equal(await finishKnown({ verify: false, mode: 'deep' }), ready)
  const verified = ['verified', true, undefined]
  assert.equal(await finishKnown({ verify: true }), [verified, ['verified', 'verified'], []])
  assert.equal(await finishKnown({ mode: 'ultra' }), [verified, [undefined, 'verified'], []])
  const fallen = ['custody_invalid', false, 'dry_run_failed']
  const failing = ['known'] as const
  assert.equal(await finishKnown({ verify: true }, { failing }), [
    fallen,
    ['failed', 'failed'],
    true,
  ])
  assert.equal(await finishKnown({ mode: 'ultra' }, { failing }), [
    fallen,
    [undefined, 'failed'],
    true,
  ])
  assert.equal(await finishKnown({ verify: true }, { hasSimulator: false }), [
    ['unverified', false, 'verification_unavailable'],
    ['unavailable', 'unavailable'],
    [],
  ])
})

s('grades pools as they stand when it is asked [teeth/finish-grades]', async () => {
  const gradesAt = async (facts: {
    readonly idleBlocks?: bigint
    readonly lagMs?: number
    readonly get?: (token: string) => number | undefined
  }) => {
    const { idleBlocks = 0n, lagMs = 0, get = () => 0 } = facts
    const { deps, plan } = createTrustedStand({ ...chain, routes: createRouteCache() })
    const planned = plan('known')
    const { state } = planned
    const found = await finishQuote(deps, {
      ...planned,
      state: { ...state, head: { ...state.head, number: 1n + idleBlocks } },
      chain: {
        ...planned.chain,
        taxes: { ...chain.taxes, get },
        sync: { ...planned.chain.sync, lagMs: () => lagMs },
      },
    })
    return found?.poolGrades.join()
  }
  // A block each two seconds, for a week.
  const week = 302_400n
  assert.equal(
    [await gradesAt({ idleBlocks: week }), await gradesAt({ idleBlocks: week + 1n })],
    ['A', 'B'],
  )
  assert.equal([await gradesAt({ lagMs: 5_000 }), await gradesAt({ lagMs: 5_001 })], ['A', 'B'])
  const get = (token: string) => (token === fakeAddress(2) ? 600 : 0)
  assert.equal([await gradesAt({ get: () => undefined }), await gradesAt({ get })], ['A', 'C'])
})

s('is as good as its state, which a hint reads anew [teeth/finish-sources]', async () => {
  const { deps, plan } = createTrustedStand(chain)
  const planned = plan('known')
  const finish = async (source: QuoteSource, lagMs = 0) => {
    const sync = { ...planned.chain.sync, lagMs: () => lagMs }
    const route = { ...planned.route, gapBps: 7 }
    const found = await finishQuote(deps, {
      ...planned,
      source,
      route,
      chain: { ...planned.chain, sync },
    })
    return [found?.source, found?.readiness, found?.optimalityGapBps]
  }
  assert.equal(await finish('local', 30_000), ['local', 'ready', 7])
  assert.equal(await finish('local', 30_001), ['local', 'stale', 7])
  assert.equal(await finish('rpc'), ['rpc', 'ready', 7])
  // The best of its own pools alone.
  assert.equal(await finish('path_hint', 30_001), ['path_hint', 'ready', undefined])
})

s('says which steps the chain was asked about [teeth/finish-sources]', async () => {
  const stand = createQuotedStand(chain, { missingBps: 0n })
  const through = async (poolId: string) => {
    const ends = { tokenIn: `0x${'a'.repeat(40)}`, tokenOut: `0x${'b'.repeat(40)}` } as const
    const step = { ...ends, poolId, amountIn: 10n ** 18n, amountOut: 10n ** 18n, path: 0 }
    const found = await finishQuote(
      { chains: new Map(), simulator: undefined, now: () => 0, maxLagMs: 1 },
      {
        chain: stand.chain,
        state: stand.state,
        source: 'local',
        route: {
          amountIn: 10n ** 18n,
          amountOut: 10n ** 18n,
          gas: 1,
          steps: [{ ...step, share: 1n << 64n, shareBps: 10_000 }],
        },
        parameters: { chainId: chain.chainId, ...ends, amountIn: 10n ** 18n, slippageBps: 50 },
      },
    )
    return [found?.source, found?.areStepsQuoted]
  }
  assert.equal(await through(local), ['local', [false]])
  assert.equal(await through(quoted), ['rpc', [true]])
})

s(
  'tells the watch of taxes what is traded, and is none where nothing arrives [teeth/finish]',
  async () => {
    const { deps, plan } = createTrustedStand(chain)
    const planned = plan('known')
    const traded: (readonly string[])[] = []
    const taxWatch = { traded: (tokens: readonly string[]) => void traded.push(tokens) }
    const give = (amountOut: bigint) =>
      finishQuote(deps, {
        ...planned,
        route: { ...planned.route, amountOut },
        chain: { ...planned.chain, taxWatch },
      })
    assert.equal([await give(0n), traded], [undefined, []])
    assert.is((await give(1n))?.amountOut, 1n)
    assert.equal(traded, [[planned.parameters.tokenIn, planned.parameters.tokenOut]])
  },
)

s(
  'through strangers is judged once for a taker, and each time for nobody [teeth/finish-once]',
  async () => {
    const { deps, plan } = createTrustedStand(chain)
    let runs = 0
    const simulateCandidates: Simulator['simulateCandidates'] = (asked) => {
      runs += 1
      if (!deps.simulator) throw new Error('it has one')
      return deps.simulator.simulateCandidates(asked)
    }
    const simulator = { simulateCandidates } as Simulator
    const judge = async (own: Partial<QuoteParameters>) => {
      const before = runs
      const found = await finishQuote({ ...deps, simulator }, plan('strange', own))
      assert.is(found?.readiness, 'verified')
      return runs - before
    }
    const me = { taker: fakeAddress(5) }
    assert.equal([await judge({}), await judge({}), await judge(me), await judge(me)], [1, 1, 1, 0])
    const others: readonly Partial<QuoteParameters>[] = [
      { slippageBps: 51 },
      { deadlineSecs: 1n << 40n },
      { amountIn: 10n ** 17n },
      { taker: fakeAddress(6) },
    ]
    for (const other of others) assert.is(await judge({ ...me, ...other }), 1)
    // Where nobody could judge, the next one is asked again.
    const late = { taker: fakeAddress(7) }
    const none = await finishQuote({ ...deps, simulator: undefined }, plan('strange', late))
    assert.is(none?.readiness, 'unverified')
    assert.is(await judge(late), 1)
  },
)

s.run()
