import { readFileSync } from 'node:fs'

/** Polls until the condition holds; throws when it does not within the deadline. */
export async function waitFor(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  { deadlineMs = 5_000, everyMs = 20 }: { deadlineMs?: number; everyMs?: number } = {},
): Promise<number> {
  const startedAt = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - startedAt > deadlineMs) throw new Error(`not in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  return performance.now() - startedAt
}

/** A zombie that nobody has waited for yet does not count as running. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/\) [ZX] /.test(stat)
  } catch {
    return false
  }
}
