import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import { callPurposes, type SpentCalls } from '../chain/callBudget.ts'
import type { CallPrices } from '../chain/callUnits.ts'
import { createLiveEvents } from './liveEvents.ts'
import { createRelayMetrics } from './relayMetrics.ts'
import { createStatusMetrics } from './statusMetrics.ts'
import { createTracedHistogram } from './tracedHistogram.ts'

/** Counters and gauges of the whole process, one function for each event worth one. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const live = createLiveEvents()
  const requests = new Counter({
    name: 'forkyard_http_requests_total',
    help: 'Answered requests',
    labelNames: ['service', 'route', 'status'] as const,
    registers,
  })
  const noteDuration = createTracedHistogram(registry, {
    name: 'forkyard_http_request_duration_seconds',
    help: 'Time from request to answer',
    labelNames: ['service', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  })
  const syncEvents = new Counter({
    name: 'forkyard_sync_events_total',
    help: 'Loads, reorgs and failures of following a chain, and logs that its nodes left out',
    labelNames: ['chain', 'event'] as const,
    registers,
  })
  const upstreamCalls = new Counter({
    name: 'forkyard_upstream_calls_total',
    help: "Calls of the chains' nodes by what they were made for; refused: over the budget",
    labelNames: ['chain', 'purpose', 'outcome'] as const,
    registers,
  })
  const upstreamUnits = new Counter({
    name: 'forkyard_upstream_units_total',
    help: "What the chains' provider counts for the calls that were sent (UPSTREAM_CALL_UNITS)",
    labelNames: ['chain', 'purpose'] as const,
    registers,
  })
  const upstreamUsd = new Counter({
    name: 'forkyard_upstream_usd_total',
    help: 'What these units cost (UPSTREAM_USD_PER_MILLION_UNITS)',
    labelNames: ['chain', 'purpose'] as const,
    registers,
  })
  return {
    registry,
    live,
    ...createRelayMetrics(registers, live),
    ...createStatusMetrics(registers),
    /** Starts the counters at zero: an alert sees an increase, never a first appearance. */
    countsCalls(chainId: number, { usdPerMillion }: Pick<CallPrices, 'usdPerMillion'>) {
      const chain = String(chainId)
      for (const purpose of callPurposes)
        for (const outcome of ['sent', 'refused']) upstreamCalls.inc({ chain, purpose, outcome }, 0)
      return ({ purpose, calls, units, outcome }: SpentCalls) => {
        upstreamCalls.inc({ chain, purpose, outcome }, calls)
        if (outcome === 'refused') return
        upstreamUnits.inc({ chain, purpose }, units)
        upstreamUsd.inc({ chain, purpose }, (units * usdPerMillion) / 1e6)
      }
    },
    answered(event: {
      service: string
      route: string
      status: number
      durationMs: number
      traceId?: string | undefined
    }) {
      const { service, route } = event
      requests.inc({ service, route, status: String(event.status) })
      noteDuration({ service, route }, event)
      // Who looks on is no news to himself.
      if (service !== 'ops') {
        const { status, durationMs } = event
        live.tell({ kind: 'answered', what: `${service} ${route}`, status, durationMs })
      }
    },
    synced({ chainId, event }: { readonly chainId: number; readonly event: string }) {
      syncEvents.inc({ chain: String(chainId), event })
      live.tell({ kind: 'sync', what: event, chainId })
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>
