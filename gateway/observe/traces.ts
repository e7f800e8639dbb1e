import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import type { Context, Span, Tracer } from '@opentelemetry/api'
import { loadOptional } from '../runtime/loadOptional.ts'

/** What a traced step says of itself; it may add to it until it ends. Nothing else of it is told. */
type Traced = {
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>
  error?: unknown
  span?: Span | undefined
  /** Of the span, where it is sent. */
  traceId?: string
}

type SpanKind = 'server' | 'client' | 'internal'

/** The channels that the gateway's parts tell their steps on; a step of `server` alone begins a trace. */
const channels: Readonly<Record<string, { readonly named: string; readonly kind: SpanKind }>> = {
  ['forkyard.http']: { named: 'request', kind: 'server' },
  ['forkyard.search']: { named: 'search', kind: 'internal' },
  ['forkyard.settle']: { named: 'settle', kind: 'internal' },
  ['forkyard.dryRun']: { named: 'dry run', kind: 'internal' },
  ['forkyard.source']: { named: 'source', kind: 'client' },
  ['forkyard.rpc']: { named: 'rpc', kind: 'client' },
  ['forkyard.store']: { named: 'store', kind: 'client' },
}

/** Of a collector that does not answer, at the end of the process. */
const longestFlushMs = 3_000
const exportTimeoutMs = 5_000

const loadSdk = async () => ({
  api: await loadOptional('@opentelemetry/api', () => import('@opentelemetry/api')),
  sdk: await loadOptional('@opentelemetry/sdk-trace', () => import('@opentelemetry/sdk-trace')),
  resources: await loadOptional(
    '@opentelemetry/resources',
    () => import('@opentelemetry/resources'),
  ),
  otlp: await loadOptional(
    '@opentelemetry/exporter-trace-otlp-http',
    () => import('@opentelemetry/exporter-trace-otlp-http'),
  ),
})
type Api = Awaited<ReturnType<typeof loadSdk>>['api']

export type Traces = { close(): Promise<void> }

/**
 * Sends spans of requests to an OpenTelemetry collector (OTLP over HTTP, JSON) until it is closed. The SDK is
 * loaded here and nowhere else. Ids that strangers send are not taken up, and none are sent on.
 */
export async function startTraces({
  url,
  percent,
  headers = {},
  serviceName,
  version,
}: {
  /** Where traces are posted, as `http://collector:4318/v1/traces`. */
  readonly url: string
  /** Of the requests. */
  readonly percent: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly serviceName: string
  readonly version: string
}): Promise<Traces> {
  const { api, sdk, resources, otlp } = await loadSdk()
  const exporter = new otlp.OTLPTraceExporter({ url, headers, timeoutMillis: exportTimeoutMs })
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(percent / 100) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 })],
  })
  const stop = listen(api, provider.getTracer('forkyard', version))
  return {
    async close() {
      stop()
      const late = new Promise((resolve) => setTimeout(resolve, longestFlushMs).unref())
      // What a collector does not take is lost, and nothing else.
      await Promise.race([provider.shutdown().catch(() => undefined), late])
    },
  }
}

/** Makes spans of what is told on the channels, each below the one that it was told in. */
function listen(api: Api, tracer: Tracer): () => void {
  const active = new AsyncLocalStorage<Context | undefined>()
  const kinds: Record<SpanKind, number> = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    internal: api.SpanKind.INTERNAL,
  }
  const stops = Object.entries(channels).map(([name, { named, kind }]) => {
    const { start, asyncEnd } = tracingChannel<Context | undefined, Traced>(name)
    start.bindStore(active, (step) => {
      const parent = active.getStore() ?? (kind === 'server' ? api.ROOT_CONTEXT : undefined)
      if (!parent) return undefined
      step.span = tracer.startSpan(named, { kind: kinds[kind] }, parent)
      const { traceId, traceFlags } = step.span.spanContext()
      if (traceFlags & api.TraceFlags.SAMPLED) step.traceId = traceId
      return api.trace.setSpan(parent, step.span)
    })
    const end = (message: unknown) => {
      // What was given to the channel's `tracePromise`.
      const { span, attributes, error } = message as Traced
      if (!span) return
      const { name: own, failed, ...said } = attributes
      if (own !== undefined) span.updateName(String(own))
      span.setAttributes(said)
      // Its text may hold an address.
      if (error !== undefined || failed === true)
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: nameOf(error) })
      span.end()
    }
    asyncEnd.subscribe(end)
    return () => {
      start.unbindStore(active)
      asyncEnd.unsubscribe(end)
    }
  })
  return () => {
    for (const stop of stops) stop()
  }
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')
