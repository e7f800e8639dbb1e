import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContainerForks } from '../containers/containerForks.ts'
import type { Fork, ForkBackend, ForkProcess, StartFork } from '../fork.ts'
import { createProcessForks } from '../processForks.ts'

export type TestForks = ForkBackend & {
  /** Of the forks that run, as this machine numbers them. */
  readonly pids: () => readonly number[]
}

/** The backend under test: processes, or the containers of the supervisor that FORKYARD_TEST_SIMULATORD names. */
export async function startTestForks({
  forkDir,
}: {
  forkDir?: string | undefined
} = {}): Promise<TestForks> {
  const { FORKYARD_TEST_SIMULATORD: url } = process.env
  if (url) return watchPids(createContainerForks({ url }))
  return watchPids(forkDir === undefined ? createTestProcesses() : createProcessForks({ forkDir }))
}

function createTestProcesses(): ForkBackend<ForkProcess> {
  const forkDir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
  const forks = createProcessForks({ forkDir })
  return {
    ...forks,
    async close() {
      await forks.close()
      rmSync(forkDir, { recursive: true, force: true })
    },
  }
}

function watchPids(forks: ForkBackend<Fork & { readonly pid?: number }>): TestForks {
  const pids = new Set<number>()
  const startFork: StartFork = async (parameters) => {
    const fork = await forks.startFork(parameters)
    const { pid } = fork
    // In a pod it is another machine's.
    if (pid === undefined) return fork
    pids.add(pid)
    void fork.exited.then(() => pids.delete(pid))
    return fork
  }
  return { ...forks, startFork, pids: () => [...pids] }
}
