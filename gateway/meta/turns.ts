import { setTimeout as wait } from 'node:timers/promises'
import { createRecentTurns } from '../routing/recentTurns.ts'

/** Resolves when its turn has come, or the signal has fired. */
export type TakeTurn = (p: {
  readonly caller: string | undefined
  readonly signal: AbortSignal
}) => Promise<void>

type Waiter = { readonly caller: string; readonly begin: () => void }

/**
 * Asking all sources once is some milliseconds of the loop, again when they answer, and everybody else's
 * requests wait meanwhile. So the next begins when the loop had time since the last one did, and of callers
 * that whose turns of late were fewest: a crowd stands behind itself. Who waits would be under way otherwise,
 * and take more: no bound is needed.
 */
export function createTurns({
  now = () => performance.now(),
  whenRested = restLoop,
}: {
  readonly now?: (() => number) | undefined
  /** Called after each beginning. */
  readonly whenRested?: (() => Promise<void>) | undefined
} = {}): TakeTurn {
  const recent = createRecentTurns({ now })
  const waiting = new Set<Waiter>()
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    for (let next = pick(waiting, recent.had); next; next = pick(waiting, recent.had)) {
      recent.note(next.caller)
      next.begin()
      await whenRested()
    }
    isRunning = false
  }

  return ({ caller = '', signal }) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      function begin() {
        waiting.delete(waiter)
        signal.removeEventListener('abort', begin)
        resolve()
      }
      const waiter: Waiter = { caller, begin }
      waiting.add(waiter)
      signal.addEventListener('abort', begin, { once: true })
      if (!isRunning) void run()
    })
}

/** Of equal ones who has waited longest. */
function pick(waiting: ReadonlySet<Waiter>, had: (caller: string) => number): Waiter | undefined {
  let best: Waiter | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const waiter of waiting) {
    const turns = had(waiter.caller)
    if (turns >= fewest) continue
    fewest = turns
    best = waiter
  }
  return best
}

const lookEveryMs = 5
/** The part of the time in which it may have worked. */
const mostBusy = 0.75
/** What others do may keep it busy for longer. */
const longestMs = 60

/** Resolves when the loop had some rest since now. */
async function restLoop(): Promise<void> {
  const startedAtMs = performance.now()
  const before = performance.eventLoopUtilization()
  do await wait(lookEveryMs)
  while (
    performance.eventLoopUtilization(before).utilization > mostBusy &&
    performance.now() - startedAtMs < longestMs
  )
}
