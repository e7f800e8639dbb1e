import { setTimeout as wait } from 'node:timers/promises'
import { createRecentTurns, memoryMs } from '../routing/recentTurns.ts'

/** Resolves when its turn has come, or the signal has fired. */
export type TakeTurn = (p: {
  readonly caller: string | undefined
  /** Whom the caller is one of many of: a site's addresses and keys have turns together. Default: the caller. */
  readonly site?: string | undefined
  readonly signal: AbortSignal
}) => Promise<void>

type Waiter = { readonly caller: string; readonly site: string; readonly begin: () => void }

/**
 * Asking all sources once is some milliseconds of the loop, again when they answer, and everybody else's
 * requests wait meanwhile. So the next begins when the loop had time since the last one did, and of callers
 * that whose turns of late were fewest, its own or those of its site: a crowd stands behind itself, and so does
 * whoever asks by many addresses or keys. The fewer turns they were, the less a loop that does not rest is waited
 * for: many who ask once in a while would never all have theirs. Who waits would be under way otherwise, and take
 * more: no bound is needed.
 */
export function createTurns({
  now = () => performance.now(),
  whenRested = restLoop,
}: {
  readonly now?: (() => number) | undefined
  /** Called after each beginning; `patience`, 0 to 1, tells at each look how much of a rest is waited for. */
  readonly whenRested?: ((patience: () => number) => Promise<void>) | undefined
} = {}): TakeTurn {
  const [ofCallers, ofSites] = [createRecentTurns(), createRecentTurns()]
  const waiting = new Set<Waiter>()
  /** Undefined: it is to be found. Turns are forgotten by all alike, so that time leaves the order as it is. */
  let first: Waiter | undefined
  let isRunning = false

  /** At one moment, for all that are compared. */
  const rankAt =
    (nowMs: number) =>
    ({ caller, site }: Waiter): Rank => {
      const own = ofCallers.had(caller, nowMs)
      return [Math.max(own, ofSites.had(site, nowMs)), own]
    }

  function findNext(): Waiter | undefined {
    first ??= pick(waiting, rankAt(now()))
    return first
  }

  /** Of whoever is next in line; whoever may come yet is waited for as the busiest are. */
  function patience(): number {
    const next = findNext()
    return next ? Math.min(1, rankAt(now())(next)[0] / turnsOfBusy) : 1
  }

  async function run(): Promise<void> {
    isRunning = true
    for (let next = findNext(); next; next = findNext()) {
      const nowMs = now()
      ofCallers.note(next.caller, nowMs)
      ofSites.note(next.site, nowMs)
      next.begin()
      await whenRested(patience)
    }
    isRunning = false
  }

  return ({ caller = '', site = caller, signal }) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      function begin() {
        waiting.delete(waiter)
        if (waiter === first) first = undefined
        signal.removeEventListener('abort', begin)
        resolve()
      }
      const waiter: Waiter = { caller, site, begin }
      waiting.add(waiter)
      const rankOf = rankAt(now())
      if (first && isBefore(rankOf(waiter), rankOf(first))) first = waiter
      signal.addEventListener('abort', begin)
      if (!isRunning) void run()
    })
}

/** Whose turns count, and, at one site, the caller's own. */
type Rank = readonly [most: number, own: number]

const isBefore = ([most, own]: Rank, [otherMost, otherOwn]: Rank) =>
  most < otherMost || (most === otherMost && own < otherOwn)

/** Of equal ones who has waited longest. */
function pick(waiting: ReadonlySet<Waiter>, rankOf: (waiter: Waiter) => Rank): Waiter | undefined {
  let best: Waiter | undefined
  let fewest: Rank = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const waiter of waiting) {
    const rank = rankOf(waiter)
    if (!isBefore(rank, fewest)) continue
    best = waiter
    fewest = rank
  }
  return best
}

const lookEveryMs = 5
/** The part of the time in which it may have worked. */
const mostBusy = 0.75
/** What others do may keep it busy for longer. */
const longestMs = 60
/** Turns of late of whoever waits for all of that: one a second. */
const turnsOfBusy = memoryMs / 1_000

/** Resolves when the loop had some rest since now, or was waited for as long as patience has it. */
async function restLoop(patience: () => number): Promise<void> {
  const startedAtMs = performance.now()
  const before = performance.eventLoopUtilization()
  do await wait(lookEveryMs)
  while (
    performance.eventLoopUtilization(before).utilization > mostBusy &&
    performance.now() - startedAtMs < longestMs * patience()
  )
}
