import { Type } from 'typebox'
import { isNative } from '../../chain/native.ts'
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

const Side = Type.Record(
  Type.String(),
  Type.Object({ amount: Amount, minimumAmount: Type.Optional(Amount) }),
)
const readAnswer = createReader(
  Type.Object({
    status: Type.String(),
    chainId: Type.Integer(),
    approvalTarget: AddressField,
    buyTokens: Side,
    sellTokens: Side,
    tx: Type.Object({
      to: AddressField,
      value: Amount,
      data: Calldata,
      gas: Type.Optional(Type.Union([Amount, Type.Null()])),
    }),
  }),
)
const readProblem = createReader(
  Type.Object({
    error: Type.Object({ errorCode: Type.Integer(), message: Type.Optional(Type.String()) }),
  }),
)

/** May come with HTTP 200. 102 liquidity, 104 size, 105 token, 106 gas, 108 route, 111 rate. */
function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok') return undefined
  const { errorCode, message } = problem.value.error
  const detail = clip(`${errorCode} ${message ?? ''}`)
  if (errorCode === 111) return fail('rate_limited', detail)
  if (errorCode === 105) return fail('unsupported_token', detail)
  return fail('no_route', detail)
}

/** Bebop RFQ (PMM) v3: firm quotes of market makers, both sides. Sells the wrapped currency only. */
export const bebop: Provider = {
  name: 'bebop',
  baseUrl: 'https://api.bebop.xyz',
  auth: 'required',
  native: 'e',
  exactOutput: true,
  // Firm: there is no guard to relax.
  loosestBps: undefined,
  ask: async (ask) => {
    const { trade, sender, recipient, tokenIn, chainId } = ask.request
    if (isNative(tokenIn)) return fail('unsupported_token', 'sells no native currency')
    const exactIn = trade.type === 'exactInput'
    const answer = await ask.http.call({
      path: `/pmm/${ask.chain}/v3/quote`,
      query: {
        ['sell_tokens']: ask.tokenIn,
        ['buy_tokens']: ask.tokenOut,
        [exactIn ? 'sell_amounts' : 'buy_amounts']: (exactIn
          ? trade.amountIn
          : trade.targetOut
        ).toString(),
        ['taker_address']: sender,
        ['receiver_address']: recipient,
        gasless: false,
        ['approval_type']: 'Standard',
        ['skip_validation']: true,
      },
      headers: { 'source-auth': ask.key },
      signal: ask.signal,
      readError,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { buyTokens, sellTokens, tx, ...quote } = read.value
    if (quote.chainId !== chainId) return fail('invalid_response', 'the quote is for another chain')
    const bought = Object.entries(buyTokens).find(([token]) => isToken(token, ask.tokenOut))?.[1]
    const sold = Object.entries(sellTokens).find(([token]) => isToken(token, ask.tokenIn))?.[1]
    if (!bought || !sold) return fail('invalid_response', 'the quote is for another token')
    const amountOut = toAmount(bought.amount)
    return toQuote('bebop', ask, {
      amountIn: toAmount(sold.amount),
      amountOut,
      minAmountOut: bought.minimumAmount === undefined ? amountOut : toAmount(bought.minimumAmount),
      target: toAddress(tx.to),
      spender: toAddress(quote.approvalTarget),
      calldata: tx.data,
      value: toAmount(tx.value),
      gasEstimate: toAmount(tx.gas ?? 0),
      isFirm: true,
    })
  },
}
