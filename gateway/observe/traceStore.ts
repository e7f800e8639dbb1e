import { tracingChannel } from 'node:diagnostics_channel'
import type { Store } from '../store/ports.ts'

const steps = tracingChannel('forkyard.store')

/** What requests wait for; its methods all give promises. */
const ports = ['keys', 'plans', 'ledger', 'challenges', 'payments', 'settlements', 'relay'] as const

type Port = Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>

function tracePort(port: Port, name: string): Port {
  return Object.fromEntries(
    Object.entries(port).map(([method, call]) => [
      method,
      (...given: readonly unknown[]) =>
        steps.tracePromise(async () => call(...given), {
          attributes: { name: `store ${name}.${method}` },
        }),
    ]),
  )
}

/** The same store, which tells each question of a request on the channel of traces: never what was asked for. */
export function traceStore<store extends Store>(store: store): store {
  const traced = ports.map((name) => [name, tracePort(store[name] as unknown as Port, name)])
  // The same methods under the same names.
  return { ...store, ...Object.fromEntries(traced) }
}
