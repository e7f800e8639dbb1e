import { type Static, Type } from 'typebox'
import { address, bytes32, chainId, named, oneOf, uint256 } from '../../http/schemas.ts'
import { type KeptQuote, keptMs } from '../quoteBook.ts'
import { searchLimits } from '../searchRoute.ts'
import { fromQuoteHead, type QuoteOptions, quoteHead } from './quote.ts'

export const explanationParams = Type.Object({ hash: bytes32() })

const grades = oneOf(['A', 'B', 'C', 'D', 'E', 'F'])

export const explanation = (chainIds: readonly number[]) =>
  named(
    'QuoteExplanation',
    Type.Object({
      hash: bytes32(),
      asked_at: Type.Integer({ description: 'Unix seconds' }),
      expires_at: Type.Integer({ description: 'Unix seconds; then it is forgotten' }),
      request: Type.Object({
        chain_id: chainId(chainIds),
        token_in: address(),
        token_out: address(),
        amount_in: uint256(),
        slippage_bps: Type.Unsafe<number | 'auto'>({ type: ['integer', 'string'] }),
        taker: Type.Optional(address()),
        include_dexes: Type.Optional(Type.Array(Type.String())),
        exclude_dexes: Type.Optional(Type.Array(Type.String())),
        exclude_pools: Type.Optional(Type.Array(Type.String())),
      }),
      search: Type.Object(
        {
          max_hops: Type.Integer(),
          max_steps: Type.Integer(),
          max_work: Type.Integer({ description: 'Looks at a pool; the same on every machine' }),
          gas_price_wei: uint256({ description: 'What the route was chosen by' }),
        },
        { description: 'What bounded the search' },
      ),
      steps: Type.Array(
        Type.Object({
          dex: Type.String(),
          pool: address(),
          share_bps: Type.Integer(),
          impact_bps: Type.Number({
            description: 'Against the mid price of the pool, with its fee',
          }),
          grade: grades,
          pricing: oneOf(['local', 'quoted'], {
            description: 'quoted: by its protocol, on the chain',
          }),
        }),
      ),
      notes: Type.Array(Type.String(), { description: 'What there is to say, one sentence each' }),
      quote: Type.Object(quoteHead, { description: 'The answer without its steps and payload' }),
    }),
  )

export function fromKept(
  { hash, askedAtMs, parameters, gasPriceWei, quote }: KeptQuote,
  { serviceName }: QuoteOptions,
): Static<ReturnType<typeof explanation>> {
  const { options = {}, mode = 'deep', taker } = parameters
  const { maxHops, maxSteps, maxWork } = searchLimits[mode]
  const { includeDexes, excludeDexes, excludePools } = options
  return {
    hash,
    asked_at: Math.floor(askedAtMs / 1000),
    expires_at: Math.floor((askedAtMs + keptMs) / 1000),
    request: {
      chain_id: parameters.chainId,
      token_in: parameters.tokenIn,
      token_out: parameters.tokenOut,
      amount_in: parameters.amountIn.toString(),
      slippage_bps: parameters.slippageBps,
      ...(taker && { taker }),
      ...(includeDexes && { include_dexes: [...includeDexes] }),
      ...(excludeDexes && { exclude_dexes: [...excludeDexes] }),
      ...(excludePools && { exclude_pools: [...excludePools] }),
    },
    search: {
      max_hops: options.maxHops ?? maxHops,
      max_steps: Math.min(options.maxSteps ?? maxSteps, maxSteps),
      max_work: maxWork,
      gas_price_wei: gasPriceWei.toString(),
    },
    steps: quote.steps.map(({ dex, pool, shareBps }, index) => ({
      dex,
      pool,
      share_bps: shareBps,
      impact_bps: Number((quote.stepImpactsBps[index] ?? 0).toFixed(2)),
      grade: quote.poolGrades[index] ?? 'F',
      pricing: quote.areStepsQuoted[index] ? 'quoted' : 'local',
    })),
    notes: [...listNotes(quote)],
    quote: fromQuoteHead(quote, { serviceName }),
  }
}

function* listNotes(quote: KeptQuote['quote']): Generator<string> {
  const { optimalityGapBps: gap, marketImpactBps: market, unexecutableReason } = quote
  if (quote.steps.length === 0) yield 'the native currency is wrapped or unwrapped: no pool is used'
  if (gap === undefined) yield 'nothing bounds how much better another route may be'
  else yield `no route gives over ${gap} bps more, net of gas`
  if (market !== undefined && market > quote.priceImpactBps)
    yield `the pools of the route are ${market - quote.priceImpactBps} bps off what all pools of their tokens say`
  if (quote.inputConsumed < quote.amountIn)
    yield `the pools take ${quote.inputConsumed} of ${quote.amountIn}`
  if (quote.taxInBps > 0) yield `${quote.taxInBps} bps of the token sold are lost to its tax`
  if (quote.taxOutBps > 0) yield `${quote.taxOutBps} bps of the token bought are lost to its tax`
  if (quote.source === 'rpc') yield 'the chain was asked for this answer'
  if (quote.source === 'path_hint') yield 'the pools were old: those of the route were read anew'
  if (unexecutableReason) yield `there was no payload: ${unexecutableReason}`
}
