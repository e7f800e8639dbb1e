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
import { isToken, type Provider, toQuote } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

const readAnswer = createReader(
  Type.Object({
    priceRoute: Type.Object({
      network: Type.Integer(),
      srcToken: AddressField,
      destToken: AddressField,
      srcAmount: Amount,
      destAmount: Amount,
      gasCost: Amount,
      tokenTransferProxy: AddressField,
    }),
    txParams: Type.Object({ to: AddressField, data: Calldata, value: Amount }),
  }),
)
const readProblem = createReader(Type.Object({ error: Type.String() }))

function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  return problem.status === 'ok' ? fail('no_route', clip(problem.value.error)) : undefined
}

/** Velora (ParaSwap) v6.2, both sides. Its answer has no gas limit: gasCost is gas units. */
export const velora: Provider = {
  name: 'velora',
  baseUrl: 'https://api.paraswap.io',
  auth: 'none',
  native: 'e',
  exactOutput: true,
  loosestBps: 9_999,
  ask: async (ask) => {
    const { request, tokenIn, tokenOut } = ask
    const { trade, sender, recipient } = request
    const exactIn = trade.type === 'exactInput'
    const answer = await ask.http.call({
      path: '/swap',
      query: {
        srcToken: tokenIn,
        destToken: tokenOut,
        amount: (exactIn ? trade.amountIn : trade.targetOut).toString(),
        side: exactIn ? 'SELL' : 'BUY',
        network: ask.chain,
        userAddress: sender,
        receiver: sender === recipient ? undefined : recipient,
        slippage: ask.slippageBps,
        version: '6.2',
        // Those that are read: a pool's own cost less gas, and would have to be proved.
        includeContractMethods: exactIn ? 'swapExactAmountIn' : 'swapExactAmountOut',
      },
      signal: ask.signal,
      readError,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { priceRoute, txParams } = read.value
    if (priceRoute.network !== request.chainId)
      return fail('invalid_response', 'the quote is for another chain')
    if (!isToken(priceRoute.destToken, tokenOut) || !isToken(priceRoute.srcToken, tokenIn))
      return fail('invalid_response', 'the quote is for another token')
    return toQuote('velora', ask, {
      amountIn: toAmount(priceRoute.srcAmount),
      amountOut: toAmount(priceRoute.destAmount),
      target: toAddress(txParams.to),
      spender: toAddress(priceRoute.tokenTransferProxy),
      calldata: txParams.data,
      value: toAmount(txParams.value),
      gasEstimate: toAmount(priceRoute.gasCost),
    })
  },
}
