import { setImmediate as giveTurn } from 'node:timers/promises'
import { prepareState } from './prepareState.ts'
import { type QuoteOutcome, quoteOn } from './quote.ts'
import type { QuoteDeps, QuoteParameters } from './quoteRequest.ts'

/** Of one batch at once: its searches wait behind each other, not in everybody's places. */
const mostAtOnce = 4

/** Several quotes, those of a chain all on one state of it; outcomes in the order they were asked. */
export async function quoteMany(
  deps: QuoteDeps,
  asked: readonly QuoteParameters[],
): Promise<readonly QuoteOutcome[]> {
  const prepare = await prepareChains(deps, asked)
  const outcomes: QuoteOutcome[] = []
  const waiting = [...asked.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, parameters] = next
      outcomes[index] = await quoteOne(deps, parameters, prepare)
      // Answers that are known already must not keep other callers waiting.
      await giveTurn()
    }
  }
  await Promise.all(Array.from({ length: mostAtOnce }, work))
  return outcomes
}

type Prepared = Awaited<ReturnType<typeof prepareState>>

/** What is missing of a chain's tokens is read for all of them together. */
async function prepareChains(
  deps: QuoteDeps,
  asked: readonly QuoteParameters[],
): Promise<ReadonlyMap<number, Prepared>> {
  const groups = [...Map.groupBy(asked, ({ chainId }) => chainId)]
  const prepared = groups.map(async ([chainId, own]): Promise<readonly [number, Prepared]> => {
    const chain = deps.chains.get(chainId)
    const tokens = own.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])
    if (chain) return [chainId, await prepareState(chain, tokens)]
    return [chainId, { status: 'unavailable', reason: 'the chain is not configured' }]
  })
  return new Map(await Promise.all(prepared))
}

async function quoteOne(
  deps: QuoteDeps,
  asked: QuoteParameters,
  prepare: ReadonlyMap<number, Prepared>,
): Promise<QuoteOutcome> {
  const chain = deps.chains.get(asked.chainId)
  const prepared = prepare.get(asked.chainId)
  if (!chain || !prepared) return { status: 'unavailable', reason: 'the chain is not configured' }
  return prepared.status === 'ok' ? quoteOn(deps, { chain, prepared, asked }) : prepared
}
