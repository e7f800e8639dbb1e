import { Counter, Gauge, type Registry } from 'prom-client'
import type { SourceEvent } from '../meta/dispatch.ts'
import type { CircuitState } from '../meta/provider/circuit.ts'
import { createTracedHistogram } from './tracedHistogram.ts'

/** How open a circuit is: an alert is a comparison with zero. */
const breakerStates: readonly CircuitState[] = ['closed', 'half_open', 'open']

/** What `/sources` tells of each source, as far as a graph is worth it. */
type Shown = {
  readonly name: string
  readonly breaker: CircuitState
  readonly retryAfterMs: number
}

/** Counts answers of the meta-aggregator's sources, and shows their circuits and pauses. */
export function createSourceMetrics({ registry }: { readonly registry: Registry }) {
  const registers = [registry]
  const answers = new Counter({
    name: 'forkyard_source_answers_total',
    help: "Answers of the meta-aggregator's sources: quote, reference, or the reason of a failure",
    labelNames: ['source', 'outcome'] as const,
    registers,
  })
  const noteDuration = createTracedHistogram(registry, {
    name: 'forkyard_source_duration_seconds',
    help: 'Time that a source took to answer',
    labelNames: ['source'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  })
  return {
    answered({ source, outcome, ...took }: SourceEvent) {
      answers.inc({ source, outcome })
      noteDuration({ source }, took)
    },
    /** Reads the sources' states whenever the metrics are asked for. */
    show(read: () => readonly Shown[]) {
      const gauge = (name: string, help: string, toValue: (source: Shown) => number) =>
        new Gauge({
          name,
          help,
          labelNames: ['source'] as const,
          registers,
          collect() {
            for (const source of read()) this.set({ source: source.name }, toValue(source))
          },
        })
      gauge(
        'forkyard_source_breaker',
        'Circuit of a source: 0 closed, 1 half open, 2 open',
        ({ breaker }) => breakerStates.indexOf(breaker),
      )
      gauge(
        'forkyard_source_paused_seconds',
        'How long a source still asks not to be called',
        ({ retryAfterMs }) => retryAfterMs / 1000,
      )
    },
  }
}
