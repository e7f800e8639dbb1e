/** A moment, in the reader's own time. */
export const When = ({ atMs }: { readonly atMs: number }) => {
  const at = new Date(atMs)
  return (
    <time class="figure" dateTime={at.toISOString()}>
      {at.toLocaleString()}
    </time>
  )
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** How long something has lasted: in one unit, rounded down. */
export const Lasting = ({ ms }: { readonly ms: number }) => {
  const [unit, size] = units.find(([, each]) => ms >= each) ?? ['ms', 1]
  const shown = unit === 's' ? Math.floor(ms / 100) / 10 : Math.floor(ms / size)
  return (
    <span class="figure" title={`${Math.floor(ms)} ms`}>
      {shown} {unit}
    </span>
  )
}
