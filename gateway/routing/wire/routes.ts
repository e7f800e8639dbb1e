import type { Caller } from '../../http/access.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { HttpError, httpError } from '../../http/httpError.ts'
import { limitedNetwork, limitedSite } from '../../http/limitedNetwork.ts'
import { json } from '../../http/reply.ts'
import { compare } from '../compare.ts'
import type { Quote } from '../finishQuote.ts'
import { clockSecs } from '../prepareState.ts'
import { type QuoteOutcome, quote } from '../quote.ts'
import { createQuoteBook, mostOfCaller, type QuoteBook } from '../quoteBook.ts'
import { quoteExactOutput } from '../quoteExactOutput.ts'
import { type DisposalOutcome, quoteLpDisposal } from '../quoteLpDisposal.ts'
import { quoteMany } from '../quoteMany.ts'
import { isSameToken, type QuoteParameters } from '../quoteRequest.ts'
import type { Asker } from '../searchQueue.ts'
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
import { explanation, explanationParams, fromKept } from './explanation.ts'
import {
  type DisposalBody,
  disposalBody,
  disposalResponse,
  fromDisposal,
  mostUsd,
  toDisposal,
} from './lpDisposal.ts'
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
import { type RegistryDeps, registryEndpoints } from './registryRoutes.ts'
import { findWrongOption, type RouteOptionsBody } from './routeOptions.ts'
import { writeQuote } from './writeQuote.ts'

type RouteDeps = RegistryDeps & { readonly book: QuoteBook }

const retrySoon = { headers: { 'retry-after': '1' } }

/** A signal for every quote would show in the tail of the latency: it is made when it is looked at. */
function toAsker(request: {
  readonly caller: Caller | undefined
  readonly isPaying: boolean
  readonly ip: string
  readonly signal: AbortSignal
}): Asker {
  const { caller, isPaying } = request
  const [site, network] = [limitedSite(request.ip), limitedNetwork(request.ip)]
  return { caller: caller?.keyId, isPaying, site, network, isGone: () => request.signal.aborted }
}

/** How an answer is written: with a graph where one is asked for. */
function toOptions(
  { serviceName, chains }: RouteDeps,
  asked: { readonly chain_id: number; readonly route_graph?: boolean | undefined },
): QuoteOptions {
  const chain = asked.route_graph === true ? chains.get(asked.chain_id) : undefined
  return { serviceName, graphTokens: chain?.sync.tokens() }
}

/** The quote's name in the book; undefined where nobody could ask for it. */
function keep(
  { book, chains }: RouteDeps,
  {
    caller,
    parameters,
    quote: found,
  }: {
    readonly caller: Caller | undefined
    readonly parameters: QuoteParameters
    readonly quote: Quote
  },
) {
  const priceWei = chains.get(parameters.chainId)?.gasPriceWei() ?? 0n
  const gasPriceWei = parameters.options?.gasPriceWei ?? priceWei
  return caller && book.keep(caller.keyId, { parameters, gasPriceWei, quote: found })
}

/** What a 503 of any of them means. */
const unavailable = 'The chain has not been read, or too much is waiting'

/** The routing service's own endpoints; keys, quota and claims come from `access`. */
export function routingEndpoints(given: RegistryDeps): readonly Endpoint[] {
  const deps = { ...given, book: createQuoteBook() }
  return [...quoteEndpoints(deps), explanationEndpoint(deps), ...registryEndpoints(deps)]
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
        const hash = keep(deps, { caller: request.caller, parameters, quote: found })
        const options = { ...toOptions(deps, request.body), hash }
        return isPlain(request.body) ? json(writeQuote(found, options)) : fromQuote(found, options)
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
      handle: async ({ body, caller: { keyId: caller }, signal }) => {
        const candidates = toCandidates(body)
        const result = await compare(deps, { chainId: body.chainId, candidates, caller, signal })
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

function explanationEndpoint({ book, chains, serviceName }: RouteDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: '/quote/:hash',
    summary: 'Why a quote was what it was',
    description: `For ten minutes, to the key that asked for the quote, by the quote_hash of its answer; of each key the latest ${mostOfCaller}, as long as there is room. Costs nothing.`,
    params: explanationParams,
    output: explanation([...chains.keys()]),
    auth: 'key',
    errors: { 404: 'This key has no such quote any more' },
    handle: async ({ caller, params }) => {
      const kept = caller && book.find(caller.keyId, params.hash)
      if (!kept)
        throw new HttpError(404, 'quote_not_found', 'this key has no such quote, or no longer')
      return fromKept(kept, { serviceName })
    },
  })
}

function quotesEndpoint(deps: RouteDeps): Endpoint {
  return endpoint({
    method: 'post',
    path: '/quotes',
    summary: 'Several quotes at once, all of a chain on one state of it',
    description: `1 to ${mostQuotes} requests of /quote, answered in their order and charged together: a unit for each, and for each alternative. One without a route says so in its place and is charged like the others; where none has one, the answer is a 404, or a 503 where all are unavailable, and nothing is charged.`,
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
        return parameters
      })
      const signalOf = ({ verify }: QuoteParameters) => (verify ? request.signal : undefined)
      const waiting = asked.map((each) => ({ ...each, signal: signalOf(each), asker }))
      const outcomes = await quoteMany(deps, waiting)
      // Searches are told, and count, whatever else was unavailable: that counts for nobody.
      const refusal = outcomes.find(({ status }) => status === 'no_route') ?? outcomes[0]
      if (refusal && outcomes.every(({ status }) => status !== 'ok')) unwrap(refusal)
      return fromOutcomes(outcomes, (found, index) => {
        const [body, parameters] = [quotes[index], asked[index]]
        if (!body || !parameters) return deps
        const hash = keep(deps, { caller: request.caller, parameters, quote: found })
        return { ...toOptions(deps, body), hash }
      })
    },
  })
}
