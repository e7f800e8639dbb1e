import { tooManyRequests } from '../../http/tooManyRequests.ts'
import { createAddressLimit } from './addressLimit.ts'
import type { RateLimit } from './rateLimit.ts'
import type { SharedBuckets } from './sharedBuckets.ts'

type Limits = {
  /** Undefined: there is none. */
  readonly ipLimit: RateLimit | undefined
  readonly isLoopbackLimited: boolean
}

const loopback = /^(127\.|::1$)/

/** Whether the limits of addresses hold for this one. */
export const isLimited = (
  { isLoopbackLimited }: Pick<Limits, 'isLoopbackLimited'>,
  ip: string,
): boolean => isLoopbackLimited || !loopback.test(ip)

type Deps = {
  readonly config: Limits
  readonly buckets?: SharedBuckets | undefined
}

/** One of each gateway: a purpose that several take turns for is one limit, as it is where Redis counts. */
const opened = new WeakMap<Deps, ReturnType<typeof createAddressLimit>>()

function limitOf(deps: Deps) {
  const { ipLimit } = deps.config
  const known = opened.get(deps)
  if (known || !ipLimit) return known
  const limit = createAddressLimit(deps, ipLimit)
  opened.set(deps, limit)
  return limit
}

/** Throws a 429 where the address has had its turns. */
export type TakeAddressTurn = (ip: string, weight: number) => Promise<void>

/**
 * Keys are free, and each has limits of its own: what costs us something and its caller nothing is limited by
 * address as well, however many keys ask there. Each purpose has units of its own: honest calls are not slowed by it.
 */
export function createAddressTurns(deps: Deps, purpose: string): TakeAddressTurn {
  const { config } = deps
  const take = limitOf(deps)
  return async (ip, weight) => {
    if (!take || !isLimited(config, ip)) return
    const { allowed, retryAfterSecs } = await take(ip, weight, `${purpose} `)
    if (!allowed) throw tooManyRequests(retryAfterSecs)
  }
}
