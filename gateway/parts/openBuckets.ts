import { openSharedBuckets, type SharedBuckets } from '../access/limits/sharedBuckets.ts'
import type { Config } from '../config/config.ts'
import type { Observed } from './observed.ts'

/** Where rate limits are shared, if anywhere; the gateway works without it. */
export const openBuckets = async (
  { redisUrl }: Config,
  { log, metrics }: Observed,
): Promise<SharedBuckets | undefined> => {
  if (redisUrl === undefined) return undefined
  const buckets = await openSharedBuckets({
    url: redisUrl,
    observe(event) {
      log[event.event === 'lost' ? 'warn' : 'info'](event, `shared rate limits: ${event.event}`)
    },
  })
  metrics.showSharedLimits(buckets.isConnected)
  return buckets
}
