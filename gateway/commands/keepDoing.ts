import { setTimeout as wait } from 'node:timers/promises'

/** What has been tried is tried again no sooner. */
const retryMs = 600_000
/** How often what is due is looked for. */
const lookMs = 60_000

type Job = {
  readonly what: string
  readonly everyMs: number
  /** How long ago it was last done, before this process began; less than nothing by a clock that was ahead then. */
  readonly agoMs: number
  /** Whether it has to be done before its time. */
  readonly isNeeded?: () => Promise<boolean>
  readonly work: () => Promise<void>
}

/** Does each job when it is due, one after the other, until `signal`; one that fails is told and tried again. */
export async function keepDoing(
  jobs: readonly Job[],
  {
    signal,
    failed,
    now = () => performance.now(),
    pause = (ms) => wait(ms, undefined, { signal }).catch(() => undefined),
  }: {
    readonly signal: AbortSignal
    readonly failed: (what: string, cause: Error) => void
    /** Of time that passes: a leap of the machine's clock makes nothing due, and holds nothing up. */
    readonly now?: () => number
    readonly pause?: (ms: number) => Promise<unknown>
  },
): Promise<void> {
  const states = jobs.map(({ agoMs }) => ({
    doneMs: now() - Math.max(0, agoMs),
    triedMs: Number.NEGATIVE_INFINITY,
  }))

  async function attempt(job: Job, state: { doneMs: number; triedMs: number }): Promise<void> {
    const isDue = now() - state.doneMs >= job.everyMs
    if (now() - state.triedMs < retryMs) return
    if (!isDue && !(await job.isNeeded?.())) return
    state.triedMs = now()
    await job.work()
    state.doneMs = now()
  }

  while (!signal.aborted) {
    for (const [at, job] of jobs.entries()) {
      const state = states[at]
      if (state && !signal.aborted)
        await attempt(job, state).catch((cause: Error) => failed(job.what, cause))
    }
    await pause(lookMs)
  }
}
