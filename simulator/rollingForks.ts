import type { ForkSettings } from './forkSettings.ts'
import { type Freshness, readTarget } from './freshness.ts'
import type { GenerationEvent } from './generation.ts'
import { type MakeForkDeps, makeFork, WrongUpstream } from './makeFork.ts'
import { RpcTransportError } from './rpc/rpcBatch.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import { createStandingForks, type Target } from './standingForks.ts'

export type GenerationsDeps = MakeForkDeps & {
  readonly log: (event: GenerationEvent) => void
  readonly now: () => number
}

export type GenerationsParameters = {
  readonly chainId: number
  readonly freshness: Freshness
  readonly settings?: ForkSettings | undefined
}

type Rolling =
  | { readonly status: 'standing' | 'closed' }
  /** One takes over after the other: who asks meanwhile waits for the one under way. */
  | { readonly status: 'rolling'; readonly done: Promise<void> }

/**
 * While another fork answers, a new one takes over when it is warm: dry runs on one that is not wait behind all
 * that it fetches.
 */
const warmMs = 1_500
/** As far behind everybody else as the system allows. */
const slowNiceness = 19

/** The forks of a chain, of which a new one takes over as the chain moves on. */
export function createRollingForks(
  deps: GenerationsDeps,
  { chainId, freshness, settings }: GenerationsParameters,
) {
  const { startFork, upstream, relay, log, now } = deps
  const forks = createStandingForks(
    {
      log,
      async startSlowFork(blockNumber) {
        const { slowUrl: upstreamUrl } = await relay.open()
        return startFork({ chainId, upstreamUrl, blockNumber, niceness: slowNiceness, settings })
      },
      onNeedOfAnother: () => void refresh(),
    },
    { chainId },
  )
  let rolling: Rolling = { status: 'standing' }
  let confirmedAtMs = now()

  async function roll(target: Target): Promise<void> {
    const startedAtMs = now()
    const standing = forks.current()
    const isReplacement =
      freshness.mode === 'interval' && standing?.fork.isAlive() && !standing.condemned
    const wanted = { chainId, target, settings, warmMs: isReplacement ? warmMs : undefined }
    const made = await makeFork(deps, wanted).catch((error: unknown) => {
      // What stands would fetch its cold reads from there.
      if (error instanceof WrongUpstream) forks.dropCurrent()
      throw error
    })
    if (rolling.status === 'closed') {
      await made.fork.kill()
      throw new SimulatorUnavailable({ chainId, reason: 'it is shutting down' })
    }
    forks.install(made, target)
    confirmedAtMs = now()
    const { blockNumber } = target
    log({ event: 'fork_ready', chainId, blockNumber, elapsedMs: now() - startedAtMs })
  }

  function rollTo(target: Target): Promise<void> {
    if (rolling.status === 'rolling') return rolling.done
    const done = roll(target).finally(() => {
      if (rolling.status === 'rolling') rolling = { status: 'standing' }
    })
    if (rolling.status === 'standing') rolling = { status: 'rolling', done }
    return done
  }

  async function noteReorg(): Promise<void> {
    const current = forks.current()
    if (!current) return
    const { blockNumber, blockHash } = current
    const block = await upstream.readBlock({ blockNumber })
    if (block?.blockHash === blockHash) return
    log({ event: 'reorg', chainId, blockNumber })
    // Its cached reads belong to a block that no longer exists.
    forks.dropCurrent()
  }

  /** Rolls if the head moved; a failure is logged and tried again by the next poll or request. */
  async function refresh(): Promise<void> {
    if (rolling.status === 'closed') return
    try {
      const target = await readTarget(deps, freshness)
      const current = forks.current()
      if (current?.blockHash === target.blockHash && !current.condemned) {
        confirmedAtMs = now()
        return
      }
      await noteReorg()
      await rollTo(target)
    } catch (error) {
      log({ event: 'fork_refused', chainId, reason: safeReason(error) })
    }
  }

  return {
    current: forks.current,
    dropCurrent: forks.dropCurrent,
    run: forks.run,
    rollTo,
    refresh,
    /** When the generation's block was last known to be the head. */
    confirmedAtMs: () => confirmedAtMs,
    isRolling: () => rolling.status === 'rolling',
    isClosed: () => rolling.status === 'closed',
    async close() {
      const last = rolling
      rolling = { status: 'closed' }
      if (last.status === 'rolling') await last.done.catch(() => undefined)
      await forks.close()
    },
  }
}

export type RollingForks = ReturnType<typeof createRollingForks>

function safeReason(error: unknown): string {
  if (error instanceof SimulatorUnavailable || error instanceof RpcTransportError)
    return error.message
  return 'the chain or its fork does not answer'
}
