import { Counter, Gauge, type Registry } from 'prom-client'
import type { Simulator } from '../../simulator/simulator.ts'
import type { LiveEvents } from './liveEvents.ts'

/** Counts what happens to simulation forks, and shows the state of those that stand. */
export function createForkMetrics({
  registry,
  live,
}: {
  readonly registry: Registry
  readonly live: Pick<LiveEvents, 'tell'>
}) {
  const registers = [registry]
  const events = new Counter({
    name: 'forkyard_fork_events_total',
    help: 'Simulation forks made, lost, wedged, stuck and refused, and reorgs noticed',
    labelNames: ['chain', 'event'] as const,
    registers,
  })
  return {
    happened({ chainId, event }: { readonly chainId: number; readonly event: string }) {
      events.inc({ chain: String(chainId), event })
      live.tell({ kind: 'fork', what: event, chainId })
    },
    /** Reads the forks' state whenever the metrics are asked for. */
    show(simulator: Pick<Simulator, 'status' | 'memoryBytes'>, chainIds: readonly number[]) {
      type Read = (chainId: number) => number | undefined | Promise<number | undefined>
      const gauge = (name: string, help: string, read: Read) =>
        new Gauge({
          name,
          help,
          labelNames: ['chain'] as const,
          registers,
          async collect() {
            await Promise.all(
              chainIds.map(async (chainId) => {
                const labels = { chain: String(chainId) }
                const value = await read(chainId)
                if (value === undefined) this.remove(labels)
                else this.set(labels, value)
              }),
            )
          },
        })
      gauge('forkyard_fork_ready', 'Whether a simulation fork stands', (chainId) =>
        Number(simulator.status(chainId).ready),
      )
      gauge('forkyard_fork_block', 'The block that simulations run on', (chainId) => {
        const { blockNumber } = simulator.status(chainId)
        return blockNumber === undefined ? undefined : Number(blockNumber)
      })
      gauge(
        'forkyard_fork_age_seconds',
        "Since that block was last known to be the chain's head; 0 while the fork rests",
        (chainId) => simulator.status(chainId).ageMs / 1000,
      )
      gauge(
        'forkyard_fork_resting',
        'Whether nobody has asked for a while: the next one waits for a new fork',
        (chainId) => Number(simulator.status(chainId).resting),
      )
      gauge(
        'forkyard_fork_running',
        'Simulations that the fork works on or that wait for it',
        (chainId) => simulator.status(chainId).running,
      )
      gauge(
        'forkyard_fork_memory_bytes',
        'What the forks of a chain hold in memory; absent while nobody tells',
        simulator.memoryBytes,
      )
    },
  }
}
