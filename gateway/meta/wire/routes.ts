import { Type } from 'typebox'
import type { Caller } from '../../http/access.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { HttpError, httpError } from '../../http/httpError.ts'
import { limitedNetwork, limitedSite } from '../../http/limitedNetwork.ts'
import { stream } from '../../http/reply.ts'
import { named } from '../../http/schemas.ts'
import { tooManyRequests } from '../../http/tooManyRequests.ts'
import { aggregate, type MetaRequest } from '../aggregate.ts'
import type { SourceState } from '../dispatch.ts'
import { failuresOf, isOfQuestion } from '../fanOut.ts'
import { createRecentQuotes } from '../recentQuotes.ts'
import type { LeftOut } from '../sources/onChainSources.ts'
import { createStreamSlots, type StreamCaps } from '../streamSlots.ts'
import * as examples from './examples.ts'
import { type QuoteBody, quoteBody, streamBody, toMetaRequest } from './quoteRequest.ts'
import { fromAggregate, QuoteResponse, type TrackingFields } from './quoteResponse.ts'
import { fromSourceState, Sources } from './sources.ts'
import { type StreamDeps, streamQuotes } from './stream.ts'
import { streamEvents } from './streamEvents.ts'

/** `required`: an API key of the routing service, and a unit per request and per cycle of a stream. */
export type MetaKeys = 'none' | 'required'

export type RoutesDeps = StreamDeps & {
  /** Default: none. */
  readonly keys?: MetaKeys | undefined
  /** Default: no caps. */
  readonly streamCaps?: StreamCaps | undefined
  readonly chainIds: readonly number[]
  readonly sourceNames: readonly string[]
  readonly sourceStates: () => readonly SourceState[]
  readonly leftOut: readonly LeftOut[]
}

function readRequest(body: QuoteBody): MetaRequest {
  const read = toMetaRequest(body)
  if (read.status === 'ok') return read.request
  throw invalidField(read.field, read.reason)
}

function invalidField(field: string, reason: string): HttpError {
  return httpError('invalidRequest', `${field} ${reason}`, { details: [{ field, reason }] })
}

/** Whose request it is where places are shared: a key's, else an address's; and of whose many. */
function nameCaller({ caller, ip }: { caller: Caller | undefined; ip: string }) {
  return {
    caller: caller ? `key ${caller.keyId}` : `ip ${limitedNetwork(ip)}`,
    site: limitedSite(ip),
  }
}

type Facts = { readonly requestId: string; readonly clientId: string | undefined }

function toTracking({ requestId, clientId }: Facts, { dryRun }: MetaRequest): TrackingFields {
  return { dryRun, clientId: clientId ?? null, requestId }
}

/** When a caller whose stream found no slot may look again. */
const streamRetrySecs = 5

const priceOf = ({ keys = 'none' }: RoutesDeps) =>
  keys === 'required' ? ({ auth: 'key', cost: 1 } as const) : ({ auth: 'none', cost: 0 } as const)

const health = endpoint({
  method: 'get',
  path: '/health',
  summary: 'Whether the service answers',
  output: named('Health', Type.Object({ status: Type.Literal('ok') })),
  auth: 'none',
  examples: examples.health,
  handle: async () => ({ status: 'ok' as const }),
})

function quoteRoute(deps: RoutesDeps): Endpoint {
  const recent = createRecentQuotes(deps)
  return endpoint({
    method: 'post',
    path: '/quote',
    summary: 'The best quote of all sources',
    description:
      'Quotes are ranked by the output that their dry run delivered, or without one by the quoted output as far as that, less the slippage, is guaranteed; for exactOutput by the input, or by what may be taken less the slippage where that is more. Gas and the L1 data fee count where they have a price: each quote then carries netAmountOut, gasCost and l1FeeWei. When every quote reverts in its dry run, or none may win unproved, the answer is 200 with quotes and `best: null`; 502 is for no quote at all. A source is waited for no longer than four times the slowest that it took of late for such a question of the caller, 100 ms at least, once our own search has a quote or two other sources have one that needs no dry run, which under the strict policy and with dryRun has passed its own; POST /quote/stream waits for all of them.',
    input: quoteBody(deps.chainIds),
    output: QuoteResponse,
    examples: examples.quote,
    ...priceOf(deps),
    errors: { 502: 'No source gave a quote; failures[] says why' },
    handle: async ({ body, requestId, clientId, signal, ...from }) => {
      const request = readRequest(body)
      const { chainId } = request.source
      const result = await aggregate(deps, { request, ...nameCaller(from), signal })
      const { entries } = result
      recent.note(chainId, entries)
      if (result.quotes.length === 0)
        throw new HttpError(502, 'no_quotes', 'no source gave a quote', {
          extra: { failures: failuresOf(entries) },
          isOfQuestion: isOfQuestion(entries, (provider) => recent.has(chainId, provider)),
        })
      const tracking = toTracking({ requestId, clientId }, request)
      return fromAggregate(result, { request: request.source, tracking })
    },
  })
}

function streamRoute(deps: RoutesDeps): Endpoint {
  const slots = createStreamSlots(deps.streamCaps ?? { total: undefined, perAddress: undefined })
  return endpoint({
    method: 'post',
    path: '/quote/stream',
    summary: 'Quotes of all sources as they come, as server-sent events',
    description:
      'Events: initial, quote, sim_update, keep_alive, refresh, done. Reading ends on done. Each cycle takes a unit of the rate limit, and of the quota where keys are asked for; without one left, done comes early and names the reason. Only refreshIntervalMs repeats the dispatch; keepAliveMs alone keeps the connection open until the first cycle is done.',
    input: streamBody(deps.chainIds, deps.sourceNames),
    output: Type.Union(Object.values(streamEvents)),
    events: streamEvents,
    ...priceOf(deps),
    costPer: 'cycle',
    streams: true,
    examples: examples.stream,
    errors: { 429: 'Rate limit exceeded, or too many streams of this address or of all' },
    handle: async ({ body, requestId, clientId, ...from }) => {
      if (body.quoteType === 'exactOutput')
        throw invalidField('quoteType', 'must be exactInput: exact-output streams are unsupported')
      const request = readRequest(body)
      const tracking = toTracking({ requestId, clientId }, request)
      const release = slots.take(from.ip)
      if (!release) throw tooManyRequests(streamRetrySecs, 'too many streams are open')
      const spend = async () => (await from.spendMore(1))?.code
      const { keepAliveMs, refreshIntervalMs, firstN = 1, mustInclude = [] } = body
      const options = { keepAliveMs, refreshIntervalMs, firstN, mustInclude }
      const asker = nameCaller(from)
      return stream(async (sink, signal) => {
        try {
          await streamQuotes(deps, { request, options, tracking, sink, ...asker, spend, signal })
        } finally {
          release()
        }
      })
    },
  })
}

function sourcesRoute(deps: RoutesDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: '/sources',
    summary: 'Each source, how well and how fast it answers',
    output: Sources,
    examples: examples.sources,
    auth: 'none',
    handle: async () => ({
      sources: deps.sourceStates().map(fromSourceState),
      leftOut: [...deps.leftOut],
    }),
  })
}

export function metaRoutes(deps: RoutesDeps): readonly Endpoint[] {
  return [health, quoteRoute(deps), streamRoute(deps), sourcesRoute(deps)]
}
