import { Type } from 'typebox'
import {
  AddressField,
  Amount,
  Calldata,
  createReader,
  toAddress,
  toAmount,
} from '../provider/fields.ts'
import { clip } from '../provider/http.ts'
import { type Provider, toQuote } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

const readAnswer = createReader(
  Type.Object({
    amountOut: Type.Union([Amount, Type.Array(Amount, { minItems: 1, maxItems: 1 })]),
    minAmountOut: Type.Optional(
      Type.Union([Amount, Type.Array(Amount, { minItems: 1, maxItems: 1 })]),
    ),
    gas: Type.Optional(Type.Union([Amount, Type.Null()])),
    tx: Type.Object({ to: AddressField, data: Calldata, value: Amount }),
  }),
)
const readProblem = createReader(
  Type.Object({ message: Type.Union([Type.String(), Type.Array(Type.String())]) }),
)

function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok') return undefined
  return fail('no_route', clip([problem.value.message].flat().join(' ')))
}

const first = (value: string | number | (string | number)[]) => toAmount([value].flat()[0] ?? 0)

/** Enso's router strategy. Lists of one token each way. */
export const enso: Provider = {
  name: 'enso',
  baseUrl: 'https://api.enso.finance',
  auth: 'required',
  native: 'eLower',
  exactOutput: false,
  loosestBps: 9_900,
  // No list of its contracts was found; only the standard policy takes its quotes.
  ask: async (ask) => {
    const { trade, sender, recipient } = ask.request
    if (trade.type !== 'exactInput') return fail('unsupported_exact_output')
    const answer = await ask.http.call({
      path: '/api/v1/shortcuts/route',
      query: {
        chainId: ask.chain,
        fromAddress: sender,
        receiver: recipient,
        spender: sender,
        tokenIn: ask.tokenIn,
        tokenOut: ask.tokenOut,
        amountIn: trade.amountIn.toString(),
        slippage: ask.slippageBps,
        routingStrategy: 'router',
      },
      headers: { authorization: `Bearer ${ask.key}` },
      signal: ask.signal,
      readError,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { amountOut, minAmountOut, gas, tx } = read.value
    return toQuote('enso', ask, {
      amountOut: first(amountOut),
      ...(minAmountOut !== undefined && { minAmountOut: first(minAmountOut) }),
      target: toAddress(tx.to),
      spender: toAddress(tx.to),
      calldata: tx.data,
      value: toAmount(tx.value),
      gasEstimate: toAmount(gas ?? 0),
    })
  },
}
