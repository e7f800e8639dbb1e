import type { Quote } from './finishQuote.ts'
import type { QuoteParameters } from './quoteRequest.ts'

/**
 * The next best quotes of the same question, no two of which share a pool with each other or with the best:
 * each is searched for without the pools of those before. Fewer where the pools give out.
 */
export async function findAlternatives(
  find: (asked: QuoteParameters) => Promise<Quote | undefined>,
  {
    best,
    count,
    asked,
  }: { readonly best: Quote; readonly count: number; readonly asked: QuoteParameters },
): Promise<readonly Quote[]> {
  const found = [best]
  while (found.length <= count) {
    const taken = found.flatMap(({ steps }) => steps.map(toId))
    const excludePools = [...(asked.options?.excludePools ?? []), ...taken]
    // A wrap goes through no pool: there is no other way.
    if (taken.length === 0) break
    const next = await find({ ...asked, options: { ...asked.options, excludePools } })
    if (!next) break
    found.push(next)
  }
  // What bounds them is the best of a market without the pools of those before.
  return found.slice(1).map((quote) => ({ ...quote, optimalityGapBps: undefined }))
}

const toId = ({ pool, poolId }: Quote['steps'][number]) => (poolId ?? pool).toLowerCase()
