import { Gauge, type Registry } from 'prom-client'
import type { Routing } from './routing/createRouting.ts'

/** Shows who reads each chain, how far, and how long ago, whenever the metrics are asked for. */
export function showSync(
  { registry }: { readonly registry: Registry },
  { status }: Pick<Routing, 'status'>,
): void {
  type Status = ReturnType<typeof status>[number]
  const show = (name: string, help: string, read: (chain: Status) => number) =>
    new Gauge({
      ...{ name, help, labelNames: ['chain'] as const, registers: [registry] },
      collect() {
        for (const each of status())
          if (each.state) this.set({ chain: String(each.chain.chainId) }, read(each))
      },
    })
  show(
    'forkyard_sync_leads',
    'Whether this gateway reads the chain itself; 0: it follows the elected one',
    ({ chain }) => Number(chain.sync.role() !== 'follower'),
  )
  show('forkyard_sync_block', 'The block that quotes are made at', ({ state }) =>
    Number(state?.head.number ?? 0n),
  )
  show(
    'forkyard_sync_lag_seconds',
    "Since that block was last known to be the chain's head",
    ({ lagMs }) => lagMs / 1000,
  )
}
