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

const Taxes = Type.Object({
  buyTaxBps: Type.Optional(Type.Union([Amount, Type.Null()])),
  sellTaxBps: Type.Optional(Type.Union([Amount, Type.Null()])),
})
const readAnswer = createReader(
  Type.Object({
    liquidityAvailable: Type.Boolean(),
    buyToken: Type.Optional(AddressField),
    sellToken: Type.Optional(AddressField),
    sellAmount: Type.Optional(Amount),
    buyAmount: Type.Optional(Amount),
    minBuyAmount: Type.Optional(Amount),
    allowanceTarget: Type.Optional(Type.Union([AddressField, Type.Null()])),
    tokenMetadata: Type.Optional(
      Type.Object({ buyToken: Type.Optional(Taxes), sellToken: Type.Optional(Taxes) }),
    ),
    transaction: Type.Optional(
      Type.Object({
        to: AddressField,
        data: Calldata,
        value: Amount,
        gas: Type.Optional(Type.Union([Amount, Type.Null()])),
      }),
    ),
  }),
)
const readProblem = createReader(Type.Object({ name: Type.String() }))

function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok') return undefined
  const { name } = problem.value
  if (name === 'TOKEN_NOT_SUPPORTED' || name.includes('NOT_AUTHORIZED_FOR_TRADE'))
    return fail('unsupported_token', clip(name))
  return name.startsWith('INTERNAL') ? undefined : fail('no_route', clip(name))
}

const bps = (value: string | number | null | undefined) => Number(value ?? 0)

/** 0x Swap API v2 through the AllowanceHolder. */
export const zeroX: Provider = {
  name: '0x',
  baseUrl: 'https://api.0x.org',
  auth: 'required',
  native: 'e',
  exactOutput: false,
  loosestBps: 10_000,
  ask: async (ask) => {
    const { request, tokenIn, tokenOut } = ask
    const { trade, sender, recipient } = request
    if (trade.type !== 'exactInput') return fail('unsupported_exact_output')
    const answer = await ask.http.call({
      path: '/swap/allowance-holder/quote',
      query: {
        chainId: ask.chain,
        sellToken: tokenIn,
        buyToken: tokenOut,
        sellAmount: trade.amountIn.toString(),
        taker: sender,
        recipient: sender === recipient ? undefined : recipient,
        slippageBps: ask.slippageBps,
      },
      headers: { '0x-api-key': ask.key, '0x-version': 'v2' },
      signal: ask.signal,
      readError,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { liquidityAvailable, buyAmount, transaction, ...quote } = read.value
    // Failed inside a 200: no liquidity, and then none of the other fields.
    if (!liquidityAvailable) return fail('no_route')
    if (buyAmount === undefined || !transaction) return fail('invalid_response', 'no transaction')
    if (quote.buyToken !== undefined && !isToken(quote.buyToken, tokenOut))
      return fail('invalid_response', 'the quote is for another token')
    return toQuote('0x', ask, {
      ...(quote.sellAmount !== undefined && { amountIn: toAmount(quote.sellAmount) }),
      amountOut: toAmount(buyAmount),
      ...(quote.minBuyAmount !== undefined && { minAmountOut: toAmount(quote.minBuyAmount) }),
      target: toAddress(transaction.to),
      spender: toAddress(quote.allowanceTarget ?? transaction.to),
      calldata: transaction.data,
      value: toAmount(transaction.value),
      gasEstimate: toAmount(transaction.gas ?? 0),
      taxInBps: bps(quote.tokenMetadata?.sellToken?.sellTaxBps),
      taxOutBps: bps(quote.tokenMetadata?.buyToken?.buyTaxBps),
    })
  },
}
