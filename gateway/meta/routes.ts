import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { HttpError, httpError } from '../http/httpError.ts'
import { type AggregateDeps, aggregate } from './aggregate.ts'
import { failuresOf } from './fanOut.ts'
import { type MetaRequest, type QuoteBody, quoteBody, toMetaRequest } from './wire/quoteRequest.ts'
import { fromAggregate, QuoteResponse, type TrackingFields } from './wire/quoteResponse.ts'

export type RoutesDeps = AggregateDeps & {
  readonly chainIds: readonly number[]
  readonly sourceNames: readonly string[]
}

function readRequest(body: QuoteBody): MetaRequest {
  const read = toMetaRequest(body)
  if (read.status === 'ok') return read.request
  const { field, reason } = read
  throw httpError('invalidRequest', `${field} ${reason}`, { details: [{ field, reason }] })
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

export function metaRoutes(deps: RoutesDeps): readonly Endpoint[] {
  return [health, quoteRoute(deps)]
}
