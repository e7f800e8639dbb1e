import type { ForkParameter, StartedFork } from './protocol.ts'

/** What runs the forks of one supervisor: a Docker engine, or a Kubernetes cluster. */
export type ForkEngine = {
  /** The supervisor's own address on the forks' network. */
  readonly host: string
  /** `onExit` is called once the fork is gone, whoever ended it. */
  readonly start: (
    request: Omit<ForkParameter<'startFork'>, 'session'> & { readonly upstreamHost: string },
    onExit: (id: string) => void,
  ) => Promise<StartedFork>
  readonly stop: (id: string) => Promise<void>
  /** What it holds in memory, files that could be let go of left out; undefined where nobody tells. */
  readonly readMemoryBytes: (id: string) => Promise<number | undefined>
  /** Removes the forks of this supervisor, of its earlier runs, and of any of its name that is gone. */
  readonly sweep: () => Promise<number>
  /** Ends what it does besides; its forks with it. */
  readonly close: () => Promise<void>
}

/** Of one fork. */
export type ForkLimits = {
  readonly image: string
  readonly memoryBytes: number
  readonly cpus: number
}

/** The label that names whose fork it is. */
export const forkLabel = 'forkyard.simulatord'
export const anvilPort = 8545
