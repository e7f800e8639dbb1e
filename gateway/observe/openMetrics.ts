import { type Metric, type OpenMetricsContentType, Registry } from 'prom-client'

/** What a registry asks a metric for; its text wants no more. */
type Shown = {
  readonly type: string
  /** Taken from it by a registry of this format, which renames counters for good. */
  name: string
  get(): Promise<{ readonly name: string }>
}

/**
 * The same metrics in the format that has exemplars. A registry has one format, and one of this format renames
 * the counters that it is given: so it gets metrics that read from ours, as they are now.
 */
export function openMetrics(registry: Registry): Registry<OpenMetricsContentType> {
  const opened = new Registry<OpenMetricsContentType>()
  opened.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  for (const metric of registry.getMetricsAsArray()) {
    // Its type says no more of a metric than its configuration.
    const own = metric as unknown as Shown
    const name = own.type === 'counter' ? own.name.replace(/_total$/, '') : own.name
    const shown: Shown = { type: own.type, name, get: async () => ({ ...(await own.get()), name }) }
    opened.registerMetric(shown as unknown as Metric)
  }
  return opened
}
