import {
  createRateLimit,
  createStateOf,
  type LocalLimit,
  type RateLimit,
  type TakeUnits,
} from './rateLimit.ts'
import type { SharedBuckets } from './sharedBuckets.ts'

/** In whole microseconds: what several clients add up stays exact. */
function measure({ unitsPerSec, burst }: RateLimit) {
  const usPerUnit = Math.max(1, Math.round(1e6 / unitsPerSec))
  const toState = createStateOf({ burst, msPerUnit: usPerUnit / 1000 })
  return { usPerUnit, capacityUs: burst * usPerUnit, toState }
}

/**
 * One limit for all gateways on one Redis; each limits by itself, from where the shared limit stood, while
 * that does not answer: of several gateways each then lets the whole rate pass.
 */
function createSharedRateLimit(
  { buckets, local }: { buckets: SharedBuckets; local: LocalLimit },
  { name, ...usual }: RateLimit & { readonly name: string },
): TakeUnits {
  const usualMeasure = measure(usual)

  return async (id, weight, limit) => {
    const { usPerUnit, capacityUs, toState } = limit ? measure(limit) : usualMeasure
    const costUs = weight * usPerUnit
    const taken = await buckets.take({ bucket: `${name}:${id}`, costUs, capacityUs })
    if (!taken) return local.take(id, weight, limit)
    const usedMs = taken.usedUs / 1000
    local.setUsed(id, usedMs)
    return toState({ allowed: taken.allowed, usedMs, costMs: costUs / 1000 })
  }
}

/** The limit as the configuration wants it: shared where there is somewhere to share it. */
export function chooseRateLimit(
  { buckets }: { readonly buckets: SharedBuckets | undefined },
  limit: RateLimit & { readonly name: string },
): TakeUnits {
  const local = createRateLimit(limit)
  return buckets ? createSharedRateLimit({ buckets, local }, limit) : local.take
}
