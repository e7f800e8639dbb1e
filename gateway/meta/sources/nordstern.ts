import { Type } from 'typebox'
import {
  AddressField,
  Amount,
  Calldata,
  createReader,
  toAddress,
  toAmount,
} from '../provider/fields.ts'
import { isToken, type Provider, percentOf, toQuote } from '../provider/provider.ts'
import { fail } from '../provider/source.ts'

const readAnswer = createReader(
  Type.Object({
    src: Type.Optional(AddressField),
    dst: Type.Optional(AddressField),
    fromAmount: Amount,
    toAmount: Amount,
    gasEstimate: Amount,
    tx: Type.Object({ to: AddressField, data: Calldata, value: Amount }),
  }),
)

/** Nordstern. Its guard has another address on each chain. */
export const nordstern: Provider = {
  name: 'nordstern',
  baseUrl: 'https://api.nordstern.finance',
  auth: 'none',
  native: 'e',
  exactOutput: false,
  loosestBps: 9_900,
  ask: async (ask) => {
    const { trade, sender } = ask.request
    if (trade.type !== 'exactInput') return fail('unsupported_exact_output')
    const answer = await ask.http.call({
      path: `/aggregator/${ask.chain}`,
      query: {
        src: ask.tokenIn,
        dst: ask.tokenOut,
        amount: trade.amountIn.toString(),
        from: sender,
        slippage: percentOf(ask.slippageBps),
      },
      signal: ask.signal,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { tx, dst, fromAmount, toAmount: out, gasEstimate } = read.value
    if (dst !== undefined && !isToken(dst, ask.tokenOut))
      return fail('invalid_response', 'the quote is for another token')
    return toQuote('nordstern', ask, {
      amountIn: toAmount(fromAmount),
      amountOut: toAmount(out),
      target: toAddress(tx.to),
      spender: toAddress(tx.to),
      calldata: tx.data,
      value: toAmount(tx.value),
      gasEstimate: toAmount(gasEstimate),
    })
  },
}
