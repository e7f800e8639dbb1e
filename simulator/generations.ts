import type { Fork } from './fork.ts'
import type { ForkSettings } from './forkSettings.ts'
import { type Freshness, readTarget } from './freshness.ts'
import type { Generation } from './generation.ts'
import { isEnough, isStillHead, pickGeneration, rollPause } from './pickGeneration.ts'
import { createRest } from './rest.ts'
import { createRollingForks, type GenerationsDeps } from './rollingForks.ts'
import { RpcTransportError } from './rpc/rpcBatch.ts'
import { settle } from './settle.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import type { LiveGeneration } from './standingForks.ts'
import type { BlockId } from './upstream.ts'

export type GenerationStatus = {
  readonly ready: boolean
  readonly blockNumber: bigint | undefined
  /** Since the generation's block was last known to be the head; 0 while it rests. */
  readonly ageMs: number
  /** Nobody has asked for a while: whoever does waits for a new one. */
  readonly resting: boolean
  /** What it works on now. */
  readonly running: number
}

type UseParameters = {
  readonly minBlock?: bigint | undefined
  readonly signal?: AbortSignal | undefined
}

export type Generations = {
  readonly use: <T>(
    parameters: UseParameters,
    work: (generation: Generation) => Promise<T>,
  ) => Promise<T>
  /** The block that the fork for a question would be of; undefined where its node may say otherwise than a fork. */
  readonly pickBlock: (minBlock?: bigint) => Promise<BlockId | undefined>
  readonly status: () => GenerationStatus
  readonly close: () => Promise<void>
}

const headPollMs = 250
const lostAttempts = 3

/** The rolling generations of one chain: a new fork takes over before the old one is drained and killed. */
export function createGenerations(
  deps: GenerationsDeps,
  {
    chainId,
    freshness = { mode: 'head' },
    settings,
  }: {
    chainId: number
    freshness?: Freshness | undefined
    settings?: ForkSettings | undefined
  },
): Generations & { readonly start: () => Promise<void> } {
  const { upstream, relay, now } = deps
  const forks = createRollingForks(deps, { chainId, freshness, settings })
  const picking = { upstream, now, forks }
  const rest = createRest({ forks, now }, freshness)
  let pollTimer: NodeJS.Timeout | undefined

  /** Undefined: what stands does not answer for the head any more, or died under the work. */
  async function useStanding<T>(
    live: LiveGeneration,
    work: (generation: Generation) => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    const running = settle(forks.run(live, work))
    const [isFresh, outcome] = await Promise.all([
      isStillHead(picking, { freshness, live }),
      running,
    ])
    if (!isFresh) return undefined
    if (!('error' in outcome)) return outcome
    if (await losesConnection(outcome.error, live.fork)) return undefined
    throw outcome.error
  }

  /** Somebody has found that the chain has moved on from what stands. */
  const isMovingOn = () => freshness.mode === 'head' && forks.isRolling()

  async function useFresh<T>(
    { minBlock = 0n, signal }: UseParameters,
    work: (generation: Generation) => Promise<T>,
  ): Promise<T> {
    const arrivedAtMs = now()
    // Most often the fork that stands is the head's: the work starts while that is being asked.
    const standing = forks.current()
    const early =
      isEnough(standing, minBlock) && !isMovingOn() && (await useStanding(standing, work))
    if (early) return early.value
    const question = { chainId, freshness, arrivedAtMs, minBlock }
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted()
      if (forks.isClosed())
        throw new SimulatorUnavailable({ chainId, reason: 'it is shutting down' })
      const live = await pickGeneration(picking, question)
      const outcome = await settle(forks.run(live, work))
      if (!('error' in outcome)) return outcome.value
      const isLost = await losesConnection(outcome.error, live.fork)
      if (!isLost || attempt >= lostAttempts || signal?.aborted) throw outcome.error
    }
  }

  async function use<T>(
    parameters: UseParameters,
    work: (generation: Generation) => Promise<T>,
  ): Promise<T> {
    await rest.wake()
    try {
      return await useFresh(parameters, work)
    } finally {
      rest.leave()
    }
  }

  async function pickBlock(minBlock?: bigint): Promise<BlockId | undefined> {
    // What forks stand in for the chain runs by itself, for another price.
    if (settings?.precompiles !== undefined) return undefined
    await rest.wake()
    const standing = forks.current()
    if (!standing) return undefined
    const block =
      freshness.mode === 'head'
        ? await readTarget(picking, freshness).catch(() => undefined)
        : standing
    return block && (minBlock === undefined || block.blockNumber >= minBlock) ? block : undefined
  }

  function schedule(): void {
    if (forks.isClosed()) return
    const everyMs = freshness.mode === 'interval' ? freshness.everyMs : headPollMs
    pollTimer = setTimeout(() => void rest.follow().finally(schedule), everyMs)
    pollTimer.unref()
  }

  return {
    use,
    pickBlock,
    async start() {
      await forks.refresh()
      schedule()
    },
    status: () => ({
      ready: forks.current()?.fork.isAlive() ?? false,
      blockNumber: forks.current()?.blockNumber,
      ageMs: rest.isResting() ? 0 : now() - forks.confirmedAtMs(),
      resting: rest.isResting(),
      running: forks.current()?.inFlight ?? 0,
    }),
    async close() {
      clearTimeout(pollTimer)
      await forks.close()
      await Promise.all([upstream.close(), relay.close()])
    },
  }
}

/** A killed fork closes its connections a moment before its exit is known. */
async function losesConnection(error: unknown, fork: Fork): Promise<boolean> {
  if (!(error instanceof RpcTransportError)) return false
  if (error.fault !== 'connection') return !fork.isAlive()
  await Promise.race([fork.exited, rollPause()])
  return true
}
