import { Type } from 'typebox'
import { wholeBps } from '../../amounts/amounts.ts'
import {
  AddressField,
  Amount,
  Calldata,
  createReader,
  toAddress,
  toAmount,
} from '../provider/fields.ts'
import { clip } from '../provider/http.ts'
import { fractionOf, isToken, type Provider, toQuote } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

const Token = Type.Object({ address: AddressField, chainId: Type.Integer() })
const readAnswer = createReader(
  Type.Object({
    tool: Type.Optional(Type.String()),
    action: Type.Object({ fromToken: Token, toToken: Token }),
    estimate: Type.Object({
      fromAmount: Amount,
      toAmount: Amount,
      toAmountMin: Amount,
      approvalAddress: AddressField,
      gasCosts: Type.Optional(Type.Array(Type.Object({ estimate: Amount }))),
    }),
    transactionRequest: Type.Object({ to: AddressField, data: Calldata, value: Amount }),
  }),
)
const readProblem = createReader(
  Type.Object({ code: Type.Integer(), message: Type.Optional(Type.String()) }),
)

/** Its numbers: 1002 no quote, 1003 not found, 1005 rate limit, 1008 slippage, 1011 validation. */
function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok') return undefined
  const { code, message } = problem.value
  const detail = clip(`${code} ${message ?? ''}`)
  if (code === 1005) return fail('rate_limited', detail)
  return code === 1000 ? fail('upstream_error', detail) : fail('no_route', detail)
}

/** An exact output is asked for with its slippage on top, so that the guaranteed minimum reaches it. */
function raised(target: bigint, slippageBps: number): bigint {
  const left = BigInt(Math.max(1, 10_000 - slippageBps))
  return (target * wholeBps + left - 1n) / left
}

/** LI.FI, both sides, on one chain. Values and gas come in hex. */
export const lifi: Provider = {
  name: 'lifi',
  baseUrl: 'https://li.quest',
  auth: 'optional',
  native: 'zero',
  exactOutput: true,
  loosestBps: 9_900,
  ask: async (ask) => {
    const { request, chain } = ask
    const { trade, sender, recipient } = request
    const exactIn = trade.type === 'exactInput'
    const amount = exactIn
      ? { fromAmount: trade.amountIn.toString() }
      : { toAmount: raised(trade.targetOut, request.slippageBps).toString() }
    const answer = await ask.http.call({
      path: exactIn ? '/v1/quote' : '/v1/quote/toAmount',
      query: {
        fromChain: chain,
        toChain: chain,
        fromToken: ask.tokenIn,
        toToken: ask.tokenOut,
        ...amount,
        fromAddress: sender,
        toAddress: recipient,
        slippage: fractionOf(ask.slippageBps),
      },
      headers: { 'x-lifi-api-key': ask.key },
      signal: ask.signal,
      readError,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { action, estimate, transactionRequest: tx, tool } = read.value
    if (action.toToken.chainId !== request.chainId)
      return fail('invalid_response', 'the quote is for another chain')
    if (!isToken(action.toToken.address, ask.tokenOut))
      return fail('invalid_response', 'the quote is for another token')
    const gas = (estimate.gasCosts ?? []).reduce((sum, cost) => sum + toAmount(cost.estimate), 0n)
    return toQuote('lifi', ask, {
      amountIn: toAmount(estimate.fromAmount),
      amountOut: toAmount(estimate.toAmount),
      minAmountOut: toAmount(estimate.toAmountMin),
      target: toAddress(tx.to),
      spender: toAddress(estimate.approvalAddress),
      calldata: tx.data,
      value: toAmount(tx.value),
      gasEstimate: gas,
      isFirm: true,
      ...(tool !== undefined && { route: clip(tool) }),
    })
  },
}
