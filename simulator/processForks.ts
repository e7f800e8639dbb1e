import { createStartFork, type ForkBackend, type ForkProcess } from './fork.ts'
import { createForkGuard, sweepForks } from './forkGuard.ts'
import { processTable } from './processTable.ts'

/** Forks as child processes; first ends those that a killed gateway left. */
export function createProcessForks({
  forkDir,
}: {
  /** Where the records for `sweepForks` are kept. */
  forkDir?: string | undefined
} = {}): ForkBackend<ForkProcess> {
  const where = forkDir === undefined ? {} : { forkDir }
  sweepForks(where)
  const guard = createForkGuard(where)
  const startFork = createStartFork({ guard })
  const chainOfPid = new Map<number, number>()
  return {
    async startFork(parameters) {
      const fork = await startFork(parameters)
      chainOfPid.set(fork.pid, parameters.chainId)
      void fork.exited.then(() => chainOfPid.delete(fork.pid))
      return fork
    },
    memoryBytes: async (chainId) =>
      [...chainOfPid]
        .filter(([, ofChain]) => ofChain === chainId)
        .reduce((sum, [pid]) => sum + (processTable.readMemoryBytes(pid) ?? 0), 0),
    findHost: async () => '127.0.0.1',
    async close() {
      guard.close()
    },
  }
}
