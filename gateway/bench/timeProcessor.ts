/**
 * Milliseconds of processor time that some work takes, collections on other threads included: what else the
 * machine does is not counted. A thread's own usage is told in ticks of some milliseconds.
 */
export function timeProcessor(work: () => void): number {
  const from = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1_000
}

/**
 * Milliseconds for which some work holds its thread, at most: it took no longer by the clock, which counts what
 * else the machine does, and no more than all threads together.
 */
export function timeThread(work: () => void): { readonly heldMs: number; readonly allMs: number } {
  const from = performance.now()
  const allMs = timeProcessor(work)
  return { heldMs: Math.min(allMs, performance.now() - from), allMs }
}
