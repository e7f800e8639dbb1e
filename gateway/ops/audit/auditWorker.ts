import { parentPort, workerData } from 'node:worker_threads'
import type { Fault } from '../../store/auditBooks.ts'
import { auditDatabase, type DatabaseAudit } from './auditDatabase.ts'

/** What the thread that audits says to the one that serves. */
export type WorkerVerdict = { readonly found: number; readonly faults: readonly Fault[] }

const mostTold = 100

// As createAudits has handed it over.
const { faults } = await auditDatabase(workerData as DatabaseAudit, { rows: 0 })
const verdict: WorkerVerdict = { found: faults.length, faults: faults.slice(0, mostTold) }
parentPort?.postMessage(verdict)
