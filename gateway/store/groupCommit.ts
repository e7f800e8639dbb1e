import type { Database } from 'better-sqlite3'
import { isBusy, whileBusy } from './whileBusy.ts'

/** Runs `write` inside a durable transaction shared with every other write of this event-loop turn. */
export type Commit = <value>(write: () => value) => Promise<value>

type Job = {
  readonly write: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * One fsync per event-loop turn instead of one per write: measured 30 times faster at the same durability.
 * A promise resolves only after the commit. While another process has the file locked, the group waits for
 * it and grows; it is refused as a whole when that takes too long. When its transaction fails otherwise, its
 * writes are tried again one by one, so that only the one at fault is refused; a lone one is at fault itself.
 */
export function createGroupCommit(db: Database): { commit: Commit; flush(): void } {
  let queue: Job[] = []
  let waiting: Promise<void> | undefined

  /** Takes all that wait; throws, with the queue as it was, where the file is locked. */
  function commitAll(): void {
    const jobs = queue
    queue = []
    if (jobs.length === 0) return
    try {
      const values = db.transaction(() => jobs.map(({ write }) => write())).immediate()
      for (const [index, { resolve }] of jobs.entries()) resolve(values[index])
    } catch (error) {
      if (isBusy(error)) {
        queue = [...jobs, ...queue]
        throw error
      }
      if (jobs.length === 1) jobs[0]?.reject(error)
      else for (const job of jobs) runAlone(job)
    }
  }

  function runAlone({ write, resolve, reject }: Job) {
    try {
      resolve(db.transaction(write).immediate())
    } catch (error) {
      reject(error)
    }
  }

  function rejectAll(error: unknown): void {
    const jobs = queue
    queue = []
    for (const { reject } of jobs) reject(error)
  }

  async function commitWhenFree(): Promise<void> {
    try {
      await whileBusy(commitAll)
    } catch (error) {
      rejectAll(error)
    }
  }

  function start(): void {
    waiting ??= commitWhenFree().finally(() => {
      waiting = undefined
      if (queue.length > 0) setImmediate(start)
    })
  }

  return {
    commit: (write) =>
      new Promise((resolve, reject) => {
        // The queue forgets the type that this call's promise keeps.
        const job: Job = { write, resolve: resolve as (value: unknown) => void, reject }
        if (queue.push(job) === 1 && !waiting) setImmediate(start)
      }),
    /** What waits now, at once: the database is about to be closed. */
    flush() {
      try {
        commitAll()
      } catch (error) {
        rejectAll(error)
      }
    },
  }
}
