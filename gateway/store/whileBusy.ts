import { setTimeout as wait } from 'node:timers/promises'

/** A foreign process holds the file for this long at most before its absence is somebody's to hear of. */
const patienceMs = 5_000
const everyMs = 25

/** Nothing was written: the lock was not had. */
export const isBusy = (error: unknown) =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')

/** Tries again while another process has the file locked, without holding up the thread meanwhile. */
export async function whileBusy<value>(work: () => value): Promise<value> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await wait(everyMs)
  }
}
