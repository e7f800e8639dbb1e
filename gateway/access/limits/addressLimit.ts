import type { RateLimitState } from '../../http/access.ts'
import { limitedNames } from '../../http/limitedNetwork.ts'
import type { RateLimit } from './rateLimit.ts'
import type { SharedBuckets } from './sharedBuckets.ts'
import { chooseRateLimit } from './sharedRateLimit.ts'

/** `purpose` has units of its own. */
type TakeOfAddress = (ip: string, weight: number, purpose?: string) => Promise<RateLimitState>

/** A limit of each address: of its network and, where that leaves some, of its site. */
export function createAddressLimit(
  { buckets }: { readonly buckets?: SharedBuckets | undefined },
  limit: RateLimit,
): TakeOfAddress {
  const take = chooseRateLimit({ buckets }, { ...limit, name: 'ip' })
  return async (ip, weight, purpose = '') => {
    const [[network], site] = limitedNames(ip)
    const own = await take(`${purpose}${network}`, weight)
    if (!own.allowed || !site) return own
    const [name, times] = site
    const { unitsPerSec, burst } = limit
    const more = { unitsPerSec: times * unitsPerSec, burst: times * burst }
    const ofSite = await take(`${purpose}${name}`, weight, more)
    return ofSite.allowed ? own : ofSite
  }
}
