import type { Caller } from '../../http/access.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { HttpError, httpError } from '../../http/httpError.ts'
import { limitedNetwork } from '../../http/limitedNetwork.ts'
import { json } from '../../http/reply.ts'
import { compare } from '../compare.ts'
import { gradeWhole } from '../gradeWhole.ts'
import { clockSecs } from '../prepareState.ts'
import { type QuoteOutcome, quote } from '../quote.ts'
import { quoteExactOutput } from '../quoteExactOutput.ts'
import { type DisposalOutcome, quoteLpDisposal } from '../quoteLpDisposal.ts'
import { quoteMany } from '../quoteMany.ts'
import { isSameToken, type QuoteDeps, type QuoteParameters } from '../quoteRequest.ts'
import {
  type AgentRegistration,
  listLeftOut,
  listLeftOutPools,
  readChainStatus,
  readHealth,
} from '../registry.ts'
import type { Asker } from '../searchQueue.ts'
import { agentRegistration, fromAgent } from './agentRegistration.ts'
import {
  compareBody,
  compareResponse,
  fromComparison,
  longestLabel,
  mostCandidates,
  toCandidates,
} from './compare.ts'
import {
  exactOutputQuery,
  exactOutputResponse,
  fromExactOutput,
  toExactOutput,
} from './exactOutput.ts'
import * as examples from './examples.ts'
import {
  type DisposalBody,
  disposalBody,
  disposalResponse,
  fromDisposal,
  mostUsd,
  toDisposal,
} from './lpDisposal.ts'
import { fromPool, poolParams, poolResponse } from './pool.ts'
import {
  fromQuote,
  isPlain,
  type QuoteOptions,
  quoteBody,
  quoteResponse,
  toQuoteParameters,
  unitsOf,
} from './quote.ts'
import { fromOutcomes, mostQuotes, quotesBody, quotesResponse } from './quotes.ts'
import * as registry from './registry.ts'
import { findWrongOption, type RouteOptionsBody } from './routeOptions.ts'
import { writeQuote } from './writeQuote.ts'

export type RouteDeps = QuoteDeps & {
  readonly serviceName: string
  readonly version: string
  readonly publicUrl: string
  readonly isQuotaSold?: boolean | undefined
  readonly x402Support: boolean
  readonly registrations?: readonly AgentRegistration[] | undefined
  readonly startedAtMs: number
  readonly warnings?: (() => readonly string[]) | undefined
}

const retrySoon = { headers: { 'retry-after': '1' } }

/** A signal for every quote would show in the tail of the latency: it is made when it is looked at. */
function toAsker(request: {
  readonly caller: Caller | undefined
  readonly ip: string
  readonly signal: AbortSignal
}): Asker {
  const network = limitedNetwork(request.ip)
  return { caller: request.caller?.keyId, network, isGone: () => request.signal.aborted }
}

/** How an answer is written: with a graph where one is asked for. */
function toOptions(
  { serviceName, chains }: RouteDeps,
  asked: { readonly chain_id: number; readonly route_graph?: boolean | undefined } | undefined,
): QuoteOptions {
  const chain = asked?.route_graph === true ? chains.get(asked.chain_id) : undefined
  return { serviceName, graphTokens: chain?.sync.tokens() }
}

/** What a 503 of any of them means. */
const unavailable = 'The chain has not been read, or too much is waiting'

/** The routing service's own endpoints; keys, quota and claims come from `access`. */
export function routingEndpoints(deps: RouteDeps): readonly Endpoint[] {
  return [...quoteEndpoints(deps), ...registryEndpoints(deps)]
}

function requireTwoTokens(
  { tokenIn, tokenOut }: Pick<QuoteParameters, 'tokenIn' | 'tokenOut'>,
  within = '',
) {
  if (isSameToken(tokenIn, tokenOut))
    throwInvalid(`${within}token_out`, 'must differ from token_in')
}

function unwrap(outcome: QuoteOutcome) {
  if (outcome.status === 'no_route') throw httpError('noRoute')
  if (outcome.status === 'unavailable')
    throw httpError('unavailable', `no quote right now: ${outcome.reason}`, retrySoon)
  return outcome.quote
}

function throwInvalid(field: string, reason: string): never {
  throw httpError('invalidRequest', `${field} ${reason}`, { details: [{ field, reason }] })
}

/** What a schema cannot say of options: they name DEXes of the chain, and a time by its clock. */
function requireOptions(
  { chains }: RouteDeps,
  { chainId, options, deadlineSecs }: Pick<QuoteParameters, 'chainId' | 'options' | 'deadlineSecs'>,
  body: RouteOptionsBody,
  within = '',
) {
  if (!options && deadlineSecs === undefined) return
  const chain = chains.get(chainId)
  const state = chain?.sync.current()
  if (!chain || !state) return
  const dexes = chain.dexes.map(({ name }) => name)
  const wrong = findWrongOption(body, { dexes, clockSecs: clockSecs(state) })
  if (wrong) throwInvalid(within + wrong.field, wrong.reason)
}

/** What a schema cannot say: each leg has a size and, where a price makes it, a bound. An amount is enough. */
function requireSizes({ legs, allow_unbounded_estimate: isUnbounded }: DisposalBody) {
  for (const [index, { value_usd: valueUsd, amount, max_amount: bound }] of legs.entries()) {
    const field = `legs[${index}]`
    if (amount !== undefined) continue
    if (typeof valueUsd !== 'number')
      throwInvalid(`${field}.value_usd`, 'is required where amount is not given')
    if (valueUsd <= 0 || valueUsd > mostUsd)
      throwInvalid(`${field}.value_usd`, `must be above 0 and at most ${mostUsd}`)
    if (bound === undefined && !isUnbounded)
      throwInvalid(
        `${field}.max_amount`,
        'is required with value_usd unless allow_unbounded_estimate is set',
      )
  }
}

function unwrapDisposal(outcome: DisposalOutcome) {
  if (outcome.status === 'unpriced')
    return throwInvalid(
      `legs[${outcome.leg}].value_usd`,
      'cannot be used: nothing deep enough prices the token at this value, give amount',
    )
  if (outcome.status === 'no_route') {
    const field = `legs[${outcome.leg}]`
    throw httpError('noRoute', undefined, { details: [{ field, reason: 'has no route' }] })
  }
  if (outcome.status === 'unavailable')
    throw httpError('unavailable', `no quote right now: ${outcome.reason}`, retrySoon)
  return outcome.disposal
}

function quoteEndpoints(deps: RouteDeps): readonly Endpoint[] {
  const chainIds = [...deps.chains.keys()]
  return [
    endpoint({
      method: 'post',
      path: '/quote',
      summary: 'The best exact-input route, with the payload that executes it',
      input: quoteBody(chainIds),
      output: quoteResponse,
      auth: 'key',
      examples: examples.quote,
      // Each alternative is a search of its own.
      cost: ({ body }) => unitsOf(body),
      errors: {
        404: 'No route for this pair and amount',
        503: unavailable,
      },
      handle: async (request) => {
        const parameters = toQuoteParameters(request.body)
        requireTwoTokens(parameters)
        requireOptions(deps, parameters, request.body)
        // Only a dry run is worth ending early; a signal for every quote shows in the tail of the latency.
        const signal = parameters.verify ? request.signal : undefined
        const asker = toAsker(request)
        const outcome = await quote(deps, { ...parameters, signal, asker })
        const found = unwrap(outcome)
        return isPlain(request.body)
          ? json(writeQuote(found, deps))
          : fromQuote(found, toOptions(deps, request.body))
      },
    }),
    quotesEndpoint(deps),
    endpoint({
      method: 'post',
      path: '/quote_lp_disposal',
      summary: "Routes a position's tokens into one target token",
      input: disposalBody(chainIds),
      output: disposalResponse,
      auth: 'key',
      examples: examples.lpDisposal,
      costPer: 'leg that needs a swap',
      cost: ({ body }) =>
        body.legs.filter(({ token }) => !isSameToken(token, body.target_token)).length,
      errors: {
        404: 'No route for a leg',
        503: unavailable,
      },
      handle: async (request) => {
        const { body, signal } = request
        requireSizes(body)
        const parameters = toDisposal(body)
        requireOptions(deps, parameters, body)
        const asker = toAsker(request)
        const outcome = await quoteLpDisposal(deps, { ...parameters, signal, asker })
        return fromDisposal(unwrapDisposal(outcome), deps)
      },
    }),
    endpoint({
      method: 'get',
      path: '/quote_exact_output',
      summary: 'The route that reaches a target output for the least input',
      query: exactOutputQuery(chainIds),
      output: exactOutputResponse,
      auth: 'key',
      examples: examples.exactOutput,
      cost: 16,
      errors: {
        404: 'No route for this pair',
        503: unavailable,
      },
      handle: async (request) => {
        const parameters = toExactOutput(request.query)
        requireTwoTokens(parameters)
        requireOptions(deps, parameters, request.query)
        const { signal } = request
        const asker = toAsker(request)
        const outcome = await quoteExactOutput(deps, { ...parameters, signal, asker })
        return fromExactOutput(unwrap(outcome), toOptions(deps, request.query))
      },
    }),
    endpoint({
      method: 'post',
      path: '/compare/simulate',
      summary: 'Dry-runs execution candidates of several providers on one block',
      description: `1 to ${mostCandidates} candidates, with labels of up to ${longestLabel} characters: a dry run is work, and so many fit on one block in time. A candidate that cannot be simulated right now has simulation_unavailable; 503 is for a chain that cannot be read.`,
      input: compareBody(chainIds),
      output: compareResponse,
      auth: 'key',
      examples: examples.compare,
      costPer: 'candidate',
      cost: ({ body }) => body.candidates.length,
      errors: { 503: 'The chain cannot be simulated right now' },
      handle: async ({ body, signal }) => {
        const candidates = toCandidates(body)
        const result = await compare(deps, { chainId: body.chainId, candidates, signal })
        if (result.status === 'unavailable')
          throw new HttpError(
            503,
            'simulation_unavailable',
            'the chain cannot be simulated right now',
            retrySoon,
          )
        return fromComparison(result)
      },
    }),
  ]
}

function quotesEndpoint(deps: RouteDeps): Endpoint {
  return endpoint({
    method: 'post',
    path: '/quotes',
    summary: 'Several quotes at once, all of a chain on one state of it',
    description: `1 to ${mostQuotes} requests of /quote, answered in their order and charged together: a unit for each, and for each alternative. One without a route says so in its place and is charged like the others; where none has one, the answer is that of the first and nothing is charged.`,
    input: quotesBody([...deps.chains.keys()]),
    output: quotesResponse,
    auth: 'key',
    examples: examples.quotes,
    costPer: 'quote',
    cost: ({ body }) => body.quotes.reduce((units, each) => units + unitsOf(each), 0),
    errors: {
      404: 'No route for any of them',
      503: unavailable,
    },
    handle: async (request) => {
      const { quotes } = request.body
      const asker = toAsker(request)
      const asked = quotes.map((body, index) => {
        const parameters = toQuoteParameters(body)
        requireTwoTokens(parameters, `quotes[${index}].`)
        requireOptions(deps, parameters, body, `quotes[${index}].`)
        return { ...parameters, signal: parameters.verify ? request.signal : undefined, asker }
      })
      const outcomes = await quoteMany(deps, asked)
      const [first] = outcomes
      if (first && outcomes.every(({ status }) => status !== 'ok')) unwrap(first)
      return fromOutcomes(outcomes, (index) => toOptions(deps, quotes[index]))
    },
  })
}

function registryEndpoints(deps: RouteDeps): readonly Endpoint[] {
  const chainIds = [...deps.chains.keys()]
  return [
    endpoint({
      method: 'get',
      path: '/health',
      summary: 'Whether the service can quote',
      output: registry.healthResponse,
      auth: 'none',
      examples: examples.health,
      handle: async () =>
        registry.fromHealth({
          status: readHealth(deps),
          warnings: deps.warnings?.() ?? [],
          version: deps.version,
          uptimeMs: deps.now() - deps.startedAtMs,
          leftOut: listLeftOut(deps),
          leftOutPools: listLeftOutPools(deps),
          statuses: readChainStatus(deps),
          rssBytes: process.memoryUsage.rss(),
        }),
    }),
    endpoint({
      method: 'get',
      path: '/api/tokens',
      summary: 'Known tokens by address',
      output: registry.tokensResponse,
      auth: 'none',
      examples: examples.tokens,
      handle: async () => registry.fromTokens(deps.chains.values()),
    }),
    endpoint({
      method: 'get',
      path: '/api/chains',
      summary: 'Chains, their DEXes and how far they are synced',
      output: registry.chainsResponse,
      auth: 'none',
      examples: examples.chains,
      handle: async () => registry.fromChains(readChainStatus(deps)),
    }),
    endpoint({
      method: 'get',
      path: '/api/status',
      summary: 'Details of the synced state of every chain',
      output: registry.statusResponse,
      auth: 'none',
      examples: examples.status,
      handle: async () => registry.fromStatus(readHealth(deps), readChainStatus(deps)),
    }),
    endpoint({
      method: 'get',
      path: '/api/pool/:chain_id/:address',
      summary: 'State of one pool as quotes use it',
      params: poolParams(chainIds),
      output: poolResponse,
      auth: 'none',
      errors: { 404: 'No such pool is followed' },
      handle: async ({ params }) => {
        const chain = deps.chains.get(params.chain_id)
        const state = chain?.sync.current()
        const pool = state?.pools.get(params.address.toLowerCase())
        if (!chain || !state || !pool)
          throw new HttpError(404, 'pool_not_found', 'no pool of this address is followed')
        const grade = gradeWhole(chain, { state, record: pool })
        const { chainId } = chain
        return fromPool(pool, { chainId, block: state.head.number, grade })
      },
    }),
    endpoint({
      method: 'get',
      path: '/.well-known/agent-registration.json',
      summary: 'What agents may know of this service (ERC-8004)',
      output: agentRegistration,
      auth: 'none',
      handle: async () => fromAgent({ ...deps, active: readHealth(deps) !== 'error' }),
    }),
  ]
}
