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
import { type Provider, percentOf, toQuote } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

const readAnswer = createReader(
  Type.Object({
    code: Type.Integer(),
    data: Type.Object({
      inAmount: Amount,
      outAmount: Amount,
      minOutAmount: Amount,
      estimatedGas: Amount,
      to: AddressField,
      data: Calldata,
      value: Amount,
    }),
  }),
)
const readProblem = createReader(
  Type.Object({ code: Type.Integer(), error: Type.Optional(Type.String()) }),
)

/** Failures come in a 200 whose `code` is not 200. */
function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok' || problem.value.code === 200) return undefined
  const { code, error } = problem.value
  const detail = clip(`${code} ${error ?? ''}`)
  if (code === 429) return fail('rate_limited', detail)
  return code >= 500 && code < 600 ? fail('upstream_error', detail) : fail('no_route', detail)
}

/** OpenOcean v4. Amounts and gas price raw, by the `…Decimals` parameters. */
export const openOcean: Provider = {
  name: 'openocean',
  baseUrl: 'https://open-api.openocean.finance/v4',
  auth: 'optional',
  native: 'e',
  exactOutput: false,
  loosestBps: 5_000,
  ask: async (ask) => {
    const { trade, sender, recipient, chainId } = ask.request
    if (trade.type !== 'exactInput') return fail('unsupported_exact_output')
    const answer = await ask.http.call({
      path: `/${ask.chain}/swap`,
      query: {
        inTokenAddress: ask.tokenIn,
        outTokenAddress: ask.tokenOut,
        amountDecimals: trade.amountIn.toString(),
        gasPriceDecimals: (await ask.gasPriceWei(chainId)).toString(),
        // Its floor: 0.05 %.
        slippage: percentOf(Math.max(5, ask.slippageBps)),
        account: recipient,
        sender,
      },
      headers: { apikey: ask.key },
      signal: ask.signal,
      readError,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { data } = read.value
    return toQuote('openocean', ask, {
      amountIn: toAmount(data.inAmount),
      amountOut: toAmount(data.outAmount),
      minAmountOut: toAmount(data.minOutAmount),
      target: toAddress(data.to),
      spender: toAddress(data.to),
      calldata: data.data,
      value: toAmount(data.value),
      gasEstimate: toAmount(data.estimatedGas),
    })
  },
}
