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
import { type Provider, toQuote } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

// The wire of our own routing service; its names are not camelCase.
const fields = { output: 'output', gas: 'gas_estimate', route: 'route_path' } as const

const readAnswer = createReader(
  Type.Object({
    [fields.output]: Amount,
    [fields.gas]: Amount,
    [fields.route]: Type.Optional(Type.String()),
    ['tax_in_bps']: Type.Optional(Type.Integer()),
    ['tax_out_bps']: Type.Optional(Type.Integer()),
    ['route_executable']: Type.Boolean(),
    execution: Type.Optional(
      Type.Object({
        spender: AddressField,
        target: AddressField,
        calldata: Calldata,
        value: Amount,
      }),
    ),
  }),
)
const readProblem = createReader(Type.Object({ error: Type.String(), code: Type.String() }))

function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok') return undefined
  const { code, error } = problem.value
  if (code === 'no_route') return fail('no_route')
  if (code === 'rate_limited') return fail('rate_limited', clip(error))
  if (code === 'payment_required' || code === 'unauthorized')
    return fail('not_configured', clip(error))
  return undefined
}

/** The routing service of another gateway. Needs a base URL; there is no public one. */
export const remoteRouting: Provider = {
  name: 'remote-routing',
  baseUrl: 'https://routing.invalid',
  auth: 'required',
  native: 'zero',
  exactOutput: false,
  loosestBps: 10_000,
  ask: async (ask) => {
    const { trade, recipient, chainId } = ask.request
    if (trade.type !== 'exactInput') return fail('unsupported_exact_output')
    const answer = await ask.http.call({
      method: 'POST',
      path: '/quote',
      body: JSON.stringify({
        ['chain_id']: chainId,
        ['token_in']: ask.tokenIn,
        ['token_out']: ask.tokenOut,
        ['amount_in']: trade.amountIn.toString(),
        ['slippage_bps']: ask.slippageBps,
        taker: recipient,
      }),
      headers: { 'x-api-key': ask.key },
      signal: ask.signal,
      readError,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { value: quote } = read
    const { execution } = quote
    if (!quote['route_executable'] || !execution) return fail('no_route', 'not executable')
    return toQuote('remote-routing', ask, {
      amountOut: toAmount(quote[fields.output]),
      target: toAddress(execution.target),
      spender: toAddress(execution.spender),
      calldata: execution.calldata,
      value: toAmount(execution.value),
      gasEstimate: toAmount(quote[fields.gas]),
      taxInBps: quote['tax_in_bps'],
      taxOutBps: quote['tax_out_bps'],
      route: clip(quote[fields.route]),
    })
  },
}
