export type Sample = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const line = /^(\w+)(?:\{(.*)\})? (\S+)/
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g

/** Prometheus' text format, as `/metrics` writes it. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((each) => {
    const [, name, labels = '', value = ''] = line.exec(each) ?? []
    if (name === undefined) return []
    const pairs = [...labels.matchAll(label)].map(([, key = '', found = '']) => [key, found])
    const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value)
    return [{ name, labels: Object.fromEntries(pairs), value: number }]
  })
}

type Wanted = Readonly<Record<string, string>>

/** The sum of a metric over the labels that are not named. */
export const sumOf = (samples: readonly Sample[], name: string, wanted: Wanted = {}) =>
  samples
    .filter((sample) => sample.name === name && hasLabels(sample, wanted))
    .reduce((sum, { value }) => sum + value, 0)

const hasLabels = ({ labels }: Sample, wanted: Wanted) =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value)

/**
 * Seconds that a share of a histogram's observations between two readings took at most: the bound of the
 * bucket that reaches it, so rounded up. Undefined where there were none.
 */
export function quantile(
  { past, now }: { readonly past: readonly Sample[]; readonly now: readonly Sample[] },
  {
    name,
    labels,
    share,
  }: { readonly name: string; readonly labels: Wanted; readonly share: number },
): number | undefined {
  const bucket = `${name}_bucket`
  const bounds = [
    ...new Set(
      now
        .filter((sample) => sample.name === bucket && hasLabels(sample, labels))
        .map((sample) => sample.labels['le'] ?? ''),
    ),
  ].sort((one, other) => toBound(one) - toBound(other))
  const within = (le: string) =>
    sumOf(now, bucket, { ...labels, le }) - sumOf(past, bucket, { ...labels, le })
  const total = within('+Inf')
  if (total <= 0) return undefined
  const reached = bounds.find((le) => within(le) >= share * total)
  return reached === undefined ? undefined : toBound(reached)
}

const toBound = (le: string) => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le))
