import type { Fork } from './fork.ts'
import type { Turns } from './processTable.ts'

const pingEveryMs = 300
const pingTimeoutMs = 650
const missesAllowed = 1
/** A ping that is answered sooner costs no look at the fork's threads. */
const lookAfterMs = 150
/**
 * Missed pings in a row that are put down to the machine: where many want its processors, a bomb in the fork
 * gets as small a share of them as an honest one, and looks the same for a while.
 */
const mostExcused = 3

type Look = { readonly turns: Turns | undefined; readonly atMs: number }

type Watched = {
  readonly rpc: Pick<Fork['rpc'], 'batch'>
  readonly readTurns?: Fork['readTurns']
}

/**
 * Pings a fork. Reports a missed ping, at most 1 s after the fork wedged, and once a second one in a row,
 * at most 1.6 s after. A ping that came late because our own loop stood still does not count, nor do some
 * for which the fork got no processor: one that is killed for that is one more to be made by a machine that
 * has too much to do.
 */
export function watchFork(
  fork: Watched,
  { onMiss, onWedged }: { readonly onMiss?: () => void; readonly onWedged: () => void },
): () => void {
  let misses = 0
  let excused = 0
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function ping() {
    const askedAt = performance.now()
    let before: Look | undefined
    const looking = setTimeout(() => {
      before = { turns: fork.readTurns?.(), atMs: performance.now() }
    }, lookAfterMs).unref()
    const isUp = await fork.rpc
      .batch([{ method: 'eth_chainId', params: [] }], { timeoutMs: pingTimeoutMs })
      .then(
        () => true,
        () => false,
      )
    clearTimeout(looking)
    if (stopped) return
    const tookMs = performance.now() - askedAt
    const stoodStill = tookMs > pingTimeoutMs * 1.5
    if (isUp) misses = excused = 0
    else if (!stoodStill && excused < mostExcused && isStarved(fork, before)) excused += 1
    else if (!stoodStill) misses += 1
    if (misses > missesAllowed) {
      stopped = true
      return onWedged()
    }
    if (misses > 0) onMiss?.()
    schedule(isUp)
  }
  function schedule(wasUp: boolean) {
    timer = setTimeout(() => void ping(), wasUp ? pingEveryMs : 0)
    timer.unref()
  }
  schedule(true)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** Whether it was ready to run and others ran. What is wedged does not want to run, or does nothing else. */
function isStarved({ readTurns }: Watched, before: Look | undefined): boolean {
  const after = before?.turns && readTurns?.()
  if (!after || !before?.turns) return false
  const tookMs = performance.now() - before.atMs
  const ranMs = after.ranMs - before.turns.ranMs
  const waitedMs = after.waitedMs - before.turns.waitedMs
  return waitedMs > tookMs / 2 && ranMs < tookMs / 2
}
