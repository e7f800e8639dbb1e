import { Histogram, type Registry } from 'prom-client'

/** A histogram whose samples lead to their traces, in the format that has exemplars (`openMetrics.ts`). */
export function createTracedHistogram<const label extends string>(
  registry: Registry,
  shape: {
    readonly name: string
    readonly help: string
    readonly labelNames: readonly label[]
    readonly buckets: readonly number[]
  },
) {
  // An exemplar has a label that the samples have not.
  const histogram = new Histogram<string>({
    ...shape,
    labelNames: [...shape.labelNames],
    buckets: [...shape.buckets],
    enableExemplars: true,
    registers: [],
  })
  // Its constructor takes a registry of OpenMetrics only; ours leaves exemplars out.
  registry.registerMetric(histogram)
  return (
    labels: Readonly<Record<label, string>>,
    { durationMs, traceId }: { readonly durationMs: number; readonly traceId?: string | undefined },
  ): void => {
    histogram.observe({
      labels,
      value: durationMs / 1000,
      exemplarLabels: traceId === undefined ? {} : { ['trace_id']: traceId },
    })
  }
}
