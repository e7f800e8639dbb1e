import { Gauge, type Registry } from 'prom-client'

type ReadStreams = () => readonly (readonly [service: string, open: number])[]

/** What is read anew whenever the metrics are asked for. */
export function createStatusMetrics(registers: Registry[]) {
  const streams: ReadStreams[] = []
  return {
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
    /** Counts them by service whenever the metrics are asked for, of all who have shown theirs. */
    showStreams(read: ReadStreams) {
      if (streams.push(read) > 1) return
      new Gauge({
        name: 'forkyard_streams_open',
        help: 'Event streams that are open',
        labelNames: ['service'] as const,
        registers,
        collect() {
          for (const each of streams)
            for (const [service, open] of each()) this.set({ service }, open)
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
  }
}
