import type { Newcomers } from '../../store/settlementNewcomers.ts'
import type { Conduct, PartyBook } from '../../store/settlementParties.ts'

export type PartyRefusal = 'too_many_open' | 'barred'

const mostOpen = 10
/** Of what is open and what has failed in a day, beyond what was paid in it. */
const mostUnpaid = { key: 3, payer: 3, code: 5 }
const mostFailedOfKey = 3
const [firstBarMs, longestBarMs] = [10 * 60_000, 24 * 3_600_000]

/**
 * A settlement that fails costs us gas and its payer nothing. A payer is barred for ten minutes after its
 * first failure and for twice as long after each further one of a day; so is the code of a paying contract,
 * of which anybody makes another for little. But many share the code of a usual wallet: each payment of it
 * that was settled has earned more than one that fails costs, and stands for one. A key may have three of
 * them fail in a day. Each that is open may fail yet, before the first of them counts. What strangers do with the
 * same code is nothing to a key that has ever had a payment settled.
 */
export function judgeParties(
  { key, payer, code }: PartyBook,
  {
    nowMs,
    newcomers: { isOne },
  }: { readonly nowMs: number; readonly newcomers: Pick<Newcomers, 'isOne'> },
): PartyRefusal | undefined {
  const unpaid = { ...code, failed: code.failed - code.settled }
  if (key.failed >= mostFailedOfKey || isBarred(payer, nowMs) || (isOne && isBarred(unpaid, nowMs)))
    return 'barred'
  const isBusy =
    key.open >= mostOpen ||
    payer.open >= mostOpen ||
    hasMostUnpaid(key, mostUnpaid.key) ||
    hasMostUnpaid(payer, mostUnpaid.payer) ||
    (isOne && hasMostUnpaid(code, mostUnpaid.code))
  return isBusy ? 'too_many_open' : undefined
}

/** With none open it is for the bars alone: who has failed often may try again, once at a time. */
const hasMostUnpaid = ({ open, failed, settled }: Conduct, most: number) =>
  open > 0 && open + failed >= most + settled

function isBarred({ failed, lastFailedMs }: Conduct, nowMs: number): boolean {
  if (lastFailedMs === undefined || failed <= 0) return false
  return nowMs - lastFailedMs < Math.min(firstBarMs * 2 ** (failed - 1), longestBarMs)
}
