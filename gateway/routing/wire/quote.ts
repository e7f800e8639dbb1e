import { type Static, Type } from 'typebox'
import { type Hex, toHex, zeroAddress } from 'viem'
import {
  address,
  bytes32,
  chainId,
  named,
  oneOf,
  positiveUint256,
  slippageBpsOrAuto,
  toChecksummed,
  uint256,
  withDefault,
} from '../../http/schemas.ts'
import type { Quote } from '../finishQuote.ts'
import { mostOfCaller } from '../quoteBook.ts'
import type { QuoteParameters } from '../quoteRequest.ts'
import type { TokenInfo } from '../reads/readTokens.ts'
import type { QuoteStep } from '../routeCache.ts'
import { routeGraph, toRouteGraph } from './routeGraph.ts'
import { routeOptionFields, toRouteOptions } from './routeOptions.ts'

const mostAlternatives = 3

export const quoteBody = (chainIds: readonly number[]) =>
  named(
    'QuoteRequest',
    Type.Object(
      {
        chain_id: chainId(chainIds),
        token_in: address({
          description: 'Token to sell; the zero address is the native currency',
        }),
        token_out: address({
          description: 'Token to buy; the zero address is the native currency',
        }),
        amount_in: positiveUint256({ description: 'Raw amount to sell' }),
        slippage_bps: slippageBpsOrAuto(),
        taker: Type.Optional(
          address({ description: 'Wallet that will submit; the output goes to it' }),
        ),
        allow_partial: withDefault(
          Type.Boolean({
            default: false,
            description: 'Quote what the pools take when they cannot take all of amount_in',
          }),
        ),
        verify: withDefault(
          Type.Boolean({ default: false, description: 'Dry-run the payload before answering' }),
        ),
        ...routeOptionFields,
        alternatives: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: mostAlternatives,
            description:
              'Further quotes to answer, the next best ones; no two share a pool. Each that is asked for costs a unit',
          }),
        ),
        route_graph: Type.Optional(
          Type.Boolean({ description: 'Answer the route as a graph, too, for drawing' }),
        ),
      },
      { description: 'Unknown fields are ignored' },
    ),
  )

export function toQuoteParameters(body: Static<ReturnType<typeof quoteBody>>): QuoteParameters {
  return {
    chainId: body.chain_id,
    tokenIn: toChecksummed(body.token_in),
    tokenOut: toChecksummed(body.token_out),
    amountIn: BigInt(body.amount_in),
    slippageBps: body.slippage_bps,
    taker: toTaker(body.taker),
    allowPartial: body.allow_partial,
    verify: body.verify,
    ...toRouteOptions(body),
    alternatives: body.alternatives,
  }
}

type Extras = {
  readonly alternatives?: number | undefined
  readonly route_graph?: boolean | undefined
}

/** Units of quota: each alternative is a search of its own. */
export const unitsOf = ({ alternatives = 0 }: Extras): number => 1 + alternatives

/** Whether the answer is that of a quote alone. */
export const isPlain = ({ alternatives = 0, route_graph: hasGraph = false }: Extras): boolean =>
  alternatives === 0 && !hasGraph

/** The zero address as taker means the same as none. */
export function toTaker(taker: string | undefined) {
  return taker === undefined || BigInt(taker) === 0n ? undefined : toChecksummed(taker)
}

const step = named(
  'QuoteStep',
  Type.Object({
    protocol: Type.String(),
    dex: Type.String(),
    pool: address(),
    pool_id: Type.Optional(bytes32({ description: 'Where many pools share one contract' })),
    token_in: address(),
    token_out: address(),
    fee_pips: Type.Integer(),
    amount_in: uint256(),
    amount_out: uint256(),
    path: Type.Integer({ description: 'Number of the parallel path, from 0' }),
    share_bps: Type.Integer({
      description: "Part of the route's input that flows through this step",
    }),
  }),
)

/** All but the long parts. */
export const quoteHead = {
  dex: Type.String({ description: 'Name of this service' }),
  output: uint256({ description: 'Raw amount the taker receives when the state has not moved' }),
  gas_estimate: uint256({ description: 'Execution gas; an L1 data fee comes on top' }),
  source: oneOf(['local', 'path_hint', 'rpc', 'SmartRouter:exact_output_via_exact_input']),
  route_path: Type.String(),
  price_impact_bps: Type.Integer({ minimum: 0, maximum: 65_535 }),
  market_impact_bps: Type.Optional(
    Type.Integer({
      minimum: -10_000,
      maximum: 10_000,
      description:
        "Like price_impact_bps, but against what all pools of each step's two tokens say together (the median of their mid prices, weighted by depth): a pool off the market costs what it is off. Below 0 where the route gives more",
    }),
  ),
  pool_grades: Type.Array(oneOf(['A', 'B', 'C', 'D', 'E', 'F']), {
    description:
      'One per step. A, B, C, D, E for a step that costs at most 0.35, 1, 3, 10, 30 % against the mid price of its pool, else F; one down each for state older than 5 s, a pool unused for a week and a taxed token, two for a tax over 5 %',
  }),
  route_readiness: Type.String(),
  last_sync_block: Type.Integer(),
  sync_lag_ms: Type.Integer(),
  verify_block_lag: Type.Optional(Type.Integer()),
  verified_output: Type.Optional(uint256()),
  deviation_bps: Type.Optional(Type.Integer()),
  tax_in_bps: Type.Integer(),
  tax_out_bps: Type.Integer(),
  route_executable: Type.Boolean(),
  route_unexecutable_reason: Type.Optional(Type.String()),
  min_output: uint256({ description: 'What the payload enforces: output less slippage' }),
  slippage_auto: Type.Optional(
    Type.Object(
      {
        bps: Type.Integer({ description: 'The slippage that min_output has: 10 to 150' }),
        move_bps: Type.Number({
          description:
            "What the route's price is expected to move in a minute (one standard deviation, from the mid prices of its pools, each by its share). The slippage is 10 and twice this",
        }),
        observed_secs: Type.Integer({
          description:
            'How long the pools were looked at; what is over ten minutes ago counts less. Under a minute the slippage is 50 at least',
        }),
      },
      { description: 'Where slippage_bps is auto: how it was found' },
    ),
  ),
  input_consumed: Type.Optional(uint256()),
  optimality_gap_bps: Type.Optional(
    Type.Number({
      description:
        'At most this far, net of gas, below the best possible route of whatever length that visits no token twice. Absent where nothing proves it: routes of pools that the chain was asked about, hints, exact outputs, alternatives, searches that had no work left, and where gas takes all that it brings',
    }),
  ),
  quote_hash: Type.Optional(
    bytes32({
      description: `GET /quote/:hash explains the quote for ten minutes, to this key; of its latest ${mostOfCaller}`,
    }),
  ),
}

const quoteFields = {
  ...quoteHead,
  router: Type.Optional(address({ description: 'Same as execution.target' })),
  calldata: Type.Optional(Type.String({ description: 'Same as execution.calldata' })),
  execution: Type.Optional(
    named(
      'Execution',
      Type.Object({
        spender: address(),
        target: address(),
        calldata: Type.String(),
        value: Type.String({ description: 'Hex msg.value' }),
      }),
    ),
  ),
  steps: Type.Array(step),
}

const withGraph = named(
  'AlternativeQuote',
  Type.Object({ ...quoteFields, route_graph: Type.Optional(routeGraph) }),
)
export const quoteResponse = named(
  'Quote',
  Type.Object({
    ...withGraph.properties,
    alternatives: Type.Optional(
      Type.Array(withGraph, {
        description: 'Where some were asked for: fewer where the pools give out',
      }),
    ),
  }),
)
export type QuoteResponse = Static<typeof quoteResponse>

export function fromStep(item: QuoteStep) {
  return {
    protocol: item.protocol,
    dex: item.dex,
    pool: item.pool,
    ...(item.poolId && { pool_id: item.poolId }),
    token_in: item.tokenIn,
    token_out: item.tokenOut,
    fee_pips: item.feePips,
    amount_in: item.amountIn.toString(),
    amount_out: item.amountOut.toString(),
    path: item.path,
    share_bps: item.shareBps,
  }
}

function fromExecution(execution: Quote['execution']) {
  if (!execution) return { router: zeroAddress, calldata: '0x' }
  const { spender, target, data, value } = execution
  return {
    router: target,
    calldata: data,
    execution: { spender, target, calldata: data, value: toHex(value) },
  }
}

function fromVerification(verification: Quote['verification']) {
  if (!verification || verification.status === 'unavailable') return {}
  const { blockLag } = verification
  if (verification.status === 'failed') return { verify_block_lag: blockLag }
  return {
    verify_block_lag: blockLag,
    verified_output: verification.amountOut.toString(),
    deviation_bps: verification.deviationBps,
  }
}

function fromAutoSlippage(slippage: Quote['autoSlippage']) {
  if (!slippage) return {}
  const { bps, moveBps, observedMs } = slippage
  const observed = Math.floor(observedMs / 1000)
  return {
    slippage_auto: { bps, move_bps: Number(moveBps.toFixed(2)), observed_secs: observed },
  }
}

export type QuoteOptions = {
  readonly serviceName: string
  /** Of the quote, where it is kept. */
  readonly hash?: Hex | undefined
  /** Known tokens, where a graph is asked for. */
  readonly graphTokens?: ReadonlyMap<string, TokenInfo> | undefined
}

/** Everything but the long parts: calldata and steps. */
export function fromQuoteHead(quote: Quote, { serviceName, hash }: QuoteOptions) {
  return {
    dex: serviceName,
    output: quote.amountOut.toString(),
    min_output: quote.minAmountOut.toString(),
    gas_estimate: quote.gasEstimate.toString(),
    source: quote.source,
    route_path: quote.routePath,
    price_impact_bps: quote.priceImpactBps,
    ...(quote.marketImpactBps !== undefined && { market_impact_bps: quote.marketImpactBps }),
    pool_grades: [...quote.poolGrades],
    route_readiness: quote.readiness,
    last_sync_block: Number(quote.lastSyncBlock),
    sync_lag_ms: quote.syncLagMs,
    ...fromVerification(quote.verification),
    tax_in_bps: quote.taxInBps,
    tax_out_bps: quote.taxOutBps,
    route_executable: quote.executable,
    ...(quote.unexecutableReason && { route_unexecutable_reason: quote.unexecutableReason }),
    ...fromAutoSlippage(quote.autoSlippage),
    ...(quote.inputConsumed !== quote.amountIn && {
      input_consumed: quote.inputConsumed.toString(),
    }),
    ...(quote.optimalityGapBps !== undefined && { optimality_gap_bps: quote.optimalityGapBps }),
    ...(hash && { quote_hash: hash }),
  }
}

export function fromQuote(quote: Quote, options: QuoteOptions): QuoteResponse {
  return {
    ...fromQuoteHead(quote, options),
    ...fromExecution(quote.execution),
    steps: quote.steps.map(fromStep),
    ...(options.graphTokens && { route_graph: toRouteGraph(quote.steps, options.graphTokens) }),
    ...(quote.alternatives && {
      alternatives: quote.alternatives.map((other) =>
        fromQuote(other, { ...options, hash: undefined }),
      ),
    }),
  }
}
