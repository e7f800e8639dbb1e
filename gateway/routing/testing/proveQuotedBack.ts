import type { Address } from 'viem'
import type { RoutingStand } from './routingStand.ts'

type Pair = { readonly from: string; readonly to: string; readonly size: number }
export type QuotedBackTally = {
  /** Quotes whose output was asked for. */
  asked: number
  /** Of them through pools that the chain was asked about. */
  quoted: number
  /** Of them for a little more input and less gas. */
  traded: number
  mostSteps: number
  worstInput: number
  worstGas: number
  readonly differences: string[]
}

/** Parts of what the world's account holds: from a small trade to one that moves pools. */
const sizes = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2]
/** What an exact output may take more than the quote whose output it asks for: what shares are rounded by. */
const inputTolerance = 3e-6
const toleratedUnits = 2n
const gasTolerance = 1.2
/** Less gas may be worth a little more input. */
const lessGas = 0.9
const inputForGas = 1e-3
/** Generous: what may go in says nothing about what does. */
const mostFactor = 100_000n

/** Every pair of the world's tokens at five sizes. */
export function listQuestions({ manifest }: RoutingStand): readonly Pair[] {
  const symbols = Object.keys(manifest.tokens)
  return symbols.flatMap((from) =>
    symbols.filter((to) => to !== from).flatMap((to) => sizes.map((size) => ({ from, to, size }))),
  )
}

/** Asks for the very output of quotes: it costs no more than they do, in tokens and in gas. */
export async function proveQuotedBack(
  stand: RoutingStand,
  questions: readonly Pair[],
): Promise<QuotedBackTally> {
  const tally = {
    asked: 0,
    quoted: 0,
    traded: 0,
    mostSteps: 0,
    worstInput: 0,
    worstGas: 0,
    differences: [] as string[],
  }
  const { chainId, routing, funded } = stand
  for (const { from, to, size } of questions) {
    const amountIn = BigInt(Math.floor(Number(funded[from] ?? 0) * size))
    const [tokenIn, tokenOut] = [from, to].map(stand.token) as [Address, Address]
    const asked = { chainId, tokenIn, tokenOut, slippageBps: 50 }
    const sold = await routing.quote({ ...asked, amountIn })
    if (sold.status !== 'ok') continue
    const outcome = await routing.quoteExactOutput({
      ...asked,
      targetOutput: sold.quote.amountOut,
      maxInput: amountIn * mostFactor,
      executableOnly: true,
    })
    tally.asked += 1
    if (sold.quote.source === 'rpc') tally.quoted += 1
    if (outcome.status !== 'ok' || !outcome.quote.executable) {
      tally.differences.push(`${amountIn} ${from} > ${to}: ${sold.quote.routePath}: none back`)
      continue
    }
    const { quote } = outcome
    const input = Number(quote.inputConsumed) / Number(amountIn)
    const gas = Number(quote.gasEstimate) / Number(sold.quote.gasEstimate)
    tally.worstInput = Math.max(tally.worstInput, input)
    tally.worstGas = Math.max(tally.worstGas, gas)
    tally.mostSteps = Math.max(tally.mostSteps, quote.steps.length)
    const isAlike = quote.inputConsumed <= amountIn + toleratedUnits || input <= 1 + inputTolerance
    const isTraded = gas <= lessGas && input <= 1 + inputForGas
    if (isTraded && !isAlike) tally.traded += 1
    if (!(isAlike || isTraded) || gas > gasTolerance)
      tally.differences.push(
        `${amountIn} ${from} > ${to}: ${input} of the input, ${gas} of the gas; ${quote.routePath} for ${sold.quote.routePath}`,
      )
  }
  return tally
}
