import { freeRefunds } from '../access/refundPauses.ts'
import { defaultLimits } from '../meta/dispatch.ts'
import { mostKept, mostOfCaller } from '../routing/quoteBook.ts'
import { mostWaiting } from '../routing/searchQueue.ts'

/** What each gateway bounds by itself and no setting changes; several together let as many times more pass. */
export const fixedLimits = [
  { setting: 'source_calls', value: defaultLimits.concurrency },
  { setting: 'source_faults', value: defaultLimits.breakAfter },
  { setting: 'refusals_of_site', value: freeRefunds },
  { setting: 'searches_waiting', value: mostWaiting },
  { setting: 'quotes_kept', value: mostKept },
  { setting: 'quotes_kept_of_key', value: mostOfCaller },
] as const
