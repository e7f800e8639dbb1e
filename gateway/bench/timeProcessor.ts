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
