import type { Fork } from './fork.ts'
import type { Generation, GenerationEvent } from './generation.ts'
import { type MakeForkDeps, makeFork, WrongUpstream } from './makeFork.ts'
import { RpcTransportError } from './rpcBatch.ts'
import { settle } from './settle.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import { createStandingForks, type LiveGeneration, type Target } from './standingForks.ts'

/**
 * `head`: every request is answered from the head as it stood when the request came (a lab's chain
 * mines with each transaction). `interval`: from a head that is at most so old (a chain with fast blocks).
 */
export type Freshness =
  | { readonly mode: 'head' }
  | {
      readonly mode: 'interval'
      readonly everyMs: number
      /** Stays so far behind the head, for upstreams whose nodes are not all as far. */
      readonly lagBlocks?: number | undefined
    }

export type GenerationStatus = {
  readonly ready: boolean
  readonly blockNumber: bigint | undefined
  /** Since the generation's block was last known to be the head. */
  readonly ageMs: number
}

export type Generations = {
  readonly use: <T>(
    parameters: {
      readonly minBlock?: bigint | undefined
      readonly signal?: AbortSignal | undefined
    },
    work: (generation: Generation) => Promise<T>,
  ) => Promise<T>
  readonly status: () => GenerationStatus
  readonly close: () => Promise<void>
}

export type GenerationsDeps = MakeForkDeps & {
  readonly log: (event: GenerationEvent) => void
  readonly now: () => number
}

const headPollMs = 250
const freshnessDeadlineMs = 6_000
const rollAttempts = 3
/** As far behind everybody else as the system allows. */
const slowNiceness = 19

/** The rolling generations of one chain: a new fork takes over before the old one is drained and killed. */
export function createGenerations(
  deps: GenerationsDeps,
  { chainId, freshness = { mode: 'head' } }: { chainId: number; freshness?: Freshness | undefined },
): Generations & { readonly start: () => Promise<void> } {
  const { startFork, upstream, relay, log, now } = deps
  const forks = createStandingForks(
    {
      log,
      async startSlowFork(blockNumber) {
        const { slowUrl: upstreamUrl } = await relay.open()
        return startFork({ chainId, upstreamUrl, blockNumber, niceness: slowNiceness })
      },
      onNeedOfAnother: () => void refresh(),
    },
    { chainId },
  )
  let rolling: Promise<void> | undefined
  let confirmedAtMs = now()
  let closed = false
  let pollTimer: NodeJS.Timeout | undefined

  const unavailable = (reason: string) => new SimulatorUnavailable({ chainId, reason })

  async function readTarget(): Promise<Target> {
    const askedAtMs = now()
    const head = await upstream.readHead()
    const lag = freshness.mode === 'interval' ? BigInt(freshness.lagBlocks ?? 0) : 0n
    if (lag === 0n || head.blockNumber < lag) return { ...head, askedAtMs }
    const block = await upstream.readBlock({ blockNumber: head.blockNumber - lag })
    return { ...(block ?? head), askedAtMs }
  }

  function rollTo(target: Target): Promise<void> {
    rolling ??= roll(target).finally(() => {
      rolling = undefined
    })
    return rolling
  }

  async function roll(target: Target) {
    const startedAtMs = now()
    const made = await makeFork(deps, { chainId, target }).catch((error: unknown) => {
      // What stands would fetch its cold reads from there.
      if (error instanceof WrongUpstream) forks.dropCurrent()
      throw error
    })
    if (closed) {
      await made.fork.kill()
      throw unavailable('it is shutting down')
    }
    forks.install(made, target)
    confirmedAtMs = now()
    log({
      event: 'fork_ready',
      chainId,
      blockNumber: target.blockNumber,
      elapsedMs: now() - startedAtMs,
    })
  }

  /** Rolls if the head moved; a failure is logged and tried again by the next poll or request. */
  async function refresh() {
    if (closed) return
    try {
      const target = await readTarget()
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

  async function noteReorg() {
    const current = forks.current()
    if (!current) return
    const { blockNumber, blockHash } = current
    const block = await upstream.readBlock({ blockNumber })
    if (block?.blockHash === blockHash) return
    log({ event: 'reorg', chainId, blockNumber })
    // Its cached reads belong to a block that no longer exists.
    forks.dropCurrent()
  }

  const isEnough = (live: LiveGeneration | undefined, minBlock: bigint): live is LiveGeneration =>
    live?.fork.isAlive() === true && live.blockNumber >= minBlock

  /** The generation that may answer a request which came at `arrivedAtMs`. */
  async function pick(arrivedAtMs: number, minBlock: bigint): Promise<LiveGeneration> {
    const standing = forks.current()
    if (freshness.mode === 'interval' && isEnough(standing, minBlock)) return standing
    for (let failures = 0; now() - arrivedAtMs < freshnessDeadlineMs && !closed; ) {
      const target = await readTarget().catch(() => undefined)
      if (!target) break
      const before = forks.current()
      if (isEnough(before, minBlock) && before.blockHash === target.blockHash) return before
      const refusal = await rollTo(target).then(
        () => undefined,
        (error: unknown) => error,
      )
      const after = forks.current()
      if (isEnough(after, minBlock) && after.askedAtMs >= arrivedAtMs) return after
      if (refusal instanceof WrongUpstream) throw refusal
      if (refusal !== undefined) failures += 1
      if (failures >= rollAttempts) break
      if (refusal !== undefined || target.blockNumber < minBlock) await rollPause()
    }
    // Without its upstream a standing fork still answers what it has read.
    const last = forks.current()
    if (isEnough(last, minBlock)) return last
    throw unavailable(minBlock > 0n && last ? 'the asked block is not there yet' : 'no fork stands')
  }

  /** False when the chain has moved on; true, too, when it does not answer. */
  const isStillHead = (live: LiveGeneration): Promise<boolean> =>
    freshness.mode === 'interval'
      ? Promise.resolve(true)
      : readTarget().then(
          ({ blockHash }) => blockHash === live.blockHash,
          () => true,
        )

  async function use<T>(
    { minBlock = 0n, signal }: { minBlock?: bigint | undefined; signal?: AbortSignal | undefined },
    work: (generation: Generation) => Promise<T>,
  ): Promise<T> {
    const arrivedAtMs = now()
    // Most often the fork that stands is the head's: the work starts while that is being asked.
    const standing = forks.current()
    if (isEnough(standing, minBlock)) {
      const running = settle(forks.run(standing, work))
      const [isFresh, outcome] = await Promise.all([isStillHead(standing), running])
      if (isFresh) {
        if (!('error' in outcome)) return outcome.value
        if (!(await losesConnection(outcome.error, standing.fork))) throw outcome.error
      }
    }
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted()
      if (closed) throw unavailable('it is shutting down')
      const live = await pick(arrivedAtMs, minBlock)
      const outcome = await settle(forks.run(live, work))
      if (!('error' in outcome)) return outcome.value
      const isLost = await losesConnection(outcome.error, live.fork)
      if (!isLost || attempt >= 2 || signal?.aborted) throw outcome.error
    }
  }

  function schedule() {
    const everyMs = freshness.mode === 'interval' ? freshness.everyMs : headPollMs
    pollTimer = setTimeout(() => void refresh().finally(() => !closed && schedule()), everyMs)
    pollTimer.unref()
  }

  return {
    use,
    async start() {
      await refresh()
      if (!closed) schedule()
    },
    status: () => ({
      ready: forks.current()?.fork.isAlive() ?? false,
      blockNumber: forks.current()?.blockNumber,
      ageMs: now() - confirmedAtMs,
    }),
    async close() {
      closed = true
      clearTimeout(pollTimer)
      await rolling?.catch(() => undefined)
      await forks.close()
      await Promise.all([upstream.close(), relay.close()])
    },
  }
}

const rollPause = () => new Promise<void>((resolve) => setTimeout(resolve, 50))

/** A killed fork closes its connections a moment before its exit is known. */
async function losesConnection(error: unknown, fork: Fork): Promise<boolean> {
  if (!(error instanceof RpcTransportError)) return false
  if (error.fault !== 'connection') return !fork.isAlive()
  await Promise.race([fork.exited, rollPause()])
  return true
}

function safeReason(error: unknown): string {
  if (error instanceof SimulatorUnavailable || error instanceof RpcTransportError)
    return error.message
  return 'the chain or its fork does not answer'
}
