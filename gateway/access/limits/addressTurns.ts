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

/** Throws a 429 where the address has had its turns. */
export type TakeAddressTurn = (ip: string, weight: number) => Promise<void>

/**
 * Keys are free, and each has limits of its own: what costs us something and its caller nothing is limited by
 * address as well, however many keys ask there. Each purpose has units of its own: honest calls are not slowed by it.
 */
export function createAddressTurns(
  {
    config,
    buckets,
  }: {
    readonly config: Limits
    readonly buckets?: SharedBuckets | undefined
  },
  purpose: string,
): TakeAddressTurn {
  const take = config.ipLimit && createAddressLimit({ buckets }, config.ipLimit)
  return async (ip, weight) => {
    if (!take || !isLimited(config, ip)) return
    const { allowed, retryAfterSecs } = await take(ip, weight, `${purpose} `)
    if (!allowed) throw tooManyRequests(retryAfterSecs)
  }
}
