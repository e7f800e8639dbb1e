import { isNative, nativeAddresses } from '../../chain/native.ts'
import type { Random } from './random.ts'
import type { RoutingStand } from './routingStand.ts'
import { isUneven } from './unevenTokens.ts'

export type ExactOutputTally = {
  executed: number
  split: number
  native: number
  /** Trades that nobody could make: no route at all, or nothing to ask for. */
  skipped: number
  readonly differences: string[]
}

const [native] = nativeAddresses

/**
 * Random exact-output quotes between all tokens, native currency among them, each executed for good: it
 * delivers what was quoted, at least its target, and spends exactly `input_consumed`.
 */
export async function proveExactOutputs(
  stand: RoutingStand,
  { count, random }: { readonly count: number; readonly random: Random },
): Promise<ExactOutputTally> {
  const tally: ExactOutputTally = {
    executed: 0,
    split: 0,
    native: 0,
    skipped: 0,
    differences: [],
  }
  const symbols = Object.keys(stand.manifest.tokens).filter((symbol) => !isUneven(symbol))
  await stand.approve(symbols.map(stand.token))
  const tried = () => tally.executed + tally.differences.length
  while (tried() < count && tally.skipped < 2 * count)
    await tryOne(stand, { random, symbols, tally })
  return tally
}

async function tryOne(
  stand: RoutingStand,
  {
    random,
    symbols,
    tally,
  }: {
    readonly random: Random
    readonly symbols: readonly string[]
    readonly tally: ExactOutputTally
  },
): Promise<void> {
  const { chainId, routing, account, balanceOf } = stand
  const [symbolIn, symbolOut] = [random.pick(symbols), random.pick(symbols)]
  const name = (symbol: string) =>
    symbol === 'WETH' && native && random.chance(0.5) ? native : stand.token(symbol)
  const [tokenIn, tokenOut] = [name(symbolIn), name(symbolOut)]
  const maxInput = BigInt(stand.funded[symbolIn] ?? 0) / 1_000n
  if (symbolIn === symbolOut || maxInput === 0n) return
  const asked = { chainId, tokenIn, tokenOut, slippageBps: 50, taker: account }
  const limit = await routing.quote({ ...asked, amountIn: maxInput })
  const reachable = limit.status === 'ok' ? limit.quote.amountOut : 0n
  const targetOutput = (reachable * BigInt(1 + random.below(9_000))) / 10_000n
  if (targetOutput === 0n) {
    tally.skipped += 1
    return
  }
  const request = { ...asked, targetOutput, maxInput, executableOnly: true }
  const outcome = await routing.quoteExactOutput(request)
  const label = `${targetOutput} ${symbolOut} for ${symbolIn}`
  if (outcome.status !== 'ok' || !outcome.quote.execution) {
    tally.differences.push(`${label}: ${outcome.status}`)
    return
  }
  const { execution, inputConsumed, amountOut, routePath, steps } = outcome.quote
  const before = [await balanceOf(tokenIn), await balanceOf(tokenOut)] as const
  const { gasUsed, effectiveGasPrice } = await stand.submit(execution)
  const fee = gasUsed * effectiveGasPrice
  const paid = before[0] - (await balanceOf(tokenIn)) - (isNative(tokenIn) ? fee : 0n)
  const gained = (await balanceOf(tokenOut)) - before[1] + (isNative(tokenOut) ? fee : 0n)
  if (gained !== amountOut || amountOut < targetOutput || paid !== inputConsumed) {
    tally.differences.push(`${label}: ${paid} paid, ${gained} gained, ${routePath}`)
    return
  }
  tally.executed += 1
  if (new Set(steps.map(({ path }) => path)).size > 1) tally.split += 1
  if (isNative(tokenIn) || isNative(tokenOut)) tally.native += 1
}
