import { Type } from 'typebox'
import type { Address } from 'viem'
import {
  AddressField,
  Amount,
  Calldata,
  createReader,
  toAddress,
  toAmount,
} from '../provider/fields.ts'
import { isToken, type Provider, toQuote } from '../provider/provider.ts'
import { fail } from '../provider/source.ts'

const readAnswer = createReader(
  Type.Object({
    amountIn: Amount,
    amountOut: Amount,
    minimumAmountOut: Amount,
    tokens: Type.Optional(
      Type.Array(
        Type.Object({
          address: AddressField,
          transferFeeBps: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
        }),
      ),
    ),
    approval: Type.Optional(
      Type.Union([Type.Object({ token: AddressField, spender: AddressField }), Type.Null()]),
    ),
    transaction: Type.Object({ to: AddressField, data: Calldata, value: Amount }),
  }),
)

/** Gas is not in its answer; recorded swaps burn about this much. */
const usualGas = 350_000n

/** Fabric, both sides. */
export const fabric: Provider = {
  name: 'fabric',
  baseUrl: 'https://route.withfabric.xyz',
  auth: 'optional',
  native: 'zero',
  exactOutput: true,
  loosestBps: 9_900,
  ask: async (ask) => {
    const { trade, recipient } = ask.request
    const exactIn = trade.type === 'exactInput'
    const amount = exactIn
      ? { sellAmount: trade.amountIn.toString() }
      : { buyAmount: trade.targetOut.toString() }
    const answer = await ask.http.call({
      path: '/v1/quote',
      query: {
        chainId: ask.chain,
        sellToken: ask.tokenIn,
        buyToken: ask.tokenOut,
        ...amount,
        slippageBps: exactIn ? ask.slippageBps : 0,
        receiver: recipient,
      },
      headers: { 'x-app-id': 'forkyard', 'x-api-key': ask.key },
      signal: ask.signal,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { transaction: tx, approval, tokens, ...quote } = read.value
    const find = (asked: Address) => tokens?.find(({ address }) => isToken(address, asked))
    const [soldToken, boughtToken] = [find(ask.tokenIn), find(ask.tokenOut)]
    if (tokens && !(soldToken && boughtToken))
      return fail('invalid_response', 'the quote is for other tokens')
    return toQuote('fabric', ask, {
      amountIn: toAmount(quote.amountIn),
      amountOut: toAmount(quote.amountOut),
      minAmountOut: toAmount(quote.minimumAmountOut),
      target: toAddress(tx.to),
      spender: toAddress(approval?.spender ?? tx.to),
      calldata: tx.data,
      value: toAmount(tx.value),
      gasEstimate: usualGas,
      taxInBps: soldToken?.transferFeeBps,
      taxOutBps: boughtToken?.transferFeeBps,
      isFirm: true,
    })
  },
}
