import { createHmac } from 'node:crypto'
import { type TSchema, Type } from 'typebox'
import { isNative } from '../../chain/native.ts'
import {
  AddressField,
  Amount,
  Calldata,
  createReader,
  toAddress,
  toAmount,
} from '../provider/fields.ts'
import { clip, type HttpAnswer } from '../provider/http.ts'
import { type Ask, fractionOf, isToken, type Provider, toQuote } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

const envelope = <schema extends TSchema>(schema: schema) =>
  Type.Object({ data: Type.Array(schema, { minItems: 1 }) })
const readSwap = createReader(
  envelope(
    Type.Object({
      routerResult: Type.Object({
        toTokenAmount: Amount,
        toToken: Type.Optional(Type.Object({ tokenContractAddress: AddressField })),
      }),
      tx: Type.Object({
        to: AddressField,
        data: Calldata,
        value: Amount,
        gas: Type.Optional(Amount),
        minReceiveAmount: Type.Optional(Amount),
      }),
    }),
  ),
)
const readApproval = createReader(envelope(Type.Object({ dexContractAddress: AddressField })))
const readProblem = createReader(
  Type.Object({
    code: Type.Union([Type.String(), Type.Integer()]),
    msg: Type.Optional(Type.String()),
  }),
)

/** Failures come in a 200 whose `code` is not "0". 50011 is the rate limit. */
function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok') return undefined
  const code = String(problem.value.code)
  if (code === '0') return undefined
  const detail = clip(`${code} ${problem.value.msg ?? ''}`)
  if (code === '50011') return fail('rate_limited', detail)
  if (/^501\d\d$/.test(code)) return fail('not_configured', detail)
  return code.startsWith('82') ? fail('no_route', detail) : fail('upstream_error', detail)
}

/** The key of the configuration is `key:secret:passphrase`; the secret signs each request. */
function signedHeaders({ key = '', now }: Ask, path: string): Record<string, string> {
  const [apiKey = '', secret = '', ...passphrase] = key.split(':')
  const timestamp = new Date(now()).toISOString()
  const sign = createHmac('sha256', secret).update(`${timestamp}GET${path}`).digest('base64')
  return {
    'ok-access-key': apiKey,
    'ok-access-sign': sign,
    'ok-access-timestamp': timestamp,
    'ok-access-passphrase': passphrase.join(':'),
  }
}

function get(ask: Ask, name: string, query: Record<string, string>): Promise<HttpAnswer> {
  const path = `/api/v5/dex/aggregator/${name}?${new URLSearchParams(query)}`
  const { http, signal } = ask
  return http.call({ path, headers: signedHeaders(ask, path), signal, readError })
}

/** OKX DEX v5. Its spender is another contract than its target, and a request of its own. */
export const okx: Provider = {
  name: 'okx',
  baseUrl: 'https://web3.okx.com',
  auth: 'required',
  native: 'e',
  exactOutput: false,
  loosestBps: 9_900,
  // No list of its contracts was found; only the standard policy takes its quotes.
  ask: async (ask) => {
    const { request, chain: chainIndex, tokenIn, tokenOut } = ask
    const { trade, sender, recipient } = request
    if (trade.type !== 'exactInput') return fail('unsupported_exact_output')
    const amount = trade.amountIn.toString()
    const swap = get(ask, 'swap', {
      chainIndex,
      amount,
      fromTokenAddress: tokenIn,
      toTokenAddress: tokenOut,
      slippage: fractionOf(ask.slippageBps),
      userWalletAddress: sender,
      swapReceiverAddress: recipient,
    })
    const approval = isNative(request.tokenIn)
      ? undefined
      : get(ask, 'approve-transaction', {
          chainIndex,
          tokenContractAddress: tokenIn,
          approveAmount: amount,
        })
    const [swapped, approved] = await Promise.all([swap, approval])
    if (swapped.status !== 'ok') return swapped
    if (approved && approved.status !== 'ok') return approved
    const read = readSwap(swapped.body)
    if (read.status !== 'ok') return read
    const spender = approved && readApproval(approved.body)
    if (spender && spender.status !== 'ok') return spender
    const [answer] = read.value.data
    if (!answer) return fail('invalid_response', 'the body is empty')
    const { tx, routerResult } = answer
    const out = routerResult.toToken?.tokenContractAddress
    if (out !== undefined && !isToken(out, tokenOut))
      return fail('invalid_response', 'the quote is for another token')
    return toQuote('okx', ask, {
      amountOut: toAmount(routerResult.toTokenAmount),
      ...(tx.minReceiveAmount !== undefined && { minAmountOut: toAmount(tx.minReceiveAmount) }),
      target: toAddress(tx.to),
      spender: toAddress(spender?.value.data[0]?.dexContractAddress ?? tx.to),
      calldata: tx.data,
      value: toAmount(tx.value),
      gasEstimate: toAmount(tx.gas ?? 0),
    })
  },
}
