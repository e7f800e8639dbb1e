import { setTimeout as wait } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

/**
 * Dry runs of routes in which somebody unknown has a say. Who asked waits for one so long and no longer: it
 * goes on without him, and what comes of it is known to the next.
 */
export type Trials = {
  /** `late`: nothing came of it in time, or it was not begun. */
  run<result>(poolIds: readonly string[], p: TrialParameters<result>): Promise<result | 'late'>
  /** The verdict over the same payload on the same block: reached once for all who ask meanwhile. */
  once<verdict extends object>(
    key: string,
    judge: () => Promise<verdict>,
    p: { readonly isFinal: (verdict: verdict) => boolean },
  ): Promise<verdict>
}

type Asker = {
  readonly caller?: string | undefined
  readonly network?: string | undefined
  readonly site?: string | undefined
}

export type TrialParameters<result> = {
  readonly work: () => Promise<result>
  readonly holds: (result: result) => boolean
  readonly waitMs: number
  /** Without another route it is worth waiting for its turn, and for pools that keep people waiting. */
  readonly isAlone: boolean
  /** In whose places it runs. */
  readonly asker: Asker | undefined
}

/** How long a pool that passed may be tried by many at once; the others: once alone and once with others. */
const believedMs = 600_000
/** A pool that has passed all this time is one to wait for: anybody's new one behaves until it is believed. */
const provedAfterMs = 3_600_000
const mostAtOnce = 16
/** Of these, of a site's networks together, so that one with many slow pools leaves places to others. */
const mostOfSite = 4
/**
 * Pools whose dry run came late are not waited for by who has another route, each time for longer. Of
 * several in one route nobody knows which keeps people waiting: they are paused together, none by itself.
 */
const firstPauseMs = 2_000
const longestPauseMs = 600_000
const mostPools = 10_000
/**
 * Beside another route, a pool that has not passed for a while is worth this part of the wait: anybody makes new
 * ones, and what comes of the trial is known to the next who asks.
 */
const unprovedPart = 10
/** A payload is good for longer; a chain that stands still may have a pool turn with the time. */
const verdictMs = 15_000
const mostVerdicts = 1_000

type Kept = { readonly verdict: Promise<object>; untilMs: number }
type Passed = { readonly firstAtMs: number; readonly atMs: number }
type Pause = { readonly lengthMs: number; readonly untilMs: number }

export function createTrials({ now }: { readonly now: () => number }): Trials {
  const passes = new LRUCache<string, Passed>({ max: mostPools })
  const pauses = new LRUCache<string, Pause>({ max: mostPools })
  const verdicts = new LRUCache<string, Kept>({ max: mostVerdicts })
  const underWay = new Map<string, number>()
  const bySite = new Map<string, number>()
  let running = 0
  let someEnd = Promise.withResolvers<void>()

  const passedOf = (id: string) => {
    const passed = passes.get(id)
    return passed && now() - passed.atMs < believedMs ? passed : undefined
  }
  const isBelieved = (id: string) => passedOf(id) !== undefined
  const isProved = (id: string) => {
    const passed = passedOf(id)
    return passed !== undefined && now() - passed.firstAtMs >= provedAfterMs
  }
  const isPaused = (name: string) => (pauses.get(name)?.untilMs ?? 0) > now()
  const hasPlace = (ids: readonly string[], site: string) =>
    running < mostAtOnce &&
    (bySite.get(site) ?? 0) < mostOfSite &&
    ids.every((id) => !underWay.has(nameTrial(ids, id)) || isBelieved(id))

  function count(ids: readonly string[], site: string, by: 1 | -1) {
    running += by
    add(bySite, site, by)
    for (const id of ids) add(underWay, nameTrial(ids, id), by)
  }

  /** Of several it is those that have not passed lately; where all have, any of them may have turned. */
  function note(ids: readonly string[], hasPassed: boolean) {
    if (hasPassed)
      for (const id of ids)
        passes.set(id, { firstAtMs: passedOf(id)?.firstAtMs ?? now(), atMs: now() })
    else if (ids.every(isBelieved)) for (const id of ids) passes.delete(id)
  }

  async function start<result>(
    ids: readonly string[],
    { work, holds, asker }: TrialParameters<result>,
  ): Promise<{ readonly result: result }> {
    const site = siteOf(asker)
    count(ids, site, 1)
    try {
      const result = await work()
      note(ids, holds(result))
      return { result }
    } finally {
      count(ids, site, -1)
      someEnd.resolve()
      someEnd = Promise.withResolvers()
    }
  }

  function pause(name: string) {
    const { lengthMs = firstPauseMs / 2 } = pauses.get(name) ?? {}
    const longer = Math.min(2 * lengthMs, longestPauseMs)
    pauses.set(name, { lengthMs: longer, untilMs: now() + longer })
  }

  return {
    async run(ids, asked) {
      const { isAlone, waitMs } = asked
      const endsAtMs = now() + waitMs
      const together = nameTogether(ids)
      if (waitMs <= 0 || (!isAlone && [together, ...ids].some(isPaused))) return 'late'
      while (!hasPlace(ids, siteOf(asked.asker))) {
        if (!isAlone) return 'late'
        if (!(await within(someEnd.promise.then(toDone), endsAtMs - now()))) return 'late'
      }
      const isKnown = isAlone || ids.every(isProved)
      const trial = start(ids, asked)
      const leftMs = endsAtMs - now()
      const outcome = await within(trial, isKnown ? leftMs : leftMs / unprovedPart)
      if (!outcome) {
        pause(together)
        // Who asks next makes his own.
        trial.catch(() => undefined)
        return 'late'
      }
      for (const name of [together, ...ids]) pauses.delete(name)
      return outcome.result
    },
    once(key, judge, { isFinal }) {
      type Verdict = Awaited<ReturnType<typeof judge>>
      const known = verdicts.get(key)
      if (known && now() < known.untilMs) return known.verdict as Promise<Verdict>
      const verdict = judge()
      const entry = { verdict, untilMs: Number.POSITIVE_INFINITY }
      verdicts.set(key, entry)
      const forget = () => {
        if (verdicts.get(key) === entry) verdicts.delete(key)
      }
      verdict.then((reached) => {
        entry.untilMs = now() + verdictMs
        if (!isFinal(reached)) forget()
      }, forget)
      return verdict
    },
  }
}

/** Whoever keeps a trial going that others share keeps no other pool from one by itself. */
const nameTrial = (ids: readonly string[], id: string) => (ids.length === 1 ? id : `${id} shared`)

/** A single pool's is its id. */
const nameTogether = (ids: readonly string[]) => [...new Set(ids)].sort().join()

/** Those that nobody knows anything of are as one. */
const siteOf = ({ caller = '', network = caller, site = network }: Asker = {}) => site

function add(counts: Map<string, number>, name: string, by: 1 | -1) {
  const sum = (counts.get(name) ?? 0) + by
  if (sum > 0) counts.set(name, sum)
  else counts.delete(name)
}

const toDone = () => ({ result: undefined })

/** Undefined where it takes longer. */
async function within<result extends object>(
  work: Promise<result>,
  ms: number,
): Promise<result | undefined> {
  if (ms <= 0) return undefined
  const clock = new AbortController()
  const late = wait(ms, undefined, { signal: clock.signal }).catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clock.abort()
  }
}
