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

const readQuote = createReader(
  Type.Object({ id: Type.String(), amountOut: Amount, targetAddress: AddressField }),
)
const readTransaction = createReader(
  Type.Object({
    to: AddressField,
    data: Calldata,
    value: Amount,
    gasLimit: Type.Optional(Type.Union([Amount, Type.Null()])),
    chainId: Type.Optional(Type.Integer()),
  }),
)
const readProblem = createReader(Type.Object({ message: Type.String() }))

function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  return problem.status === 'ok' ? fail('no_route', clip(problem.value.message)) : undefined
}

/** Fly (Magpie): a quote, then its transaction. */
export const fly: Provider = {
  name: 'fly',
  baseUrl: 'https://api.fly.trade',
  auth: 'optional',
  native: 'zero',
  exactOutput: false,
  loosestBps: 9_900,
  ask: async (ask) => {
    const { trade, sender, recipient, chainId } = ask.request
    if (trade.type !== 'exactInput') return fail('unsupported_exact_output')
    const common = { headers: { apikey: ask.key }, signal: ask.signal, readError }
    const quoted = await ask.http.call({
      ...common,
      path: '/aggregator/quote',
      query: {
        network: ask.chain,
        fromTokenAddress: ask.tokenIn,
        toTokenAddress: ask.tokenOut,
        sellAmount: trade.amountIn.toString(),
        slippage: fractionOf(ask.slippageBps),
        fromAddress: sender,
        toAddress: recipient,
        gasless: false,
      },
    })
    if (quoted.status !== 'ok') return quoted
    const found = readQuote(quoted.body)
    if (found.status !== 'ok') return found
    const built = await ask.http.call({
      ...common,
      path: '/aggregator/transaction',
      query: { quoteId: found.value.id, estimateGas: false },
    })
    if (built.status !== 'ok') return built
    const read = readTransaction(built.body)
    if (read.status !== 'ok') return read
    const tx = read.value
    if (tx.chainId !== undefined && tx.chainId !== chainId)
      return fail('invalid_response', 'the transaction is for another chain')
    return toQuote('fly', ask, {
      amountOut: toAmount(found.value.amountOut),
      target: toAddress(tx.to),
      spender: toAddress(found.value.targetAddress),
      calldata: tx.data,
      value: toAmount(tx.value),
      gasEstimate: toAmount(tx.gasLimit ?? 0),
    })
  },
}
