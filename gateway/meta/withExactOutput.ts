import { greater, lesser, moreBps, wholeBps } from '../amounts/amounts.ts'
import {
  fail,
  type Source,
  type SourceOutcome,
  type SourceQuote,
  type SourceRequest,
} from './provider/source.ts'

/** Forward quotes per request: the guess from the reverse one, and corrections by proportion. */
const maxForwards = 5
/** Overshoot that is good enough: another call would save less than it costs. */
const enoughBps = 10n

type Point = { readonly amountIn: bigint; readonly minOut: bigint }

/** The input on the line through the last two points (at first: through zero), a little above. */
function correct(target: bigint, last: Point, before: Point): bigint {
  const rise = last.minOut - before.minOut
  const run = last.amountIn - before.amountIn
  const [slopeIn, slopeOut] = rise * run > 0n ? [run, rise] : [last.amountIn, last.minOut]
  const next = last.amountIn + ((target - last.minOut) * slopeIn) / slopeOut
  return moreBps(greater(next, 1n), 3n)
}

/** What selling the target output would bring: a first guess at the input. */
async function guessInput(
  source: Source,
  request: SourceRequest,
  targetOut: bigint,
  context: Parameters<Source['quote']>[1],
): Promise<bigint | SourceOutcome> {
  const reverse = await source.quote(
    {
      ...request,
      tokenIn: request.tokenOut,
      tokenOut: request.tokenIn,
      trade: { type: 'exactInput', amountIn: targetOut },
    },
    context,
  )
  if (reverse.status !== 'quote') return reverse
  // Both directions pay fees, and the guard must reach the target: slippage comes on top.
  return moreBps(reverse.quote.amountOut, request.slippageBps + 10)
}

/**
 * Exact outputs from a source that knows exact inputs only: sell the target backwards to guess the
 * input, then quote that input forwards until its guaranteed output reaches the target. Never over
 * maxIn. Sources that know exact outputs themselves answer directly.
 */
export function withExactOutput(source: Source): Source {
  async function quote(
    request: SourceRequest,
    context: Parameters<Source['quote']>[1],
  ): Promise<SourceOutcome> {
    const { trade } = request
    const direct = await source.quote(request, context)
    const isUnable = direct.status === 'failure' && direct.reason === 'unsupported_exact_output'
    if (trade.type === 'exactInput' || !isUnable) return direct
    const { targetOut, maxIn } = trade
    const guess = await guessInput(source, request, targetOut, context)
    if (typeof guess !== 'bigint') return guess
    let amountIn = lesser(guess, maxIn)
    let before: Point = { amountIn: 0n, minOut: 0n }
    let best: SourceQuote | undefined
    for (let forwards = 0; forwards < maxForwards; forwards++) {
      const forward = await source.quote(
        { ...request, trade: { type: 'exactInput', amountIn } },
        context,
      )
      if (forward.status !== 'quote') return best ? { status: 'quote', quote: best } : forward
      const { minAmountOut } = forward.quote
      if (minAmountOut <= 0n) return fail('no_route')
      const reaches = minAmountOut >= targetOut
      if (reaches && (!best || amountIn < best.amountIn)) best = forward.quote
      if (reaches && minAmountOut * wholeBps <= targetOut * (wholeBps + enoughBps)) break
      if (!reaches && amountIn === maxIn) break
      const last = { amountIn, minOut: minAmountOut }
      amountIn = lesser(correct(targetOut, last, before), maxIn)
      before = last
    }
    if (best) return { status: 'quote', quote: best }
    return fail('no_route', 'the target is not reached within maxIn')
  }
  return { ...source, quote }
}
