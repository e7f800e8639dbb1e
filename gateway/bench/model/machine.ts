import type { Events } from './events.ts'

/** Does one piece of work after the other, as an event loop does. */
export type Thread = {
  /** So much of a processor, and what is done once it has had it. */
  readonly work: (cpuMs: number, then: () => void) => void
  /** Processor time that it has had. */
  readonly usedMs: () => number
}
export type Machine = { readonly addThread: () => Thread }

type Job = { leftMs: number; readonly then: () => void }

/** Some processors; threads that have work share them in equal parts, none has more than one. */
export function createMachine(events: Events, cores: number): Machine {
  const busy = new Map<object, { readonly jobs: Job[]; usedMs: number }>()
  let lastMs = 0
  let plan = 0

  /** What each has had since somebody last looked. */
  function advance(): void {
    const elapsed = events.nowMs() - lastMs
    lastMs = events.nowMs()
    const had = elapsed * Math.min(1, cores / busy.size)
    for (const thread of busy.values()) {
      thread.usedMs += had
      if (thread.jobs[0]) thread.jobs[0].leftMs -= had
    }
  }
  function planNext(): void {
    plan += 1
    const mine = plan
    const lefts = [...busy.values()].map(({ jobs }) => jobs[0]?.leftMs ?? Number.POSITIVE_INFINITY)
    if (lefts.length === 0) return
    const wait = Math.max(0, Math.min(...lefts)) / Math.min(1, cores / busy.size)
    events.at(events.nowMs() + wait, () => {
      if (mine === plan) finish()
    })
  }
  function finish(): void {
    advance()
    const done: (() => void)[] = []
    for (const [key, { jobs }] of busy)
      if ((jobs[0]?.leftMs ?? 0) <= 1e-9) {
        const job = jobs.shift()
        if (job) done.push(job.then)
        if (jobs.length === 0) busy.delete(key)
      }
    for (const then of done) then()
    planNext()
  }
  return {
    addThread() {
      const thread = { jobs: [] as Job[], usedMs: 0 }
      return {
        work(cpuMs, then) {
          advance()
          thread.jobs.push({ leftMs: cpuMs, then })
          busy.set(thread, thread)
          planNext()
        },
        usedMs: () => thread.usedMs,
      }
    },
  }
}
