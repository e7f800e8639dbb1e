import type { Fork } from './fork.ts'
import type { Generation, GenerationEvent } from './generation.ts'
import type { MadeFork } from './makeFork.ts'
import { RpcTransportError } from './rpc/rpcBatch.ts'
import { createSlowFork } from './slowFork.ts'
import type { BlockId } from './upstream.ts'
import { watchFork } from './watchFork.ts'

export type LiveGeneration = Generation & {
  inFlight: number
  retired: boolean
  condemned: boolean
  /** When the head that it stands for was asked for. */
  readonly askedAtMs: number
  readonly discard: () => Promise<void>
}

export type Target = BlockId & { readonly askedAtMs: number }

/** The forks of one chain that run now: the current one, and those that still finish what they began. */
export type StandingForks = {
  readonly current: () => LiveGeneration | undefined
  /** Makes it the current one; the one before is drained and killed. */
  readonly install: (made: MadeFork, target: Target) => void
  /** For when what it says is no longer true. */
  readonly dropCurrent: () => void
  readonly run: <T>(
    live: LiveGeneration,
    work: (generation: Generation) => Promise<T>,
  ) => Promise<T>
  readonly close: () => Promise<void>
}

const drainMs = 7_000

export function createStandingForks(
  deps: {
    readonly startSlowFork: (blockNumber: bigint) => Promise<Fork>
    readonly log: (event: GenerationEvent) => void
    /** The current one died, or is to be replaced. */
    readonly onNeedOfAnother: () => void
  },
  { chainId }: { chainId: number },
): StandingForks {
  const { startSlowFork, log, onNeedOfAnother } = deps
  const standing = new Set<LiveGeneration>()
  let current: LiveGeneration | undefined
  let closed = false

  function toLive({ fork, overrides }: MadeFork, target: Target): LiveGeneration {
    const { blockNumber } = target
    const slow = createSlowFork({ start: () => startSlowFork(blockNumber) })
    const stopWatching = watchFork(fork, {
      // Another one is made while this one may still prove to be merely slow.
      onMiss: () => live.condemn(),
      onWedged() {
        log({ event: 'fork_wedged', chainId, blockNumber })
        void fork.kill()
      },
    })
    const live: LiveGeneration = {
      ...target,
      fork,
      overrides,
      slowFork: slow.get,
      inFlight: 0,
      retired: false,
      condemned: false,
      condemn() {
        if (live.condemned) return
        live.condemned = true
        log({ event: 'fork_stuck', chainId, blockNumber })
        onNeedOfAnother()
      },
      async discard() {
        stopWatching()
        await Promise.all([fork.kill(), slow.close()])
        standing.delete(live)
      },
    }
    return live
  }

  function retire(live: LiveGeneration) {
    live.retired = true
    if (live.inFlight === 0) return void live.discard()
    setTimeout(() => void live.discard(), drainMs).unref()
  }

  function lose(live: LiveGeneration) {
    void live.discard()
    if (current !== live) return
    current = undefined
    if (closed) return
    log({ event: 'fork_lost', chainId, blockNumber: live.blockNumber })
    onNeedOfAnother()
  }

  return {
    current: () => current,
    install(made, target) {
      const live = toLive(made, target)
      standing.add(live)
      const previous = current
      current = live
      void made.fork.exited.then(() => lose(live))
      if (previous) retire(previous)
    },
    dropCurrent() {
      const dropped = current
      current = undefined
      if (dropped) retire(dropped)
    },
    async run(live, work) {
      live.inFlight += 1
      try {
        return await work(live)
      } catch (error) {
        if (error instanceof RpcTransportError && error.fault === 'timeout') live.condemn()
        throw error
      } finally {
        live.inFlight -= 1
        if (live.retired && live.inFlight === 0) void live.discard()
      }
    },
    async close() {
      closed = true
      await Promise.all([...standing].map((live) => live.discard()))
    },
  }
}
