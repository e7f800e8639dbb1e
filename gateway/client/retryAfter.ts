/** No service means longer, and timers go no further than some weeks. */
const longestSecs = 86_400

/** `Retry-After` in seconds, given as such or as an HTTP date; undefined where it is neither. */
export function readRetryAfterSecs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  const isNumber = /^\d+(\.\d+)?$/.test(header)
  const secs = isNumber ? Number(header) : Math.ceil((Date.parse(header) - nowMs) / 1_000)
  return Number.isNaN(secs) ? undefined : Math.min(Math.max(secs, 0), longestSecs)
}
