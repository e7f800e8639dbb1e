import { LRUCache } from 'lru-cache'
import type { RateLimitState } from '../../http/access.ts'
import { forgetStale } from '../../runtime/forgetStale.ts'

export type RateLimit = { readonly unitsPerSec: number; readonly burst: number }

/** By `limit`, where the id has one of its own. */
export type TakeUnits = (
  id: string,
  weight: number,
  limit?: RateLimit,
) => RateLimitState | Promise<RateLimitState>

export type LocalLimit = {
  take(id: string, weight: number, limit?: RateLimit): RateLimitState
  /** What is known of an id from elsewhere: how much of its burst is used up. */
  setUsed(id: string, usedMs: number): void
}

/** What floats may be off by; without it a full bucket can refuse its whole burst. */
const roundingMs = 1e-6

/** What a request is told of its limit. Times count what they are worth at the limit's rate. */
export function createStateOf({
  burst,
  msPerUnit,
}: {
  readonly burst: number
  readonly msPerUnit: number
}) {
  const capacityMs = burst * msPerUnit
  const policy = `"default";q=${burst};w=${Math.ceil(capacityMs / 1000 - roundingMs)}`

  /** `usedMs` after the request where it passed, before it where it was refused. */
  return (taken: { allowed: boolean; usedMs: number; costMs: number }): RateLimitState => {
    const { allowed, usedMs, costMs } = taken
    const remaining = Math.floor((capacityMs - usedMs + roundingMs) / msPerUnit)
    const resetSecs = Math.ceil(usedMs / 1000)
    const missingMs = usedMs + costMs - capacityMs - roundingMs
    const retryAfterSecs = allowed ? 0 : Math.max(1, Math.ceil(missingMs / 1000))
    return {
      allowed,
      limit: burst,
      remaining,
      resetSecs,
      retryAfterSecs,
      headers: {
        'ratelimit-policy': policy,
        ratelimit: `"default";r=${remaining};t=${Math.max(resetSecs, retryAfterSecs)}`,
      },
    }
  }
}

function measure({ unitsPerSec, burst }: RateLimit) {
  const msPerUnit = 1000 / unitsPerSec
  const toState = createStateOf({ burst, msPerUnit })
  return { msPerUnit, capacityMs: burst * msPerUnit, toState }
}

/**
 * GCRA: each id has the time at which its bucket is full again; a request moves it on by its weight.
 *
 * Chose own code over rate-limiter-flexible because that has fixed windows only: twice the limit passes
 * across a window's edge, and Retry-After points at the edge, not at the moment the request would pass.
 * `monotonicMs` must not jump; a wall clock would open or close limits when it is set.
 */
export function createRateLimit(
  usual: RateLimit,
  { monotonicMs = () => performance.now(), maxIds = 100_000 } = {},
): LocalLimit {
  const fullAt = new LRUCache<string, number>({ max: maxIds })
  const usualMeasure = measure(usual)

  return {
    take(id, weight, limit) {
      const { msPerUnit, capacityMs, toState } = limit ? measure(limit) : usualMeasure
      const now = monotonicMs()
      // A limit that has become smaller is used up, and no more than that.
      const current = Math.min(Math.max(fullAt.get(id) ?? now, now), now + capacityMs)
      const costMs = weight * msPerUnit
      const next = current + costMs
      const allowed = next - now <= capacityMs + roundingMs
      if (allowed) {
        fullAt.set(id, next)
        forgetStale(fullAt, (atMs) => atMs <= now)
      }
      return toState({ allowed, usedMs: (allowed ? next : current) - now, costMs })
    },
    setUsed: (id, usedMs) => void fullAt.set(id, monotonicMs() + usedMs),
  }
}
