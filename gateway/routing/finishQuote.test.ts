import { type Address, decodeFunctionData, getAddress, type Hex, zeroAddress } from 'viem'
import { swapExecutor } from '../../contracts/artifacts.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { CandidateResult, Simulator } from '../../simulator/simulator.ts'
import { createGeneratedChain } from '../bench/quote/generatedChain.ts'
import { quote } from './quote.ts'
import { createRouteCache, type RouteCache } from './routeCache.ts'
import { changePools } from './sync/followedPools.ts'
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

s.run()
