import { Type } from 'typebox'
import { getChain } from '../../chain/chains.ts'
import { isNative } from '../../chain/native.ts'
import { AddressField, Amount, createReader, toAmount } from '../provider/fields.ts'
import { clip } from '../provider/http.ts'
import { isToken, type Provider } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

const readAnswer = createReader(
  Type.Object({
    quote: Type.Object({
      sellToken: AddressField,
      buyToken: AddressField,
      buyAmount: Amount,
    }),
  }),
)
const readProblem = createReader(
  Type.Object({ errorType: Type.String(), description: Type.Optional(Type.String()) }),
)

function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok') return undefined
  const { errorType, description } = problem.value
  const detail = clip(description ?? errorType)
  if (errorType === 'UnsupportedToken') return fail('unsupported_token', detail)
  return errorType === 'InternalServerError' ? undefined : fail('no_route', detail)
}

/** CoW's order book: a price to measure the others by. An order to sign is no transaction. */
export const cow: Provider = {
  name: 'cow',
  isPriceOnly: true,
  baseUrl: 'https://api.cow.fi',
  auth: 'none',
  native: 'e',
  exactOutput: false,
  loosestBps: undefined,
  ask: async (ask) => {
    const { trade, sender, recipient, chainId, tokenIn } = ask.request
    if (trade.type !== 'exactInput') return fail('unsupported_exact_output')
    // Orders sell ERC-20 only; the wrapped currency has the same price.
    const sellToken = isNative(tokenIn) ? getChain(chainId)?.wrappedNative : tokenIn
    const answer = await ask.http.call({
      method: 'POST',
      path: `/${ask.chain}/api/v1/quote`,
      body: JSON.stringify({
        sellToken,
        buyToken: ask.tokenOut,
        from: sender,
        receiver: recipient,
        kind: 'sell',
        sellAmountBeforeFee: trade.amountIn.toString(),
        priceQuality: 'fast',
      }),
      signal: ask.signal,
      readError,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { buyToken, buyAmount } = read.value.quote
    if (!isToken(buyToken, ask.tokenOut))
      return fail('invalid_response', 'the quote is for another token')
    return { status: 'reference', amountOut: toAmount(buyAmount) }
  },
}
