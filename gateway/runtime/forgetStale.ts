import type { LRUCache } from 'lru-cache'

/**
 * Lets go of the least recently used entries that time has made meaningless, two at most: called with each that
 * is added, it leaves none for long. Who come once and never again take no memory until others push them out.
 */
export function forgetStale<value extends NonNullable<unknown>>(
  cache: LRUCache<string, value>,
  isStale: (value: value) => boolean,
): void {
  for (let dropped = 0; dropped < 2; dropped += 1) {
    const [oldest] = cache.rkeys()
    const value = oldest === undefined ? undefined : cache.peek(oldest)
    if (oldest === undefined || value === undefined || !isStale(value)) return
    cache.delete(oldest)
  }
}
