import type { Freshness } from './freshness.ts'
import type { RollingForks } from './rollingForks.ts'

type Deps = {
  readonly forks: Pick<RollingForks, 'current' | 'refresh' | 'confirmedAtMs' | 'dropCurrent'>
  readonly now: () => number
}

/**
 * Lets the fork stay where it is while nobody asks, without a read of the chain. Whoever then comes waits
 * for one of the newest block, all who come meanwhile for the same.
 */
export function createRest({ forks, now }: Deps, freshness: Freshness) {
  // A lab's chain costs nothing to ask, and each of its forks is asked for whether it is the head's.
  const afterMs = freshness.mode === 'interval' ? freshness.restAfterMs : undefined
  let usedAtMs = now()
  let resting = false
  let waking: Promise<void> | undefined

  const hasToRest = () =>
    afterMs !== undefined && forks.current() !== undefined && now() - usedAtMs >= afterMs

  async function awake(): Promise<void> {
    const sinceMs = now()
    await forks.refresh()
    // What was true so long ago answers nobody: another one is made as soon as the chain gives it.
    if (forks.confirmedAtMs() < sinceMs) forks.dropCurrent()
    resting = false
  }

  return {
    isResting: () => resting,
    /** Follows the head, but while it rests. */
    async follow(): Promise<void> {
      if (waking) return
      resting = hasToRest()
      if (!resting) await forks.refresh()
    },
    /** Somebody asks. */
    async wake(): Promise<void> {
      usedAtMs = now()
      if (!resting) return
      waking ??= awake().finally(() => {
        waking = undefined
      })
      await waking
    },
    /** What was asked has its answer, which may have taken a while. */
    leave(): void {
      usedAtMs = now()
    },
  }
}
