import { LRUCache } from 'lru-cache'
import type { RateLimitState } from '../http/access.ts'

export type RateLimit = { readonly unitsPerSec: number; readonly burst: number }

export type TakeUnits = (id: string, weight: number) => RateLimitState

/** What floats may be off by; without it a full bucket can refuse its whole burst. */
const roundingMs = 1e-6

/**
 * GCRA: each id has the time at which its bucket is full again; a request moves it on by its weight.
 *
 * Chose own code over rate-limiter-flexible because that has fixed windows only: twice the limit passes
 * across a window's edge, and Retry-After points at the edge, not at the moment the request would pass.
 * `monotonicMs` must not jump; a wall clock would open or close limits when it is set.
 */
export function createRateLimit(
  { unitsPerSec, burst }: RateLimit,
  { monotonicMs = () => performance.now(), maxIds = 100_000 } = {},
): TakeUnits {
  const msPerUnit = 1000 / unitsPerSec
  const capacityMs = burst * msPerUnit
  const fullAt = new LRUCache<string, number>({ max: maxIds })
  const policy = `"default";q=${burst};w=${Math.ceil(burst / unitsPerSec)}`

  return (id, weight) => {
    const now = monotonicMs()
    const current = Math.max(fullAt.get(id) ?? now, now)
    const next = current + weight * msPerUnit
    const allowed = next - now <= capacityMs + roundingMs
    if (allowed) fullAt.set(id, next)
    const usedMs = (allowed ? next : current) - now
    const remaining = Math.floor((capacityMs - usedMs + roundingMs) / msPerUnit)
    const resetSecs = Math.ceil(usedMs / 1000)
    const retryAfterSecs = allowed
      ? 0
      : Math.max(1, Math.ceil((next - now - capacityMs - roundingMs) / 1000))
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
