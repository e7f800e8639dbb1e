import { Type } from 'typebox'
import { type Address, getAddress } from 'viem'
import { isSameAddress } from '../../chain/sameAddress.ts'
import {
  address,
  chainId,
  named,
  oneOf,
  positiveUint256,
  type Static,
  slippageBps,
  withDefault,
} from '../../http/schemas.ts'
import type { MetaRequest } from '../aggregate.ts'
import { calldataPolicies } from '../calldata/checkQuote.ts'
import { nativeToken, type SourceRequest } from '../provider/source.ts'

const eAddress: Address = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const maxSources = 32

/** Body of `POST /quote`. Which amounts must be there depends on `quoteType`; see `toMetaRequest`. */
export function quoteBody(chainIds: readonly number[]) {
  return named(
    'QuoteRequest',
    Type.Object({
      chainId: chainId(chainIds),
      tokenIn: address({
        description: 'The zero address and 0xEeee…EEeE mean the native currency',
      }),
      tokenOut: address({
        description: 'The zero address and 0xEeee…EEeE mean the native currency',
      }),
      amountIn: Type.Optional(positiveUint256({ description: 'Raw; exactInput only' })),
      taker: address({ description: 'The wallet that pays and receives' }),
      slippageBps: slippageBps(50),
      quoteType: withDefault(
        Type.Unsafe<'exactInput' | 'exactOutput'>({
          type: 'string',
          enum: ['exactInput', 'exactOutput'],
          default: 'exactInput',
        }),
      ),
      targetOut: Type.Optional(positiveUint256({ description: 'Raw; exactOutput only' })),
      maxIn: Type.Optional(positiveUint256({ description: 'Raw; exactOutput only' })),
      calldataPolicy: Type.Optional(
        oneOf(calldataPolicies, { description: 'Must be strict for exactOutput' }),
      ),
      dryRun: withDefault(
        Type.Boolean({ default: false, description: 'Simulate every quote on one block' }),
      ),
      proxyAddress: Type.Optional(address({ description: "The taker's proxy; adds proxyTx" })),
      relaxedProviderMinReturn: withDefault(
        Type.Boolean({
          default: false,
          description: "Lowers the sources' own minimum return; exactInput only",
        }),
      ),
    }),
  )
}

/** Body of `POST /quote/stream`: the exact-input body and what only a stream reads. */
export function streamBody(chainIds: readonly number[], sourceNames: readonly string[]) {
  const interval = (description: string) =>
    Type.Optional(Type.Integer({ minimum: 1_000, maximum: 60_000, description }))
  return named(
    'StreamRequest',
    Type.Object({
      ...quoteBody(chainIds).properties,
      keepAliveMs: interval(
        'Interval of keep_alive events, in milliseconds; alone it repeats nothing: that needs refreshIntervalMs',
      ),
      refreshIntervalMs: interval(
        "Interval of repeated dispatch, in milliseconds since the stream's beginning; up to 20 cycles",
      ),
      firstN: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: maxSources,
          description: 'Send initial as soon as this many quotes are there; default 1',
        }),
      ),
      mustInclude: Type.Optional(
        Type.Array(oneOf(sourceNames), {
          maxItems: maxSources,
          description: 'Send initial only when these sources have answered',
        }),
      ),
    }),
  )
}

export type QuoteBody = Static<ReturnType<typeof quoteBody>>

export type ReadRequest =
  | { readonly status: 'ok'; readonly request: MetaRequest }
  | { readonly status: 'invalid'; readonly field: string; readonly reason: string }

const invalid = (field: string, reason: string): ReadRequest => ({
  status: 'invalid',
  field,
  reason,
})

function toToken(token: Address): Address {
  return isSameAddress(token, eAddress) ? nativeToken : getAddress(token)
}

/** What the schema alone cannot say: which fields go together. */
function findContradiction(body: QuoteBody): ReadRequest | undefined {
  if (isSameAddress(toToken(body.tokenIn), toToken(body.tokenOut)))
    return invalid('tokenOut', 'must differ from tokenIn')
  if (isSameAddress(body.taker, nativeToken))
    return invalid('taker', 'must not be the zero address')
  if (body.proxyAddress && isSameAddress(body.proxyAddress, nativeToken))
    return invalid('proxyAddress', 'must not be the zero address')
  return body.quoteType === 'exactOutput' ? checkExactOutput(body) : checkExactInput(body)
}

function checkExactInput(body: QuoteBody): ReadRequest | undefined {
  if (body.amountIn === undefined) return invalid('amountIn', 'is required')
  if (body.targetOut !== undefined) return invalid('targetOut', 'is accepted only for exactOutput')
  if (body.maxIn !== undefined) return invalid('maxIn', 'is accepted only for exactOutput')
  return undefined
}

function checkExactOutput(body: QuoteBody): ReadRequest | undefined {
  if (body.targetOut === undefined) return invalid('targetOut', 'is required for exactOutput')
  if (body.maxIn === undefined) return invalid('maxIn', 'is required for exactOutput')
  if (body.amountIn !== undefined) return invalid('amountIn', 'is accepted only for exactInput')
  if (body.calldataPolicy !== 'strict')
    return invalid('calldataPolicy', 'must be strict for exactOutput')
  if (body.relaxedProviderMinReturn)
    return invalid('relaxedProviderMinReturn', 'is accepted only for exactInput')
  return undefined
}

export function toMetaRequest(body: QuoteBody): ReadRequest {
  const contradiction = findContradiction(body)
  if (contradiction) return contradiction
  const proxy = body.proxyAddress && getAddress(body.proxyAddress)
  const taker = getAddress(body.taker)
  const trade =
    body.quoteType === 'exactOutput'
      ? {
          type: 'exactOutput' as const,
          targetOut: BigInt(body.targetOut ?? 0),
          maxIn: BigInt(body.maxIn ?? 0),
        }
      : { type: 'exactInput' as const, amountIn: BigInt(body.amountIn ?? 0) }
  const source: SourceRequest = {
    chainId: body.chainId,
    tokenIn: toToken(body.tokenIn),
    tokenOut: toToken(body.tokenOut),
    trade,
    sender: proxy ?? taker,
    recipient: taker,
    slippageBps: body.slippageBps,
    relaxMinReturn: body.relaxedProviderMinReturn,
  }
  const policy = body.calldataPolicy ?? 'standard'
  return { status: 'ok', request: { source, policy, dryRun: body.dryRun, proxy } }
}
