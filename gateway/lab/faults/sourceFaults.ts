import { failureReasons } from '../../meta/provider/source.ts'
import type { Fault } from './fault.ts'

/** Each word that `failures[]` can begin with. */
export const sourceFaults: readonly Fault[] = failureReasons.map((reason) => ({
  at: 'source',
  name: `source_${reason}`,
  sentence: `A source of quotes fails with ${reason}`,
  reads: [],
  outcome: { status: 'failure', reason, detail: 'asked for' },
}))
