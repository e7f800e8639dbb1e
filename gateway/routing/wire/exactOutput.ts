import { type Static, Type } from 'typebox'
import { getAddress } from 'viem'
import {
  address,
  chainId,
  named,
  positiveUint256,
  slippageBpsOrAuto,
  uint256,
  withDefault,
} from '../../http/schemas.ts'
import type { Quote } from '../finishQuote.ts'
import type { ExactOutputParameters } from '../quoteExactOutput.ts'
import { fromQuote, type QuoteOptions, quoteResponse, toTaker } from './quote.ts'
import { routeOptionQuery, toRouteOptions } from './routeOptions.ts'

export const exactOutputQuery = (chainIds: readonly number[]) =>
  Type.Object({
    chain_id: chainId(chainIds),
    token_in: address(),
    token_out: address(),
    target_output: positiveUint256({ description: 'Raw amount to receive at least' }),
    max_input: positiveUint256({ description: 'Raw amount to spend at most' }),
    slippage_bps: slippageBpsOrAuto(),
    executable_only: withDefault(
      Type.Boolean({ default: true, description: 'Refuse routes without a payload' }),
    ),
    verify: withDefault(Type.Boolean({ default: false })),
    taker: Type.Optional(address({ description: 'Wallet that will submit' })),
    ...routeOptionQuery,
    route_graph: Type.Optional(Type.Boolean({ description: 'Answer the route as a graph, too' })),
  })

export function toExactOutput(
  query: Static<ReturnType<typeof exactOutputQuery>>,
): ExactOutputParameters {
  return {
    chainId: query.chain_id,
    tokenIn: getAddress(query.token_in),
    tokenOut: getAddress(query.token_out),
    targetOutput: BigInt(query.target_output),
    maxInput: BigInt(query.max_input),
    slippageBps: query.slippage_bps,
    executableOnly: query.executable_only,
    verify: query.verify,
    taker: toTaker(query.taker),
    ...toRouteOptions(query),
  }
}

export const exactOutputResponse = named(
  'ExactOutputQuote',
  Type.Object({
    ...quoteResponse.properties,
    input_consumed: uint256({ description: 'Raw amount the payload spends' }),
  }),
)

export function fromExactOutput(quote: Quote, options: QuoteOptions) {
  return {
    ...fromQuote(quote, options),
    source: 'SmartRouter:exact_output_via_exact_input' as const,
    input_consumed: quote.inputConsumed.toString(),
  }
}
