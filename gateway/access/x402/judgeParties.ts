import type { Conduct, PartyBook } from '../../store/settlementParties.ts'

export type PartyRefusal = 'too_many_open' | 'barred'

const mostOpen = { key: 10, payer: 10, code: 5 }
const mostFailedOfKey = 3
const [firstBarMs, longestBarMs] = [10 * 60_000, 24 * 3_600_000]

/**
 * A settlement that fails costs us gas and its payer nothing. A payer is barred for ten minutes after its
 * first failure and for twice as long after each further one of a day; so is the code of a paying contract,
 * of which anybody makes another for little. But many share the code of a usual wallet: each payment of it
 * that was settled has earned more than one that fails costs, and stands for one. A key may have three of
 * them fail in a day.
 */
export function judgeParties(
  { key, payer, code }: PartyBook,
  { nowMs }: { readonly nowMs: number },
): PartyRefusal | undefined {
  const unpaid = { ...code, failed: code.failed - code.settled }
  if (key.failed >= mostFailedOfKey || isBarred(payer, nowMs) || isBarred(unpaid, nowMs))
    return 'barred'
  const isBusy =
    key.open >= mostOpen.key ||
    payer.open >= mostOpen.payer ||
    code.open >= mostOpen.code + code.settled
  return isBusy ? 'too_many_open' : undefined
}

function isBarred({ failed, lastFailedMs }: Conduct, nowMs: number): boolean {
  if (lastFailedMs === undefined || failed <= 0) return false
  return nowMs - lastFailedMs < Math.min(firstBarMs * 2 ** (failed - 1), longestBarMs)
}
