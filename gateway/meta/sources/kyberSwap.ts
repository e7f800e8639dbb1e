import { parse, stringify } from 'lossless-json'
import { Type } from 'typebox'
import {
  AddressField,
  Amount,
  Calldata,
  createReader,
  toAddress,
  toAmount,
} from '../provider/fields.ts'
import { clip, type HttpCall } from '../provider/http.ts'
import { type Ask, isToken, type Provider, toQuote } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

const clientId = 'forkyard'
const validitySecs = 1_200

const readRoute = createReader(
  Type.Object({
    data: Type.Object({
      routeSummary: Type.Object({
        tokenIn: AddressField,
        tokenOut: AddressField,
        amountIn: Amount,
        amountOut: Amount,
      }),
      routerAddress: AddressField,
    }),
  }),
)
const readBuilt = createReader(
  Type.Object({
    data: Type.Object({
      amountIn: Amount,
      amountOut: Amount,
      gas: Amount,
      data: Calldata,
      routerAddress: AddressField,
      transactionValue: Type.Optional(Amount),
    }),
  }),
)
const readProblem = createReader(
  Type.Object({ code: Type.Integer(), message: Type.Optional(Type.String()) }),
)

/** Code 0 is success, with whatever HTTP status; the rest are documented numbers. */
function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok' || problem.value.code === 0) return undefined
  const { code, message } = problem.value
  const detail = clip(`${code} ${message ?? ''}`)
  if (code === 4011) return fail('unsupported_token', detail)
  if (code >= 4000 && code < 5000) return fail('no_route', detail)
  return fail('upstream_error', detail)
}

/** The summary must go back exactly as it came, so its numbers never pass through a float. */
function summaryOf(text: string): unknown {
  const body = parse(text) as { readonly data: { readonly routeSummary: unknown } }
  return body.data.routeSummary
}

function buildBody(ask: Ask, routeText: string): string | undefined {
  const { sender, recipient } = ask.request
  return stringify({
    routeSummary: summaryOf(routeText),
    sender,
    recipient,
    slippageTolerance: ask.slippageBps,
    deadline: Math.floor(ask.now() / 1000) + validitySecs,
    source: clientId,
    enableGasEstimation: false,
  })
}

/** KyberSwap aggregator v1: find a route, then build its payload. */
export const kyberSwap: Provider = {
  name: 'kyberswap',
  baseUrl: 'https://aggregator-api.kyberswap.com',
  auth: 'none',
  native: 'e',
  exactOutput: false,
  loosestBps: 2_000,
  ask: async (ask) => {
    const { trade } = ask.request
    if (trade.type !== 'exactInput') return fail('unsupported_exact_output')
    const common: Pick<HttpCall, 'headers' | 'signal' | 'readError'> = {
      headers: { 'x-client-id': clientId },
      signal: ask.signal,
      readError,
    }
    const route = await ask.http.call({
      ...common,
      path: `/${ask.chain}/api/v1/routes`,
      query: {
        tokenIn: ask.tokenIn,
        tokenOut: ask.tokenOut,
        amountIn: trade.amountIn.toString(),
        gasInclude: true,
        origin: ask.request.recipient,
      },
    })
    if (route.status !== 'ok') return route
    const found = readRoute(route.body)
    if (found.status !== 'ok') return found
    if (!isToken(found.value.data.routeSummary.tokenOut, ask.tokenOut))
      return fail('invalid_response', 'the route is for another token')
    const built = await ask.http.call({
      ...common,
      method: 'POST',
      path: `/${ask.chain}/api/v1/route/build`,
      body: buildBody(ask, route.text),
    })
    if (built.status !== 'ok') return built
    const read = readBuilt(built.body)
    if (read.status !== 'ok') return read
    const { data } = read.value
    return toQuote('kyberswap', ask, {
      amountIn: toAmount(data.amountIn),
      amountOut: toAmount(data.amountOut),
      target: toAddress(data.routerAddress),
      spender: toAddress(data.routerAddress),
      calldata: data.data,
      value: toAmount(data.transactionValue ?? 0),
      gasEstimate: toAmount(data.gas),
    })
  },
}
