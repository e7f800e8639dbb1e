import { readTarget } from './freshness.ts'
import { WrongUpstream } from './makeFork.ts'
import type { GenerationsDeps, GenerationsParameters, RollingForks } from './rollingForks.ts'
import { settle } from './settle.ts'
import { SimulatorUnavailable } from './simulatorUnavailable.ts'
import type { LiveGeneration } from './standingForks.ts'

type Deps = Pick<GenerationsDeps, 'upstream' | 'now'> & { readonly forks: RollingForks }
type Question = GenerationsParameters & {
  readonly arrivedAtMs: number
  readonly minBlock: bigint
}

const freshnessDeadlineMs = 6_000
const rollAttempts = 4
/** A fork that could not be made is tried again when what kept it from its reads may be over. */
const failedPauseMs = 300
/** Until the chain is asked again for a block that it has not shown yet. */
const blockPauseMs = 200

export const rollPause = (pauseMs = 50) =>
  new Promise<void>((resolve) => setTimeout(resolve, pauseMs))

export function isEnough(
  live: LiveGeneration | undefined,
  minBlock: bigint,
): live is LiveGeneration {
  return live?.fork.isAlive() === true && live.blockNumber >= minBlock
}

/** The generation that may answer a request which came at `arrivedAtMs`. */
export async function pickGeneration(deps: Deps, question: Question): Promise<LiveGeneration> {
  const { forks } = deps
  const { chainId, freshness, minBlock } = question
  const standing = forks.current()
  if (freshness.mode === 'interval' && isEnough(standing, minBlock)) return standing
  const fresh = await rollUntilFresh(deps, question)
  if (fresh !== 'chain_silent' && fresh !== 'late') return fresh
  const last = forks.current()
  const isThere = isEnough(last, minBlock)
  // Without its upstream a standing fork still answers what it has read.
  if (isThere && fresh === 'chain_silent') return last
  if (isThere) throw new SimulatorUnavailable({ chainId, reason: 'no fork of the head in time' })
  const reason = minBlock > 0n && last ? 'the asked block is not there yet' : 'no fork stands'
  throw new SimulatorUnavailable({ chainId, reason })
}

/** One of the head, or of one that came later than the request. */
async function rollUntilFresh(
  deps: Deps,
  { freshness, arrivedAtMs, minBlock }: Question,
): Promise<LiveGeneration | 'chain_silent' | 'late'> {
  const { forks, now } = deps
  for (let failures = 0; now() - arrivedAtMs < freshnessDeadlineMs && !forks.isClosed(); ) {
    const target = await readTarget(deps, freshness).catch(() => undefined)
    if (!target) return 'chain_silent'
    const before = forks.current()
    const isRecent = freshness.mode === 'interval' || before?.blockHash === target.blockHash
    if (isEnough(before, minBlock) && isRecent) return before
    if (target.blockNumber < minBlock) {
      // A fork of it would answer no question of this one's.
      await rollPause(blockPauseMs)
      continue
    }
    const outcome = await settle(forks.rollTo(target))
    const after = forks.current()
    if (isEnough(after, minBlock) && after.askedAtMs >= arrivedAtMs) return after
    if ('error' in outcome) {
      if (outcome.error instanceof WrongUpstream) throw outcome.error
      failures += 1
      if (failures >= rollAttempts) return 'late'
      await rollPause(failedPauseMs)
    }
  }
  return 'late'
}

/** False when the chain has moved on; true, too, when it does not answer. */
export async function isStillHead(
  deps: Deps,
  { freshness, live }: Pick<Question, 'freshness'> & { readonly live: LiveGeneration },
): Promise<boolean> {
  if (freshness.mode === 'interval') return true
  const target = await readTarget(deps, freshness).catch(() => undefined)
  return target === undefined || target.blockHash === live.blockHash
}
