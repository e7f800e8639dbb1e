import { createStartFork, type ForkBackend } from './fork.ts'
import { createForkGuard, sweepForks } from './forkGuard.ts'

/** Forks as child processes; first ends those that a killed gateway left. */
export function createProcessForks({
  forkDir,
}: {
  /** Where the records for `sweepForks` are kept. */
  forkDir?: string | undefined
} = {}): ForkBackend {
  const where = forkDir === undefined ? {} : { forkDir }
  sweepForks(where)
  const guard = createForkGuard(where)
  return {
    startFork: createStartFork({ guard }),
    findHost: async () => '127.0.0.1',
    async close() {
      guard.close()
    },
  }
}
