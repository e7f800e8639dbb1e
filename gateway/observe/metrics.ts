import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { callPurposes } from '../chain/callBudget.ts'

/** Counters and gauges of the whole process, one function for each event worth one. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Counter({
    name: 'forkyard_http_requests_total',
    help: 'Answered requests',
    labelNames: ['service', 'route', 'status'] as const,
    registers,
  })
  const durations = new Histogram({
    name: 'forkyard_http_request_duration_seconds',
    help: 'Time from request to answer',
    labelNames: ['service', 'route'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const syncEvents = new Counter({
    name: 'forkyard_sync_events_total',
    help: 'Loads, reorgs and failures of following a chain, and logs that its nodes left out',
    labelNames: ['chain', 'event'] as const,
    registers,
  })
  const relayEvents = new Counter({
    name: 'forkyard_relay_events_total',
    help: 'What happened in the relay; `code` tells refusals and gates apart',
    labelNames: ['chain', 'kind', 'code'] as const,
    registers,
  })
  const relayFunds = new Gauge({
    name: 'forkyard_relay_funds',
    help: 'The relayer: its balance, what it sponsored in the last 3600 s, and its limits',
    labelNames: ['chain', 'what'] as const,
    registers,
  })
  const upstreamCalls = new Counter({
    name: 'forkyard_upstream_calls_total',
    help: "Calls of the chains' nodes by what they were made for; refused: over the budget",
    labelNames: ['chain', 'purpose', 'outcome'] as const,
    registers,
  })
  return {
    registry,
    /** Starts the counters at zero: an alert sees an increase, never a first appearance. */
    countsCalls(chainId: number) {
      const chain = String(chainId)
      for (const purpose of callPurposes)
        for (const outcome of ['sent', 'refused']) upstreamCalls.inc({ chain, purpose, outcome }, 0)
      return ({ calls, ...labels }: { purpose: string; calls: number; outcome: string }) => {
        upstreamCalls.inc({ chain, ...labels }, calls)
      }
    },
    /** Starts the relay's counters at zero: an alert sees an increase, never a first appearance. */
    expectsRelay({
      chainId,
      alarmKinds,
      refusalCodes,
    }: {
      readonly chainId: number
      readonly alarmKinds: readonly string[]
      readonly refusalCodes: readonly string[]
    }) {
      const chain = String(chainId)
      for (const kind of alarmKinds) relayEvents.inc({ chain, kind, code: '' }, 0)
      for (const code of refusalCodes) relayEvents.inc({ chain, kind: 'answered', code }, 0)
    },
    relayed(event: { readonly kind: string; readonly chainId: number; readonly code?: string }) {
      relayEvents.inc({ chain: String(event.chainId), kind: event.kind, code: event.code ?? '' })
    },
    /** Amounts by name, in wei where the name says so. */
    funded(chainId: number, amounts: Readonly<Record<string, bigint | number>>) {
      for (const [what, amount] of Object.entries(amounts))
        relayFunds.set({ chain: String(chainId), what }, Number(amount))
    },
    answered(event: { service: string; route: string; status: number; durationMs: number }) {
      const { service, route } = event
      requests.inc({ service, route, status: String(event.status) })
      durations.observe({ service, route }, event.durationMs / 1000)
    },
    /** Reads whether they are connected whenever the metrics are asked for. */
    showSharedLimits(isConnected: () => boolean) {
      new Gauge({
        name: 'forkyard_shared_limits_connected',
        help: 'Whether rate limits are shared; 0: each gateway limits by itself',
        registers,
        collect() {
          this.set(Number(isConnected()))
        },
      })
    },
    /** Reads the state whenever the metrics are asked for; all three gauges of one reading. */
    showReadiness(
      read: () => Promise<{
        readonly ready: boolean
        readonly warnings: readonly string[]
        readonly takesWrites: boolean | undefined
      }>,
    ) {
      type State = Awaited<ReturnType<typeof read>>
      const show = (name: string, help: string, pick: (state: State) => number) =>
        new Gauge({
          name,
          help,
          registers,
          async collect() {
            this.set(pick(await read()))
          },
        })
      show('forkyard_ready', 'Whether this gateway can serve anything, as /readyz says', (state) =>
        Number(state.ready),
      )
      show('forkyard_warnings', 'How much works in part only', ({ warnings }) => warnings.length)
      show(
        'forkyard_database_takes_writes',
        'Whether the database answers and takes writes; 1 before it is open',
        ({ takesWrites }) => Number(takesWrites ?? true),
      )
    },
    synced({ chainId, event }: { readonly chainId: number; readonly event: string }) {
      syncEvents.inc({ chain: String(chainId), event })
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>
