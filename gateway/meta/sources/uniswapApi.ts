import { parse, stringify } from 'lossless-json'
import { Type } from 'typebox'
import {
  AddressField,
  Amount,
  Calldata,
  createReader,
  toAddress,
  toAmount,
} from '../provider/fields.ts'
import { clip, type HttpCall } from '../provider/http.ts'
import { type Ask, isToken, type Provider, toQuote } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

const Side = Type.Object({ amount: Amount, token: Type.Optional(AddressField) })
const readQuote = createReader(
  Type.Object({
    routing: Type.String(),
    quote: Type.Object({
      chainId: Type.Integer(),
      input: Side,
      output: Side,
      gasUseEstimate: Type.Optional(Amount),
    }),
  }),
)
const readSwap = createReader(
  Type.Object({
    swap: Type.Object({
      to: AddressField,
      data: Calldata,
      value: Amount,
      gasLimit: Type.Optional(Amount),
      chainId: Type.Integer(),
    }),
  }),
)
const readProblem = createReader(
  Type.Object({ errorCode: Type.String(), detail: Type.Optional(Type.String()) }),
)

function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok') return undefined
  const { errorCode, detail } = problem.value
  if (/ratelimit/i.test(errorCode)) return fail('rate_limited', clip(errorCode))
  if (/quote|route|liquidity|validation/i.test(errorCode))
    return fail('no_route', clip(detail ?? errorCode))
  return undefined
}

/** The swap is built from the answer as it came, less what only Permit2 needs. */
function swapBody(quoteText: string): string | undefined {
  const answer = parse(quoteText) as Record<string, unknown>
  const kept = Object.entries(answer).filter(
    ([name]) => name !== 'permitData' && name !== 'permitTransaction',
  )
  return stringify(Object.fromEntries(kept))
}

function quoteBody(ask: Ask): string {
  const { trade, sender, chainId } = ask.request
  const exactIn = trade.type === 'exactInput'
  return JSON.stringify({
    type: exactIn ? 'EXACT_INPUT' : 'EXACT_OUTPUT',
    amount: (exactIn ? trade.amountIn : trade.targetOut).toString(),
    tokenInChainId: chainId,
    tokenOutChainId: chainId,
    tokenIn: ask.tokenIn,
    tokenOut: ask.tokenOut,
    swapper: sender,
    slippageTolerance: ask.slippageBps / 100,
    routingPreference: 'BEST_PRICE',
    // Pools only: an order for UniswapX fillers is no transaction.
    protocols: ['V2', 'V3', 'V4'],
  })
}

const poolRoutings: readonly string[] = ['CLASSIC', 'WRAP', 'UNWRAP']

/** Uniswap Trading API without Permit2, both sides: a quote, then its transaction. */
export const uniswapApi: Provider = {
  name: 'uniswap-api',
  baseUrl: 'https://trade-api.gateway.uniswap.org',
  auth: 'required',
  native: 'zero',
  exactOutput: true,
  loosestBps: 9_900,
  ask: async (ask) => {
    const { chainId } = ask.request
    const common: Pick<HttpCall, 'method' | 'headers' | 'signal' | 'readError'> = {
      method: 'POST',
      headers: {
        'x-api-key': ask.key,
        'x-universal-router-version': '2.0',
        'x-permit2-disabled': 'true',
      },
      signal: ask.signal,
      readError,
    }
    const quoted = await ask.http.call({ ...common, path: '/v1/quote', body: quoteBody(ask) })
    if (quoted.status !== 'ok') return quoted
    const found = readQuote(quoted.body)
    if (found.status !== 'ok') return found
    const { routing, quote } = found.value
    if (!poolRoutings.includes(routing)) return fail('no_route', clip(`routing ${routing}`))
    if (quote.chainId !== chainId) return fail('invalid_response', 'the quote is for another chain')
    if (quote.output.token !== undefined && !isToken(quote.output.token, ask.tokenOut))
      return fail('invalid_response', 'the quote is for another token')
    const body = swapBody(quoted.text)
    const swapped = await ask.http.call({ ...common, path: '/v1/swap', body })
    if (swapped.status !== 'ok') return swapped
    const read = readSwap(swapped.body)
    if (read.status !== 'ok') return read
    const { swap } = read.value
    if (swap.chainId !== chainId)
      return fail('invalid_response', 'the transaction is for another chain')
    return toQuote('uniswap-api', ask, {
      amountIn: toAmount(quote.input.amount),
      amountOut: toAmount(quote.output.amount),
      target: toAddress(swap.to),
      spender: toAddress(swap.to),
      calldata: swap.data,
      value: toAmount(swap.value),
      gasEstimate: toAmount(quote.gasUseEstimate ?? swap.gasLimit ?? 0),
    })
  },
}
