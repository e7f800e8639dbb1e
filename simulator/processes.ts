import { processTable } from './processTable.ts'

/** Environment entry that marks every process of one lab, e.g. `FORKYARD_LAB=/home/me/forkyard/.lab`. */
export type Marker = `${string}=${string}`

/** A zombie still has a pid but no longer runs. */
export const isRunning = (pid: number) => processTable.readStart(pid) !== undefined

/** Process ids whose environment, as given at their start, holds the marker; never our own. */
export const findMarked = (marker: Marker): readonly number[] => processTable.findWithEntry(marker)

export function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Resolves true as soon as the condition holds, false when the time is over. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs, intervalMs = 25 }: { timeoutMs: number; intervalMs?: number },
) {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, intervalMs))
  }
  return true
}

/**
 * Ends every marked process: SIGTERM, then SIGKILL for what is left after `graceMs`.
 * @returns how many processes were found
 */
export async function endMarked(marker: Marker, { graceMs = 5_000 } = {}) {
  const found = findMarked(marker)
  for (const pid of found) signal(pid, 'SIGTERM')
  const gone = await waitUntil(() => !found.some(isRunning), { timeoutMs: graceMs })
  if (!gone) {
    for (const pid of findMarked(marker)) signal(pid, 'SIGKILL')
    // A dying process gives up its environment, and with it the marker, before it is gone.
    const isAnyLeft = () => found.some(isRunning) || findMarked(marker).length > 0
    await waitUntil(() => !isAnyLeft(), { timeoutMs: 2_000 })
  }
  return found.length
}
