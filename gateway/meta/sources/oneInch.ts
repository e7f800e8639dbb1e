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
import { type Provider, percentOf, toQuote } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

const readAnswer = createReader(
  Type.Object({
    dstAmount: Amount,
    tx: Type.Object({
      to: AddressField,
      data: Calldata,
      value: Amount,
      gas: Type.Optional(Amount),
    }),
  }),
)
const readProblem = createReader(
  Type.Object({ statusCode: Type.Integer(), description: Type.Optional(Type.String()) }),
)

function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok' || problem.value.statusCode !== 400) return undefined
  return fail('no_route', clip(problem.value.description))
}

/** 1inch classic swap v6.1. `origin`, the account that signs, is required. */
export const oneInch: Provider = {
  name: '1inch',
  baseUrl: 'https://api.1inch.com/swap/v6.1',
  auth: 'required',
  native: 'e',
  exactOutput: false,
  // Its own ceiling for slippage.
  loosestBps: 5_000,
  ask: async (ask) => {
    const { trade, sender, recipient } = ask.request
    if (trade.type !== 'exactInput') return fail('unsupported_exact_output')
    const answer = await ask.http.call({
      path: `/${ask.chain}/swap`,
      query: {
        src: ask.tokenIn,
        dst: ask.tokenOut,
        amount: trade.amountIn.toString(),
        from: sender,
        origin: recipient,
        receiver: recipient,
        slippage: percentOf(ask.slippageBps),
        disableEstimate: true,
        includeGas: true,
      },
      headers: { authorization: `Bearer ${ask.key}` },
      signal: ask.signal,
      readError,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { dstAmount, tx } = read.value
    return toQuote('1inch', ask, {
      amountOut: toAmount(dstAmount),
      target: toAddress(tx.to),
      spender: toAddress(tx.to),
      calldata: tx.data,
      value: toAmount(tx.value),
      gasEstimate: toAmount(tx.gas ?? 0),
    })
  },
}
