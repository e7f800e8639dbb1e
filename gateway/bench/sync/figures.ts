/** Median and greatest of some times, for a table. */
export function spread(times: readonly number[], unit = 'ms'): string {
  const sorted = times.toSorted((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  return `${median.toFixed(1)} / ${(sorted.at(-1) ?? Number.NaN).toFixed(1)} ${unit}`
}

/** One line of the table: what was measured, its goal, and the floor of the same run. */
export type Row = {
  readonly what: string
  readonly goal: string
  readonly ours: string
  readonly floor: string
  readonly floorIs: string
}
