import { Worker } from 'node:worker_threads'
import type { Log } from '../../observe/log.ts'
import { modulePath } from '../../runtime/modulePath.ts'
import type { DatabaseAudit } from './auditDatabase.ts'
import type { WorkerVerdict, WorkerWord } from './auditWorker.ts'

export type AuditState = {
  /** Of the audit under way. */
  readonly runningSinceMs?: number
  /** Of the last that was made since this gateway started. */
  readonly last?: WorkerVerdict & { readonly atMs: number; readonly tookMs: number }
  /** When a later one began that could not be made. */
  readonly failedAtMs?: number
}

export type Audits = ReturnType<typeof createAudits>

/** As long as PostgreSQL gives the statements of one. */
const timeoutMs = 600_000
/** What it reads of a large database must not take the memory that quotes need. */
const mostMemoryMb = 1_024

/** Audits of the database in a thread beside the one that serves, one at a time; the last verdict is kept. */
export function createAudits(
  { log, now }: { readonly log: Log; readonly now: () => number },
  task: DatabaseAudit,
) {
  let state: AuditState = {}
  let running:
    | { readonly worker: Worker; readonly said: Promise<void>; readonly over: Promise<void> }
    | undefined

  async function finish(worker: Worker, atMs: number): Promise<void> {
    try {
      const verdict = await verdictOf(worker)
      state = { last: { ...verdict, atMs, tookMs: now() - atMs } }
    } catch (cause) {
      log.warn({ err: cause }, 'the books could not be audited')
      state = { ...(state.last && { last: state.last }), failedAtMs: atMs }
    } finally {
      running = undefined
    }
  }

  return {
    state: () => state,
    /** Resolves when the audit is over that runs now, or begins. */
    run(): Promise<void> {
      if (!running) {
        const atMs = now()
        const worker = startWorker(task)
        state = { ...state, runningSinceMs: atMs }
        running = { worker, said: saysOrEnds(worker), over: finish(worker, atMs) }
      }
      return running.over
    },
    async close(): Promise<void> {
      await running?.said
      await running?.worker.terminate()
      await running?.over
    },
  }
}

const startWorker = (task: DatabaseAudit) =>
  new Worker(modulePath(import.meta.dirname, 'auditWorker'), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
  })

/** Its first word, or that there will be none. */
const saysOrEnds = (worker: Worker): Promise<void> =>
  new Promise((resolve) => {
    worker.once('message', () => resolve())
    worker.once('exit', () => resolve())
  })

async function verdictOf(worker: Worker): Promise<WorkerVerdict> {
  const timer = setTimeout(() => void worker.terminate(), timeoutMs)
  try {
    return await new Promise((resolve, reject) => {
      worker.on('message', (word: WorkerWord) => {
        if (word !== 'loaded') resolve(word)
      })
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`its thread ended with ${code}`)))
    })
  } finally {
    clearTimeout(timer)
  }
}
