import { type Static, Type } from 'typebox'
import { getAddress } from 'viem'
import {
  address,
  bps,
  chainId,
  named,
  oneOf,
  positiveUint256,
  slippageBpsOrAuto,
  uint256,
  withDefault,
} from '../../http/schemas.ts'
import type { Disposal, DisposalParameters, LegResult } from '../quoteLpDisposal.ts'
import type { UsdPrice } from '../usdPrices.ts'
import { fromQuote, quoteResponse, toTaker } from './quote.ts'
import { routeOptionFields, toRouteOptions } from './routeOptions.ts'

const mostLegs = 8
/** A position worth more is a mistake, and its amount would leave what floats count exactly. */
export const mostUsd = 1e15

const leg = named(
  'LpLeg',
  Type.Object({
    token: address({ description: 'The zero address is the native currency' }),
    value_usd: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['number', 'null'],
        description: `Estimated USD value held, above 0 and up to ${mostUsd}; ignored if amount is set`,
      }),
    ),
    amount: Type.Optional(positiveUint256({ description: 'Explicit raw amount' })),
    max_amount: Type.Optional(
      positiveUint256({ description: 'Raw upper bound; the amount is clamped to it' }),
    ),
  }),
)

export const disposalBody = (chainIds: readonly number[]) =>
  named(
    'LpDisposalRequest',
    Type.Object({
      chain_id: chainId(chainIds),
      target_token: address(),
      legs: Type.Array(leg, { minItems: 1, maxItems: mostLegs }),
      slippage_bps: slippageBpsOrAuto(),
      amount_haircut_bps: bps(50, { description: 'Taken off value-derived amounts' }),
      taker: Type.Optional(address()),
      routing_mode: withDefault(oneOf(['deep', 'ultra'], { description: 'Default deep' })),
      allow_partial: withDefault(
        Type.Boolean({ default: false, description: 'Report failed legs in place' }),
      ),
      allow_unbounded_estimate: withDefault(
        Type.Boolean({
          default: false,
          description:
            'Waives max_amount; for estimates, not for verbatim execution: legs without a bound have no payload',
        }),
      ),
      ...routeOptionFields,
    }),
  )

export type DisposalBody = Static<ReturnType<typeof disposalBody>>

/** USD times 10^18 from the shortest decimal form of the number: no binary fraction creeps in. */
export function toUsdE18(value: number): bigint {
  const [mantissa = '0', exponent = '0'] = value.toString().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  const shift = 18 + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
}

export function toDisposal(body: DisposalBody): DisposalParameters {
  return {
    chainId: body.chain_id,
    targetToken: getAddress(body.target_token),
    slippageBps: body.slippage_bps,
    haircutBps: body.amount_haircut_bps,
    taker: toTaker(body.taker),
    mode: body.routing_mode ?? 'deep',
    allowPartial: body.allow_partial,
    ...toRouteOptions(body),
    legs: body.legs.map((item) => ({
      token: getAddress(item.token),
      valueUsd: item.value_usd ?? undefined,
      ...(item.amount === undefined
        ? { valueUsdE18: typeof item.value_usd === 'number' ? toUsdE18(item.value_usd) : undefined }
        : { amount: BigInt(item.amount) }),
      maxAmount: item.max_amount === undefined ? undefined : BigInt(item.max_amount),
    })),
  }
}

export const disposalResponse = named(
  'LpDisposal',
  Type.Object({
    chain_id: Type.Integer(),
    target_token: address(),
    complete: Type.Boolean(),
    failed_legs: Type.Integer(),
    total_estimated_output: uint256(),
    legs: Type.Array(
      named(
        'LpLegResult',
        Type.Object({
          token: address(),
          value_usd: Type.Number(),
          estimated_amount_in: uint256(),
          amount_source: oneOf(['value_usd', 'explicit']),
          capped: Type.Optional(Type.Boolean()),
          passthrough: Type.Boolean(),
          price: Type.Optional(
            named(
              'UsdPrice',
              Type.Object(
                {
                  source: oneOf(['feed', 'pools']),
                  age_secs: Type.Number({ description: 'Since the round or block it comes from' }),
                  confidence: Type.Number({ minimum: 0, maximum: 1 }),
                },
                { description: 'What a value-derived amount was computed with' },
              ),
            ),
          ),
          quote: Type.Optional(quoteResponse),
          error: Type.Optional(Type.String()),
        }),
      ),
    ),
  }),
)

function fromPrice({ origin, ageSecs, confidence }: UsdPrice) {
  return { source: origin, age_secs: ageSecs, confidence: Number(confidence.toFixed(4)) }
}

function fromLeg(result: LegResult, options: { readonly serviceName: string }) {
  return {
    token: result.token,
    value_usd: result.valueUsd,
    estimated_amount_in: result.amountIn.toString(),
    amount_source: result.amountSource,
    ...(result.capped && { capped: true }),
    passthrough: result.passthrough,
    ...(result.price && { price: fromPrice(result.price) }),
    ...(result.quote && { quote: fromQuote(result.quote, options) }),
    ...(result.error !== undefined && { error: result.error }),
  }
}

export function fromDisposal(
  disposal: Disposal,
  options: { readonly serviceName: string },
): Static<typeof disposalResponse> {
  return {
    chain_id: disposal.chainId,
    target_token: disposal.targetToken,
    complete: disposal.complete,
    failed_legs: disposal.failedLegs,
    total_estimated_output: disposal.totalOutput.toString(),
    legs: disposal.legs.map((result) => fromLeg(result, options)),
  }
}
