import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { Fault } from '../../store/auditBooks.ts'
import { auditDatabase, type DatabaseAudit } from './auditDatabase.ts'

/** What the thread that audits says to the one that serves: that it may be ended, and what it has found. */
export type WorkerWord = 'loaded' | WorkerVerdict

export type WorkerVerdict = { readonly found: number; readonly faults: readonly Fault[] }

const mostTold = 100

const say = (word: WorkerWord) => parentPort?.postMessage(word)

// As createAudits has handed it over.
const task = workerData as DatabaseAudit
// A thread that is ended while it loads an addon takes the whole process with it.
if (task.database.databaseUrl === undefined) new Database(':memory:').close()
say('loaded')
const { faults } = await auditDatabase(task, { rows: 0 })
say({ found: faults.length, faults: faults.slice(0, mostTold) })
