import type { Fork } from './fork.ts'

const pingEveryMs = 300
const pingTimeoutMs = 650
const missesAllowed = 1

/**
 * Pings a fork. Reports a missed ping, at most 1 s after the fork wedged, and once a second one in a row,
 * at most 1.6 s after. A ping that came late because our own loop stood still does not count.
 */
export function watchFork(
  fork: Fork,
  { onMiss, onWedged }: { readonly onMiss?: () => void; readonly onWedged: () => void },
): () => void {
  let misses = 0
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function ping() {
    const askedAt = performance.now()
    const isUp = await fork.rpc
      .batch([{ method: 'eth_chainId', params: [] }], { timeoutMs: pingTimeoutMs })
      .then(
        () => true,
        () => false,
      )
    if (stopped) return
    const stoodStill = performance.now() - askedAt > pingTimeoutMs * 1.5
    if (isUp) misses = 0
    else if (!stoodStill) misses += 1
    if (misses > missesAllowed) {
      stopped = true
      return onWedged()
    }
    if (misses > 0) onMiss?.()
    schedule()
  }
  function schedule() {
    timer = setTimeout(() => void ping(), misses > 0 ? 0 : pingEveryMs)
    timer.unref()
  }
  schedule()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
