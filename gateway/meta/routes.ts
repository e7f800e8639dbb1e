import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { HttpError, httpError } from '../http/httpError.ts'
import { stream } from '../http/reply.ts'
import { aggregate } from './aggregate.ts'
import { failuresOf } from './fanOut.ts'
import { type StreamDeps, streamQuotes } from './stream.ts'
import {
  type MetaRequest,
  type QuoteBody,
  quoteBody,
  streamBody,
  toMetaRequest,
} from './wire/quoteRequest.ts'
import { fromAggregate, QuoteResponse, type TrackingFields } from './wire/quoteResponse.ts'
import { fromSourceState, type LeftOut, type SourceState, Sources } from './wire/sources.ts'
import { streamEvents } from './wire/streamEvents.ts'

export type RoutesDeps = StreamDeps & {
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

type Facts = { readonly requestId: string; readonly clientId: string | undefined }

function toTracking({ requestId, clientId }: Facts, { dryRun }: MetaRequest): TrackingFields {
  return { dryRun, clientId: clientId ?? null, requestId }
}

const health = endpoint({
  method: 'get',
  path: '/health',
  summary: 'Whether the service answers',
  output: Type.Object({ status: Type.Literal('ok') }),
  auth: 'none',
  handle: async () => ({ status: 'ok' as const }),
})

function quoteRoute(deps: RoutesDeps): Endpoint {
  return endpoint({
    method: 'post',
    path: '/quote',
    summary: 'The best quote of all sources',
    input: quoteBody(deps.chainIds),
    output: QuoteResponse,
    auth: 'none',
    errors: { 502: 'No source gave a quote; failures[] says why' },
    handle: async ({ body, requestId, clientId, signal }) => {
      const request = readRequest(body)
      const result = await aggregate(deps, { request, signal })
      if (result.quotes.length === 0)
        throw new HttpError(502, 'no_quotes', 'no source gave a quote', {
          extra: { failures: failuresOf(result.entries) },
        })
      const tracking = toTracking({ requestId, clientId }, request)
      return fromAggregate(result, { request: request.source, tracking })
    },
  })
}

function streamRoute(deps: RoutesDeps): Endpoint {
  return endpoint({
    method: 'post',
    path: '/quote/stream',
    summary: 'Quotes of all sources as they come, as server-sent events',
    description:
      'Events: initial, quote, sim_update, keep_alive, refresh, done. Reading ends on done.',
    input: streamBody(deps.chainIds, deps.sourceNames),
    output: Type.Union(Object.values(streamEvents)),
    auth: 'none',
    streams: true,
    handle: async ({ body, requestId, clientId }) => {
      if (body.quoteType === 'exactOutput')
        throw invalidField('quoteType', 'must be exactInput: exact-output streams are unsupported')
      const request = readRequest(body)
      const tracking = toTracking({ requestId, clientId }, request)
      const { keepAliveMs, refreshIntervalMs, firstN = 1, mustInclude = [] } = body
      const options = { keepAliveMs, refreshIntervalMs, firstN, mustInclude }
      return stream((sink, signal) =>
        streamQuotes(deps, { request, options, tracking, sink, signal }),
      )
    },
  })
}

function sourcesRoute(deps: RoutesDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: '/sources',
    summary: 'Each source, how well and how fast it answers',
    output: Sources,
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
