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
import { fractionOf, type Provider, toQuote } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

const readAnswer = createReader(
  Type.Object({
    assumedAmountOut: Amount,
    gasSpent: Type.Optional(Amount),
    tx: Type.Object({ to: AddressField, data: Calldata, value: Type.Optional(Amount) }),
  }),
)
const readStatus = createReader(Type.Object({ status: Type.String() }))

/** "NoWay" and "Partial" come with HTTP 200. */
function readError(body: unknown): SourceFailure | undefined {
  const read = readStatus(body)
  if (read.status !== 'ok' || read.value.status === 'Success') return undefined
  return fail('no_route', clip(read.value.status))
}

/** Sushi v6. */
export const sushi: Provider = {
  name: 'sushi',
  baseUrl: 'https://api.sushi.com',
  auth: 'none',
  native: 'e',
  exactOutput: false,
  loosestBps: 9_900,
  ask: async (ask) => {
    const { trade, sender, recipient } = ask.request
    if (trade.type !== 'exactInput') return fail('unsupported_exact_output')
    const answer = await ask.http.call({
      path: `/swap/v6/${ask.chain}`,
      query: {
        amount: trade.amountIn.toString(),
        tokenIn: ask.tokenIn,
        tokenOut: ask.tokenOut,
        maxSlippage: fractionOf(ask.slippageBps),
        sender,
        recipient,
        simulate: false,
      },
      signal: ask.signal,
      readError,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { assumedAmountOut, gasSpent, tx } = read.value
    return toQuote('sushi', ask, {
      amountOut: toAmount(assumedAmountOut),
      target: toAddress(tx.to),
      spender: toAddress(tx.to),
      calldata: tx.data,
      value: toAmount(tx.value ?? 0),
      gasEstimate: toAmount(gasSpent ?? 0),
    })
  },
}
