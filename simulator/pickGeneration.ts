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
const rollAttempts = 3

export const rollPause = () => new Promise<void>((resolve) => setTimeout(resolve, 50))

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
  if (fresh) return fresh
  // Without its upstream a standing fork still answers what it has read.
  const last = forks.current()
  if (isEnough(last, minBlock)) return last
  const reason = minBlock > 0n && last ? 'the asked block is not there yet' : 'no fork stands'
  throw new SimulatorUnavailable({ chainId, reason })
}

/** One of the head, or of one that came later than the request; undefined: the chain gives none in time. */
async function rollUntilFresh(
  deps: Deps,
  { freshness, arrivedAtMs, minBlock }: Question,
): Promise<LiveGeneration | undefined> {
  const { forks, now } = deps
  for (let failures = 0; now() - arrivedAtMs < freshnessDeadlineMs && !forks.isClosed(); ) {
    const target = await readTarget(deps, freshness).catch(() => undefined)
    if (!target) return undefined
    const before = forks.current()
    if (isEnough(before, minBlock) && before.blockHash === target.blockHash) return before
    const outcome = await settle(forks.rollTo(target))
    const after = forks.current()
    if (isEnough(after, minBlock) && after.askedAtMs >= arrivedAtMs) return after
    if ('error' in outcome) {
      if (outcome.error instanceof WrongUpstream) throw outcome.error
      failures += 1
      if (failures >= rollAttempts) return undefined
    }
    if ('error' in outcome || target.blockNumber < minBlock) await rollPause()
  }
  return undefined
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
