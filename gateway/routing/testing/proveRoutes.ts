import { type Address, zeroAddress } from 'viem'
import { createSimulator } from '../../../simulator/simulator.ts'
import { isNative, nativeAddresses } from '../../chain/native.ts'
import { isSameAddress } from '../../chain/sameAddress.ts'
import type { Quote } from '../finishQuote.ts'
import { createRouting, type Routing } from '../service/routing.ts'
import type { Random } from './random.ts'
import type { SwapStand } from './swapStand.ts'
import { roundingOf } from './swapTrial.ts'

export type RouteTally = {
  executed: number
  unrouted: number
  /** With several paths; with native currency at an end. */
  split: number
  native: number
  /** Steps by family. */
  readonly steps: Map<string, number>
  readonly differences: string[]
}

const native = nativeAddresses[0] ?? zeroAddress
const nativePart = 0.15
const noAmount = 0n
const mostDifferences = 20

/** Routing over a stand's chain, with the taxes of its tokens measured. */
export async function routeOn(stand: SwapStand): Promise<Routing> {
  const { chainId, chainClient, manifest, rpcUrl } = stand
  const simulator = await createSimulator({ chains: [{ chainId, upstreamUrl: rpcUrl }] })
  const routing = await createRouting({
    chains: [{ chainClient, executor: manifest.executor, maxAgeMs: 0, pollMs: 3_600_000 }],
    simulator,
    serviceName: 'proof',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
  })
  await routing.warmed
  await simulator.close()
  return routing
}

/**
 * Random trades of a dollar to some hundred thousand between all tokens, native currency among them;
 * each is quoted and then executed for good. A rebasing token is left out: it rounds every transfer.
 */
export async function proveRoutes(
  stand: SwapStand,
  { routing, count, random }: { routing: Routing; count: number; random: Random },
): Promise<RouteTally> {
  const tally: RouteTally = {
    executed: 0,
    unrouted: 0,
    split: 0,
    native: 0,
    steps: new Map(),
    differences: [],
  }
  const symbols = Object.keys(stand.manifest.tokens).filter((symbol) => symbol !== 'REBASE')
  while (tally.executed < count && tally.unrouted < 2 * count) {
    const [symbolIn, symbolOut] = [random.pick(symbols), random.pick(symbols)]
    if (symbolIn !== symbolOut)
      await tryRoute(stand, { routing, random, symbolIn, symbolOut, tally })
  }
  return tally
}

type RouteRun = {
  readonly routing: Routing
  readonly random: Random
  readonly symbolIn: string
  readonly symbolOut: string
  readonly tally: RouteTally
}

async function tryRoute(stand: SwapStand, run: RouteRun): Promise<void> {
  const { routing, random, symbolIn, symbolOut, tally } = run
  const { chainId, manifest, probe } = stand
  const nameOf = (symbol: string): Address =>
    symbol === 'WETH' || random.chance(nativePart)
      ? native
      : (manifest.tokens[symbol]?.address ?? zeroAddress)
  const tokenIn = nameOf(symbolIn)
  const tokenOut = nameOf(symbolOut)
  if (isSameAddress(tokenIn, tokenOut)) return
  // The lab's accounts hold about a million dollars of each token.
  const funds = BigInt(
    manifest.accounts[0]?.funded[isNative(tokenIn) ? 'WETH' : symbolIn] ?? noAmount,
  )
  // Half of any size, half large enough to be worth a split.
  const amountIn = random.chance(0.5)
    ? random.magnitude(funds / 3n) + funds / 1_000_000n
    : (funds * BigInt(1 + random.below(300))) / 1_000n
  const outcome = await routing.quote({
    chainId,
    tokenIn,
    tokenOut,
    amountIn,
    slippageBps: 100,
    taker: probe,
  })
  const execution = outcome.status === 'ok' ? outcome.quote.execution : undefined
  if (outcome.status !== 'ok' || !execution) {
    tally.unrouted += 1
    return
  }
  const { quote } = outcome
  const spent = isNative(tokenIn) ? zeroAddress : tokenIn
  const result = await stand.execute({
    tokenIn: spent,
    value: execution.value,
    data: execution.data,
  })
  count(tally, { quote, isNativeEnd: isNative(tokenIn) || isNative(tokenOut) })
  if (result.ok && isAsQuoted(quote, result.amountOut)) return
  if (tally.differences.length >= mostDifferences) return
  const got = result.ok ? result.amountOut : 'a revert'
  tally.differences.push(`${amountIn} ${quote.routePath}: ${quote.amountOut} quoted, ${got}`)
}

/** What goes through Aave's market is rounded there, in favour of whoever swaps. */
const roundedPart = 100_000n
function isAsQuoted({ amountOut, steps }: Quote, got: bigint): boolean {
  const isRounded = steps.some(({ protocol }) => protocol === 'aave_v3')
  const most = isRounded
    ? amountOut + amountOut / roundedPart + roundingOf({ protocol: 'aave_v3' })
    : amountOut
  return got >= amountOut && got <= most
}

function count(
  tally: RouteTally,
  { quote, isNativeEnd }: { readonly quote: Quote; readonly isNativeEnd: boolean },
): void {
  tally.executed += 1
  if (new Set(quote.steps.map(({ path }) => path)).size > 1) tally.split += 1
  if (isNativeEnd) tally.native += 1
  for (const { protocol } of quote.steps)
    tally.steps.set(protocol, (tally.steps.get(protocol) ?? 0) + 1)
}
