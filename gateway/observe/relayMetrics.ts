import { Counter, Gauge, type Registry } from 'prom-client'
import type { LiveEvents } from './liveEvents.ts'

/** What happened in the relay, and what it has and may spend. */
export function createRelayMetrics(registers: Registry[], live: Pick<LiveEvents, 'tell'>) {
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
  return {
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
      const { chainId, kind, code = '' } = event
      relayEvents.inc({ chain: String(chainId), kind, code })
      live.tell({ kind: 'relay', what: code === '' ? kind : `${kind}: ${code}`, chainId })
    },
    /** Amounts by name, in wei where the name says so. */
    funded(chainId: number, amounts: Readonly<Record<string, bigint | number>>) {
      for (const [what, amount] of Object.entries(amounts))
        relayFunds.set({ chain: String(chainId), what }, Number(amount))
    },
  }
}
