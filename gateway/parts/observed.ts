import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'

/** Where every part tells what happens. */
export type Observed = { readonly log: Log; readonly metrics: Metrics }
